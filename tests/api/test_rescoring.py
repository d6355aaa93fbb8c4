"""Corrections over the API: for tokens that may organize, of people who do."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.enums import TokenScope
from grading.models import RescoreCheck, Rescoring
from grading.services import recipes
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.grading import scored
from tests.factories.rescoring import OTHER_PARAMS, give_score, organizer, references_bytes

SCOPES = [TokenScope.READ, TokenScope.ORGANIZE]


@pytest.fixture
def board(arena):
    rows = []
    for place, score in enumerate((60.0, 50.0), 1):
        entrant, captain = arena.enter(f"Team {place}")
        rows.append(scored(arena, entrant, captain, score, at=timezone.now()))
    return rows


@pytest.fixture
def chair(arena):
    return client_of(organizer(arena), SCOPES)


def test_a_correction_over_the_api(chair, address, arena, board):
    base = f"{address.base}rescoring/"
    none = chair.get(base)
    assert (none.status_code, none.json()["code"]) == (409, "NO_CANDIDATE")
    made = chair.post(
        f"{base}propose/", {"params": OTHER_PARAMS, "reason": "Wrong weights."}, format="json"
    )
    assert made.status_code == 201
    body = made.json()
    assert (body["state"], body["progress"]["waiting"]) == ("open", 2)
    twice = chair.post(f"{base}propose/", {"reason": "again"}, format="json")
    assert (twice.status_code, twice.json()["code"]) == (409, "CANDIDATE_EXISTS")
    sent = {"digest": body["to_digest"]}
    early = chair.post(f"{base}switch/", sent, format="json")
    assert (early.status_code, early.json()["code"]) == (409, "RESCORING_UNFINISHED")
    proposal = Rescoring.objects.get()
    give_score(proposal, board[0], 40.0, at=timezone.now())
    give_score(proposal, board[1], 55.0, at=timezone.now())
    preview = chair.get(f"{base}preview/").json()
    assert [(move["team"], move["places"]) for move in preview["moves"]] == [
        ("Team 1", -1),
        ("Team 2", 1),
    ]
    assert (preview["unfinished"], preview["failed"]) == ([], {})
    assert chair.post(f"{base}switch/", {"digest": "x"}, format="json").status_code == 400
    done = chair.post(f"{base}switch/", sent, format="json")
    assert (done.status_code, done.json()["state"]) == (200, "switched")
    assert recipes.live_recipe(arena.phase).digest == body["to_digest"]
    shown = chair.get(f"{address.base}board/").json()
    assert shown["corrections"][0]["what"] == "Wrong weights."


def test_references_are_sent_as_a_file(chair, address, arena, board):
    more = arena.rows | {"en_9999": ("en", "more")}
    sent = {
        "references": SimpleUploadedFile("r.jsonl", references_bytes(more)),
        "params": json.dumps(OTHER_PARAMS),
        "reason": "A recording was cut.",
    }
    refused = chair.post(f"{address.base}rescoring/propose/", sent, format="multipart")
    assert (refused.status_code, refused.json()["code"]) == (422, "REFERENCES_ADD_UTTERANCES")
    assert refused.json()["params"] == {"added": 1}
    fewer = dict(list(arena.rows.items())[1:])
    sent["references"] = SimpleUploadedFile("r.jsonl", references_bytes(fewer))
    made = chair.post(f"{address.base}rescoring/propose/", sent, format="multipart")
    assert made.status_code == 201
    dropped = chair.post(f"{address.base}rescoring/cancel/")
    assert (dropped.status_code, dropped.json()["state"]) == (200, "cancelled")


@pytest.mark.parametrize("params", ["[1]", "nonsense", "{", '"x"'])
def test_odd_parameters_are_refused(chair, address, board, params):
    sent = {"params": params, "reason": "x"}
    refused = chair.post(f"{address.base}rescoring/propose/", sent, format="multipart")
    assert refused.status_code in {400, 422}
    assert not Rescoring.objects.exists()


def test_a_score_is_computed_again_on_request(chair, arena, board):
    path = f"/api/v1/submissions/{board[0].submission.code}/checks/"
    made = chair.post(path, {"reason": "The team asks."}, format="json")
    assert (made.status_code, made.json()["state"]) == (201, "queued")
    twice = chair.post(path, {"reason": "The team asks."}, format="json")
    assert (twice.status_code, twice.json()["code"]) == (409, "CHECK_UNDER_WAY")
    assert [one["code"] for one in chair.get(path).json()] == [made.json()["code"]]


def test_others_are_told_401_403_or_404(api, chair, address, arena, board, client):
    paths = {f"{address.base}rescoring/{part}": part for part in ("propose/", "switch/", "cancel/")}
    captain = client_of(board[0].submission.uploader, SCOPES)
    stranger = client_of(UserFactory(), SCOPES)
    checks = f"/api/v1/submissions/{board[0].submission.code}/checks/"
    for path in paths:
        assert client.post(path).status_code == 401
        assert api.post(path, {}, format="json").status_code == 403, "the token may not organize"
        assert captain.post(path, {}, format="json").status_code == 403
        assert stranger.post(path, {}, format="json").status_code == 403
    for path in (f"{address.base}rescoring/", f"{address.base}rescoring/preview/"):
        assert client.get(path).status_code == 401
        assert captain.get(path).status_code == stranger.get(path).status_code == 403
    assert client.post(checks).status_code == 401
    assert captain.post(checks, {"reason": "x"}, format="json").status_code == 403
    assert stranger.get(checks).status_code == 404
    assert chair.get(f"{address.base[:-6]}none/rescoring/").status_code == 404
    assert not Rescoring.objects.exists()
    assert not RescoreCheck.objects.exists()
