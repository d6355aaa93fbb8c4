"""Held-out verification on pages: organizers do all of it there, auditors look, entrants see nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from competition.enums import Pool, Role
from competition.models import Pack, PackIssue
from competition.services import issues, merging, vault
from competition.services.errors import IssueRefused
from competition.services.vault import Area
from competition.timeline import format_moment
from grading.enums import VerificationState, VerificationWay
from grading.models import HeldOutSet, Notice, Verification, VerificationRun
from grading.services import own_data
from grading.services.verification import comparing, receiving, releasing, scoring
from grading.services.verification.errors import NotVerifiedHere, VerificationRefused
from tests.competition.shelf import make_shelf
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW
from tests.factories.verification import (
    SECRET_ID,
    SECRET_WORD,
    Stage,
    make_stage,
    references_of,
)
from tests.site.markup import read

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_now():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def stage() -> Stage:
    return make_stage()


def logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def organizer(stage: Stage) -> Client:
    return logged_in(RoleGrantFactory(competition=stage.arena.competition).user)


@pytest.fixture
def auditor(stage: Stage) -> Client:
    grant = RoleGrantFactory(competition=stage.arena.competition, role=Role.AUDITOR)
    return logged_in(grant.user)


def at(name: str, stage: Stage, *args: str) -> str:
    return reverse(f"grading:{name}", args=[stage.arena.competition.slug, *args])


def public(stage: Stage) -> str:
    return at("verification-outcome", stage, stage.arena.track.slug, stage.arena.phase.slug)


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return str(read(response.content.decode()).text)


def file_of(data: bytes, name: str = "out.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def test_an_organizer_verifies_and_publishes_from_the_pages_alone(
    stage: Stage, organizer: Client
) -> None:
    given = {
        "track": stage.arena.track.pk,
        "version": stage.version.pk,
        "title": "Again",
        "file": file_of(references_of(stage.rows) + b"\n"),
        "confirm": "on",
    }
    assert organizer.post(at("held-out-create", stage), given).status_code == 302
    held_out = HeldOutSet.objects.get(title="Again")
    begin = at("verification-begin", stage, stage.arena.phase.code)
    page = organizer.get(begin).content.decode()
    assert page.count("checked") >= 3 + 1  # three entrants, one way
    codes = [entrant.code for entrant in stage.entrants]
    form = {"held_out": held_out.pk, "entrants": codes, "way": "organizer"}
    assert organizer.post(begin, form).status_code == 302
    found = Verification.objects.get()
    detail = at("verification", stage, found.code)
    assert "no output yet" in words(organizer, detail)
    for place in range(3):
        named = found.entrants.get(entrant=stage.entrants[place])
        sent = {"named": named.code, "file": file_of(stage.output(place))}
        assert organizer.post(at("verification-output", stage, found.code), sent).status_code == 302
    assert "being scored" in words(organizer, detail)
    for place in range(3):
        stage.scored(found, place, place)
    text = words(organizer, detail)
    assert "Publish the final standing" in text
    assert "The phase has not closed yet" in text
    assert "an older one counts" not in text
    assert "Rotation" not in text
    with transaction.atomic():
        rejected = stage.send(found, 0, b"no row")
        VerificationRun.objects.filter(pk=rejected.pk).update(
            state=VerificationState.FAILED, failure_code="WORKER_LOST", finished_at=NOW
        )
        assert stage.entrants[0].team.name + ". Mend the newest" in words(organizer, detail)
        transaction.set_rollback(True)
    seen = comparing.digest(comparing.compare(found))
    publish = at("verification-publish", stage, found.code)
    wrong = organizer.post(publish, {"digest": seen, "confirm": "no"})
    assert "Nothing was published" in wrong.content.decode()
    assert organizer.get(public(stage)).status_code == 404
    assert organizer.post(publish, {"digest": seen, "confirm": seen[:12]}).status_code == 302
    board = reverse(
        "grading:board",
        args=[stage.arena.competition.slug, stage.arena.track.slug, stage.arena.phase.slug],
    )
    assert public(stage) in Client().get(board).content.decode()
    text = words(Client(), public(stage))
    assert stage.entrants[0].team.name in text
    assert "consistent" in text
    assert SECRET_ID not in text


def test_what_is_wrong_with_references_is_listed_and_a_set_is_asked_for(
    stage: Stage, organizer: Client
) -> None:
    path = at("held-out-create", stage)
    assert '"language": "en"' in words(organizer, path)
    rows = references_of(stage.rows).splitlines(keepends=True)
    row = json.loads(rows[0])
    del row["language"]
    given = {"track": stage.arena.track.pk, "version": stage.version.pk}
    data = json.dumps(row).encode() + b"\nno row\n" + b"".join(rows[2:])
    sent = given | {"file": file_of(data), "confirm": "on"}
    text = str(read(organizer.post(path, sent).content.decode()).text)
    assert "cannot be read; nothing was kept" in text
    assert "The field language is missing" in text
    assert "Line 2: Not valid JSON" in text
    assert "MISSING_REQUIRED_FIELD" in text
    unasked = given | {"file": file_of(b"".join(rows) + b"\n")}
    assert organizer.post(path, unasked).status_code == 200
    assert HeldOutSet.objects.count() == 1


def test_the_list_says_what_comes_next(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    organizer = logged_in(RoleGrantFactory(competition=shelf.competition).user)
    address = reverse("grading:console-verifications", args=[shelf.competition.slug])
    assert "Clips are held out in: Held v1. Next: give their references" in words(
        organizer, address
    )


def test_what_is_polled_ends_once_nothing_is_scored(stage: Stage, organizer: Client) -> None:
    found = stage.begin()
    detail = at("verification", stage, found.code)
    run = stage.send(found, 0, stage.output())
    page = organizer.get(detail).content.decode()
    seen = page.split("?seen=")[1].split('"')[0]
    assert organizer.get(f"{detail}?seen={seen}").status_code == 204
    VerificationRun.objects.filter(pk=run.pk).update(
        state=VerificationState.FAILED, failure_code="WORKER_LOST", finished_at=NOW
    )
    ended = organizer.get(f"{detail}?seen={seen}")
    assert ended.status_code == 286
    assert "hx-get" not in ended.content.decode()
    assert "no output yet" in ended.content.decode()
    assert "Bring the same file again" in words(organizer, detail)


def test_auditors_see_numbers_and_no_clip_and_change_nothing(
    stage: Stage, organizer: Client, auditor: Client
) -> None:
    found = stage.begin()
    rejected = stage.send(found, 0, b"".join(stage.output().splitlines(keepends=True)[1:]))
    claimed = scoring.claim(run_id=rejected.pk, worker="w", now=NOW)
    assert claimed is not None
    first = min(stage.rows)
    problem = {"code": "MISSING_SAMPLES", "severity": "error", "line": None, "member": None}
    problem |= {"utt_id": first, "params": {"count": 1, "of": 12, "ids": [first]}}
    scoring._reject(claimed, {"problems": [problem], "total": 1, "errors": 1}, NOW)
    stage.scored(found, 1, 2)
    detail = at("verification", stage, found.code)
    assert first in organizer.get(detail).content.decode()
    page = auditor.get(detail).content.decode()
    assert stage.entrants[0].team.name in page
    assert SECRET_ID not in page
    assert SECRET_WORD not in page
    assert "out.jsonl" not in page
    assert "1 problem" in page
    for name in ("verification-output", "verification-publish", "verification-release"):
        assert auditor.post(at(name, stage, found.code)).status_code == 403
    assert auditor.get(at("held-out-create", stage)).status_code == 403


def test_nothing_of_it_reaches_an_entrant_before_or_after(stage: Stage) -> None:
    found = stage.begin()
    lines = stage.verified(found, (1, 2, 4))
    captain, client = stage.captains[0], logged_in(stage.captains[0])
    names = {"slug": stage.arena.competition.slug, "track": stage.arena.track.slug}
    names |= {"phase": stage.arena.phase.slug}
    own = stage.entrants[0].submissions.get()
    places = [
        reverse("grading:board", kwargs=names),
        reverse("grading:board-csv", kwargs=names),
        reverse("grading:board-json", kwargs=names),
        reverse("grading:board-data", kwargs=names),
        reverse("grading:submission-list", kwargs={"slug": names["slug"]}),
        reverse("grading:submission-create", kwargs=names),
        reverse("grading:entrant-history", args=[names["slug"], stage.entrants[0].code]),
        reverse("grading:submission-detail", args=[own.code]),
        reverse("competition:data", args=[names["slug"]]),
        reverse("competition:pack-list", args=[names["slug"]]),
        reverse("grading:draws", args=[names["slug"]]),
        f"/api/v1/competitions/{names['slug']}/tracks/{names['track']}/phases/{names['phase']}/manifest/",
    ]
    public_scores = {f"{one.public.score:.2f}" for one in lines}
    held_out = {f"{one.held_out.score:.2f}" for one in lines} - public_scores
    assert len(held_out) >= 2
    for place in places:
        response = client.get(place)
        assert response.status_code == 200, place
        text = response.content.decode()
        for secret in (SECRET_ID, SECRET_WORD, found.code, "Twelve", *held_out):
            assert secret not in text, (place, secret)
    for name in ("console-verifications", "own-verifications"):
        assert client.get(at(name, stage)).status_code in {403, 404}
    assert client.get(at("verification", stage, found.code)).status_code == 403
    assert client.get(public(stage)).status_code == 404
    data = json.dumps(own_data.collect(actor=captain, now=NOW))
    assert found.code not in data
    assert SECRET_ID not in data
    assert not Notice.objects.exists()
    assert stage.entrants[0].submissions.count() == 1


def released(stage: Stage) -> Verification:
    found = stage.begin(
        way=VerificationWay.RELEASED,
        opens_at=NOW + timedelta(hours=1),
        closes_at=NOW + timedelta(days=1),
        entrants=(stage.entrants[0],),
    )
    audio = [row.clip.audio for row in stage.held_out.clips.select_related("clip__audio")]
    with pytest.MonkeyPatch.context() as patch:
        # Rows without bytes: what moves bytes is tested with the vault.
        patch.setattr("competition.services.pools.vault.copy", _Copy)
        patch.setattr("competition.services.pools.vault.remove", lambda key: None)
        made = releasing.release(actor=None, verification=found, reason="No host here.", now=NOW)
        assert releasing.release(actor=None, verification=found, reason="x", now=NOW) == made
    for one in audio:
        one.refresh_from_db()
        assert one.pool == Pool.OPEN
    return made


class _Copy:
    def __init__(self, key: str, area: Area) -> None:
        self.key = vault.key_of(area, key.rpartition("/")[2])


def test_released_inputs_go_to_the_named_entrant_alone(stage: Stage) -> None:
    made = released(stage)
    pack = Pack.objects.get(pk=made.pack_id)
    assert pack.files.count() == len(stage.rows) + 1
    named, other = stage.captains[0], stage.captains[1]
    assert pack in Pack.objects.visible_to(named)
    assert pack not in Pack.objects.visible_to(other)
    with pytest.raises(IssueRefused, match="other entrants"):
        issues.request(actor=other, pack=pack, typed_name="N", now=NOW)
    slug = stage.arena.competition.slug
    address = reverse("competition:pack-request", args=[slug, pack.code])
    assert logged_in(other).get(address).status_code == 404
    assert logged_in(named).get(address).status_code == 200
    assert issues.request(actor=named, pack=pack, typed_name="N", now=NOW).expires_at
    assert pack.note == "Released for verification."
    shelf = reverse("competition:pack-list", args=[slug])
    way = at("own-verifications", stage)
    assert way in logged_in(named).get(shelf).content.decode()
    assert way not in logged_in(other).get(shelf).content.decode()
    assert logged_in(other).get(at("own-verifications", stage)).status_code == 404
    data = logged_in(other).get(reverse("competition:data", args=[slug])).content.decode()
    assert "Packs to download" not in data


def test_a_team_that_took_a_named_one_in_has_its_place(stage: Stage, organizer: Client) -> None:
    made = released(stage)
    told = words(organizer, at("verification", stage, made.code))
    assert "Tell the entrants: no mail is sent." in told
    pack, named = Pack.objects.get(pk=made.pack_id), made.entrants.get()
    merging.merge(
        actor=None,
        kept=stage.entrants[1],
        merged=stage.entrants[0],
        reason="One laboratory.",
        figures={},
        now=NOW,
    )
    heir, stranger = stage.captains[1], stage.captains[2]
    assert pack in Pack.objects.visible_to(heir)
    assert pack not in Pack.objects.visible_to(stranger)
    issue = issues.request(actor=heir, pack=pack, typed_name="N", now=NOW)
    assert issue in PackIssue.objects.visible_to(heir)
    for moved in (heir, stage.captains[0]):
        client = logged_in(moved)
        assert client.get(at("own-verifications", stage)).status_code == 200
        receiving.admit(actor=moved, named=named, now=NOW + timedelta(hours=2))
    assert logged_in(stranger).get(at("own-verifications", stage)).status_code == 404
    with pytest.raises(NotVerifiedHere):
        receiving.admit(actor=stranger, named=named, now=NOW + timedelta(hours=2))


def test_a_member_sends_the_output_in_the_window_and_sees_no_score(stage: Stage) -> None:
    made = released(stage)
    named = made.entrants.get()
    client = logged_in(stage.captains[0])
    send = at("own-verification-output", stage, named.code)
    early = client.post(send, {"file": file_of(stage.output())})
    assert "is not open" in early.content.decode()
    with time_machine.travel(NOW + timedelta(hours=2), tick=False):
        assert client.post(send, {"file": file_of(stage.output(1))}).status_code == 302
        run = VerificationRun.objects.get()
        assert run.uploader == stage.captains[0]
        found = stage.scored_by(named, run, 1)
        text = words(client, at("own-verifications", stage))
        assert "complete, sealed" in text
        assert f"{found.score:.2f}" not in text
        assert logged_in(stage.captains[1]).post(send).status_code == 404
        with pytest.raises(NotVerifiedHere):
            receiving.admit(actor=stage.captains[1], named=named, now=NOW)
    with pytest.raises(VerificationRefused, match="not open"):
        receiving.admit(actor=stage.captains[0], named=named, now=NOW + timedelta(days=2))


def test_the_page_of_a_release_says_what_it_costs(stage: Stage, organizer: Client) -> None:
    opens, closes = NOW + timedelta(hours=1), NOW + timedelta(days=1)
    form = {
        "held_out": stage.held_out.pk,
        "entrants": [stage.entrants[0].code],
        "way": "released",
        "opens_at": format_moment(opens.replace(minute=0), closing=False),
        "closes_at": format_moment(closes, closing=True),
    }
    begin = at("verification-begin", stage, stage.arena.phase.code)
    response = organizer.post(begin, form)
    assert response.status_code == 302, read(response.content.decode()).text
    found = Verification.objects.get()
    assert "never be held out again" in words(organizer, at("verification", stage, found.code))
    refused = organizer.post(at("verification-release", stage, found.code), {"reason": "r"})
    assert refused.status_code == 200
    found.refresh_from_db()
    assert found.released_at is None
