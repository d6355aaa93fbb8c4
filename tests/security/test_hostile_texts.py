"""Hostile texts in every free-text field: refused at entry, or harmless wherever they show."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from django.core import mail
from django.db import transaction
from django.test import TestCase

from config.headers import policy
from grading.models import Board, Evaluation, Submission
from grading.services import boards, evaluations, notices, standings, validation
from tests.factories.grading import NOW, jsonl
from tests.security.attempts import files_of
from tests.security.bodies import BODIES, body
from tests.security.crawl import Visit, visit
from tests.security.endpoints import address, endpoints, tried_variants
from tests.security.hostile import HOSTILE, UNSEEN, formulas
from tests.security.stage import Stage
from tests.security.worlds import client_of
from tests.site.markup import faults

pytestmark = pytest.mark.slow


TURNS = int(os.environ.get("PLAUDIT_HOSTILE_TURNS", "3"))
STEP = 11
"""How far the texts move on through the fields from one turn to the next; 31 turns are all of them."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that takes free text, and who fills it in."""

    endpoint: str
    name: str
    who: str
    method: str = "POST"


FIELDS = [
    Field("accounts:account-detail", "name", "captain"),
    Field("accounts:team-create", "name", "captain"),
    Field("accounts:team-create", "affiliation", "captain"),
    Field("accounts:team-rename", "name", "captain"),
    Field("accounts:team-rename", "affiliation", "captain"),
    Field("accounts:token-list", "name", "captain"),
    Field("accounts:team-invite", "email", "captain"),
    Field("accounts:sign-up", "name", "anonymous"),
    Field("accounts:sign-up", "email", "anonymous"),
    Field("accounts:reset", "email", "anonymous"),
    Field("accounts:login", "username", "anonymous"),
    Field("competition:terms-accept", "typed_name", "captain"),
    Field("grading:submission-create", "system", "captain"),
    Field("grading:submission-create", "note", "captain"),
    Field("grading:submission-rename", "system", "captain"),
    Field("grading:submission-rename", "note", "captain"),
    Field("grading:question-create", "text", "captain"),
    Field("grading:question-answer", "text", "organizer"),
    Field("grading:question-answer", "shown_text", "organizer"),
    Field("grading:announcement-create", "title_en", "organizer"),
    Field("grading:announcement-create", "body_en", "organizer"),
    Field("competition:pack-request", "typed_name", "member"),
    Field("grading:pack-create", "name", "organizer"),
    Field("api-v1:pack-ask", "typed_name", "captain"),
    Field("api-v1:window-list", "public_name", "organizer"),
    Field("grading:held-out-create", "title", "organizer"),
    Field("grading:verification-release", "reason", "organizer"),
    Field("grading:issue-end", "reason", "organizer"),
    Field("grading:clips-move", "reason", "organizer"),
    Field("grading:final-filings", "text", "captain"),
    Field("grading:filing-check", "note", "organizer"),
    Field("grading:final-act", "reason", "organizer"),
    Field("grading:rating-lift", "reason", "organizer"),
    Field("api-v1:file-set-create", "system", "captain"),
    Field("api-v1:final-papers", "text", "captain"),
    Field("grading:board-act", "reason", "organizer"),
    Field("grading:scoring-pause", "reason", "organizer"),
    Field("grading:entrant-kind", "reason", "organizer"),
    Field("grading:link-judge", "reason", "organizer"),
    Field("grading:entrant-merge", "reason", "organizer"),
    Field("grading:entrant-disqualify", "reason", "organizer"),
    Field("grading:deadline-move", "reason", "organizer"),
    Field("grading:score-checks", "reason", "organizer"),
    Field("api-v1:team-list", "name", "captain"),
    Field("api-v1:submission-create", "system", "captain"),
    Field("api-v1:submission-create", "note", "captain"),
    Field("api-v1:submission-detail", "system", "captain", "PATCH"),
]
"""In the order in which they are filled in: a disqualified team cannot do anything more."""


def send(stage: Stage, field: Field, text: str) -> int:
    """Fill the field in as its person does; return the status."""
    is_api = field.endpoint.startswith("api-")
    sent = {**body(field.endpoint, "own", field.who, stage), field.name: text}
    if "file" in sent:
        sent["file"] = jsonl(stage.arena.flawed(2, word=f"w{field.endpoint}{field.name}"[:40]))
    client = client_of(stage, field.who, is_api=is_api)
    path = address(field.endpoint, "own", stage)
    if is_api and "file" not in sent:
        typed = {"content_type": "application/json"}
        return client.generic(field.method, path, json.dumps(sent), **typed).status_code
    return client.post(path, files_of(sent)).status_code


