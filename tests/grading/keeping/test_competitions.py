"""A competition taken to another installation: boards, receipts and log hold there."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import AuditEvent, User
from competition.models import Entrant
from grading.models import PhaseRecipe, ReceiptKey, Submission
from grading.services import evaluations, validation
from grading.services.keeping import databases, imports, parts
from grading.services.keeping.errors import (
    ArchiveBroken,
    ArchiveUnsuited,
    EvidenceBroken,
    NotEmpty,
)
from tests.factories.accounts import TeamFactory, UserFactory
from tests.factories.grading import CANARY, CompetitionFactory
from tests.grading.keeping import stage
from tests.grading.keeping.altering import altered
from tests.grading.keeping.stage import EXPORTED, LATER

pytestmark = pytest.mark.django_db


def bring_in(path) -> imports.Imported:
    """Import into an installation whose rows have other keys."""
    for _ in range(7):
        UserFactory()
    return imports.bring_in(path=path, now=EXPORTED)


def test_every_table_is_named():
    named = {part.label for part in parts.PARTS} | set(parts.LEFT_OUT)
    assert named == {model._meta.label_lower for model in databases.models()}


@pytest.mark.postgres
def test_an_import_tells_the_planner_what_came(original):
    with stage.analyzed_since("grading_submission"):
        bring_in(original.competition)


def test_an_imported_competition_is_what_was_exported(original):
    imported = bring_in(original.competition)
    assert imported.competition.slug == original.slug
    assert stage.told(original.slug) == original.told
    assert stage.chain_head(original.slug) == original.head
    assert stage.outcomes(original.receipts) == {"holds"}
    assert ReceiptKey.objects.get().valid_until == EXPORTED
    assert AuditEvent.objects.get(kind="competition.imported").chain.scope == "site"
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(size=1)


def test_what_comes_after_the_import_goes_on_where_it_stood(original, client):
    competition = bring_in(original.competition).competition
    waiting = Submission.objects.get(state="received")
    with stage.in_this_process():
        validated = validation.validate(submission_id=waiting.pk, clock=lambda: LATER)
        evaluation = evaluations.live_of(validated)
        found = evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: LATER)
    assert found.state == "scored"
    board = reverse("grading:board", args=[competition.slug, "understanding", "final"])
    assert client.get(board).status_code == 200
    assert stage.outcomes(stage.saved_receipts()) == {"holds"}
    assert ReceiptKey.objects.count() == 2


def test_nothing_private_leaves_with_an_export(original):
    with zipfile.ZipFile(original.competition) as archive:
        whole = b"\n".join(archive.read(name) for name in archive.namelist()).decode()
        public = json.loads(archive.read("keys/public.json"))
        people = archive.read("rows/accounts.user.jsonl").decode().splitlines()
    assert [key["valid_until"] for key in public["keys"]] == [None]
    for secret in original.secrets:
        assert not re.search(rf'[": ]{re.escape(secret)}[" ]', whole), secret
    assert "admin@example.org" not in whole
    assert settings.SECRET_KEY not in whole
    assert {frozenset(json.loads(line)) for line in people} == {frozenset({"id", "code"})}
    assert CANARY in whole  # the references are the organizers'; the archive is theirs


def test_people_come_as_pseudonyms_that_cannot_log_in(original):
    imports.bring_in(path=original.competition, now=EXPORTED)
    people = User.objects.all()
    assert {person.code for person in people} < original.codes
    assert all(not person.has_usable_password() and not person.is_active for person in people)
    assert all(person.email.endswith("@imported.invalid") for person in people)
    assert not any(person.is_staff or person.is_superuser for person in people)


def test_a_second_competition_finds_the_same_people_teams_and_recipes_again(original):
    second = bring_in(original.second).competition
    people = User.objects.count()
    first = imports.bring_in(path=original.competition, now=EXPORTED).competition
    in_first, in_second = original.shared
    team = first.entrants.get(code=in_first).team
    assert team == second.entrants.get(code=in_second).team
    assert team.memberships.count() == 1
    assert User.objects.count() < people + len(original.codes)
    recipes = {bound.recipe for bound in PhaseRecipe.objects.all()}
    assert (len(recipes), PhaseRecipe.objects.count()) == (1, 2)
    assert recipes.pop().track.competition == second


def test_a_competition_that_is_here_is_left_alone(original):
    bring_in(original.competition)
    before = (stage.tables(), stage.told(original.slug))
    with pytest.raises(NotEmpty):
        imports.bring_in(path=original.competition, now=LATER)
    assert (stage.tables(), stage.told(original.slug)) == before


def test_codes_that_are_here_are_refused_and_no_row_comes_in(original):
    entrant = Entrant.objects.create(
        code=original.shared[0],
        competition=CompetitionFactory(),
        team=TeamFactory(),
        registered_at=LATER,
    )
    before = stage.tables()
    with pytest.raises(NotEmpty):
        imports.bring_in(path=original.competition, now=LATER)
    assert stage.tables() == before
    assert Entrant.objects.get() == entrant


def _score(content: bytes) -> bytes:
    return re.sub(rb'"score":[0-9.]+,"low"', b'"score":99.5,"low"', content, count=1)


CHANGES = {
    "an upload": ("files/", lambda content: content + b" ", False, ArchiveBroken),
    "an upload with its hash": ("files/", lambda content: content + b" ", True, ArchiveBroken),
    "references with their hash": ("hidden/", lambda content: content + b" ", True, ArchiveBroken),
    "a standing": ("rows/grading.standing.jsonl", _score, True, EvidenceBroken),
    "a tally": (
        "rows/grading.evaluationtallies.jsonl",
        lambda content: content.replace(b'"data":"', b'"data":"AAAA', 1),
        True,
        ArchiveBroken,
    ),
    "an event": (
        "log/events.jsonl",
        lambda content: content.replace(b"submission.accepted", b"submission.rejected", 1),
        True,
        EvidenceBroken,
    ),
    "an event less": (
        "log/events.jsonl",
        lambda content: content.rstrip(b"\n").rpartition(b"\n")[0] + b"\n",
        True,
        EvidenceBroken,
    ),
    "a missing person": (
        "rows/accounts.user.jsonl",
        lambda content: content.partition(b"\n")[2],
        True,
        ArchiveBroken,
    ),
    "another column": (
        "rows/competition.track.jsonl",
        lambda content: content.replace(b'"slug"', b'"slag"', 1),
        True,
        ArchiveBroken,
    ),
    "no JSON": ("rows/grading.board.jsonl", lambda content: b"{\n", True, ArchiveBroken),
    "foreign keys": (
        "keys/public.json",
        lambda content: re.sub(rb'"public_key": "..', b'"public_key": "00', content),
        True,
        ArchiveBroken,
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_was_changed_is_found_and_no_row_comes_in(original, path, what):
    prefix, change, rehash, refusal = CHANGES[what]
    names = zipfile.ZipFile(original.competition).namelist()
    name = next(one for one in names if one.startswith(prefix))
    other = altered(original.competition, {name: change}, to=path, rehash=rehash)
    with pytest.raises(refusal):
        imports.bring_in(path=other, now=LATER)
    assert databases.is_empty()


def test_an_archive_of_another_version_is_refused(original, path):
    other = altered(original.competition, {}, to=path, head={"migrations": []})
    with pytest.raises(ArchiveUnsuited):
        imports.bring_in(path=other, now=LATER)


def test_the_commands_say_what_they_did(original, path, capsys):
    call_command("import_competition", str(original.competition))
    call_command("export_competition", original.slug, str(path))
    said = capsys.readouterr()
    assert "hashes, boards and the log's chain hold" in said.out
    assert "it is for organizers" in said.out
    assert "missing in the storage" in said.err
    with pytest.raises(CommandError, match="is here already"):
        call_command("import_competition", str(path))
    with pytest.raises(CommandError, match="is there already"):
        call_command("export_competition", original.slug, str(path))


def test_the_commands_refuse_in_words(path):
    with pytest.raises(CommandError, match="There is no competition 'nowhere'"):
        call_command("export_competition", "nowhere", str(path))
    path.write_bytes(b"PK nothing")
    with pytest.raises(CommandError, match="is no archive"):
        call_command("import_competition", str(path))