def score_everything(stage: Stage) -> None:
    """Validate and score what waits, and bring the board up to date."""
    for submission in Submission.objects.filter(state="received"):
        validation.validate(submission_id=submission.pk, clock=lambda: NOW)
    for evaluation in Evaluation.objects.filter(state="queued"):
        evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: NOW)
    boards.want_rebuild(phase_id=stage.arena.phase.pk, now=NOW)
    standings.rebuild(board_id=Board.objects.get(phase=stage.arena.phase).pk, now=NOW)


def readers_visits(stage: Stage) -> list[Visit]:
    """Return what every endpoint answers to those who see most."""
    found = []
    for endpoint in endpoints():
        for variant in tried_variants(endpoint.name, stage):
            if variant != "own":
                continue
            path = address(endpoint.name, variant, stage)
            for who in ("captain", "organizer"):
                client = client_of(stage, who, is_api=endpoint.is_api)
                found.append(visit(client, path))
    mine = Submission.objects.filter(entrant=stage.own.entrant).values_list("code", flat=True)
    client = client_of(stage, "organizer", is_api=False)
    found += [visit(client, f"/submissions/{code}/") for code in mine]
    return found


def troubles_of(one: Visit, texts: Iterable[str]) -> list[str]:
    """Return how an answer lets hostile texts through."""
    head, _, content = one.text.partition("\n\n")
    content = content.removeprefix("\ufeff")
    kind = head.partition("Content-Type: ")[2].partition("\n")[0]
    if "zip" in kind:
        return []
    found = [f"unseen characters: {UNSEEN.findall(content)[:3]}"] if UNSEEN.search(content) else []
    if "text/html" in kind:
        found += faults(content) if "<html" in content else []
        found += [f"raw {text[:40]}" for text in texts if "<" in text and text in content]
        found += [] if policy() in head else ["no content security policy"]
    if "csv" in kind:
        found += [f"formula: {cell!r}" for cell in formulas(content)]
    if "json" in kind:
        is_lines = "jsonl" in kind or "ndjson" in kind
        for text in content.split("\n")[:-1] if is_lines else [content]:
            json.loads(text)
    found += [] if "X-Content-Type-Options: nosniff" in head else ["no nosniff"]
    return [f"{one.address} ({one.status}): {trouble}" for trouble in found]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.endpoint}-{field.name}")
def test_no_hostile_text_is_an_error_in_any_field(stage: Stage, field: Field) -> None:
    found = {}
    for kind, text in HOSTILE.items():
        with transaction.atomic():
            found[kind] = send(stage, field, text)
            transaction.set_rollback(True)
    assert {kind: status for kind, status in found.items() if status >= 500} == {}


@pytest.mark.parametrize("turn", range(TURNS))
def test_hostile_texts_that_were_taken_are_harmless_everywhere(stage: Stage, turn: int) -> None:
    kinds = list(HOSTILE)
    texts = {
        field: HOSTILE[kinds[(place + turn * STEP) % len(kinds)]]
        for place, field in enumerate(FIELDS)
    }
    mail.outbox = []
    with TestCase.captureOnCommitCallbacks(execute=True):
        for field, text in texts.items():
            send(stage, field, text)
    score_everything(stage)
    notices.send_due(clock=lambda: NOW)
    visits = readers_visits(stage)
    assert [one.address for one in visits if one.status >= 500 and one.address != "/readyz"] == []
    troubles = [trouble for one in visits for trouble in troubles_of(one, texts.values())]
    assert sorted(set(troubles)) == []
    for message in mail.outbox:
        assert not UNSEEN.search(message.subject + message.body)
        assert "\n" not in message.subject
        assert message.message()["Bcc"] is None


def test_every_form_of_the_site_is_tried() -> None:
    texts = {"name", "affiliation", "text", "reason", "note", "system", "typed_name"}
    tried = {(field.endpoint, field.name) for field in FIELDS}
    known = {
        (endpoint, name) for endpoint, fields in BODIES.items() for name in fields if name in texts
    }
    left_out = known - tried - KNOWN_ALIKE
    assert left_out == set()


KNOWN_ALIKE = {
    ("competition:entrant-register", "typed_name"),  # its team has entered; terms-accept is alike
    ("grading:entrant-decide", "reason"),
    ("grading:entrant-member-remove", "reason"),
    ("grading:entrant-take-out", "reason"),
    ("grading:judging-resume", "reason"),
    ("grading:rescoring-propose", "reason"),
    ("grading:submission-check", "system"),  # checks keep nothing
    ("grading:upload-create", "system"),
    ("api-v1:upload-create", "system"),
    ("api-v1:rescoring-propose", "reason"),
    ("api-v1:score-checks", "reason"),
}
"""Fields that go through the same service as one that is tried."""
