"""A competition taken to another installation: boards, receipts and log hold there."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts import triggers
from accounts.models import ApiToken, AuditEvent, User
from competition.models import Competition, Entrant
from grading.models import ReceiptKey, Submission
from grading.services import evaluations, sweep, validation
from grading.services.keeping import databases, exports, imports, parts
from grading.services.keeping.errors import (
    ArchiveBroken,
    ArchiveUnsuited,
    EvidenceBroken,
    NotEmpty,
)
from tests.factories.accounts import UserFactory
from tests.factories.grading import CANARY, join, make_arena
from tests.grading.keeping import stage
from tests.grading.keeping.altering import altered
from tests.grading.keeping.stage import EXPORTED, LATER

transactional = pytest.mark.django_db(transaction=True)


def moved(path, saved=None) -> str:
    """Export the filled competition, empty the installation; return the slug."""
    arena = stage.fill()
    if saved is not None:
        saved += stage.saved_receipts()
    exports.export(competition=arena.competition, path=path, now=EXPORTED)
    return arena.competition.slug


def test_every_table_is_named(db):
    named = {part.label for part in parts.PARTS} | set(parts.LEFT_OUT)
    assert named == {model._meta.label_lower for model in databases.models()}


@transactional
def test_an_imported_competition_is_what_was_exported(path):
    arena = stage.fill()
    slug, saved = arena.competition.slug, stage.saved_receipts()
    before, head = stage.told(slug), stage.chain_head(slug)
    exports.export(competition=arena.competition, path=path, now=EXPORTED)
    stage.wipe()
    for _ in range(7):
        UserFactory()  # other keys than there
    imported = imports.bring_in(path=path, now=EXPORTED)
    assert imported.competition.slug == slug
    assert stage.told(slug) == before
    assert stage.chain_head(slug) == head
    assert stage.outcomes(saved) == {"holds"}
    assert triggers.triggers_missing() == []
    assert ReceiptKey.objects.get().valid_until is not None
    assert AuditEvent.objects.get(kind="competition.imported").chain.scope == "site"


@transactional
def test_what_comes_after_the_import_goes_on_where_it_stood(path, client):
    moved(path, [])
    stage.wipe()
    competition = imports.bring_in(path=path, now=EXPORTED).competition
    waiting = Submission.objects.get(state="received")
    with stage.in_this_process():
        validated = validation.validate(submission_id=waiting.pk, clock=lambda: LATER)
    evaluation = evaluations.live_of(validated)
    found = evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=lambda: LATER)
    assert found.state == "scored"
    sweep.sweep(now=LATER)
    board = reverse("grading:board", args=[competition.slug, "understanding", "final"])
    assert client.get(board).status_code == 200
    both = stage.saved_receipts()
    assert stage.outcomes(both) == {"holds"}
    assert ReceiptKey.objects.count() == 2


@transactional
def test_nothing_private_leaves_with_an_export(path, settings):
    stage.fill()
    people = list(User.objects.values_list("email", "name", "password"))
    digests = list(ApiToken.objects.values_list("digest", flat=True))
    competition = Competition.objects.get()
    stage.saved_receipts()
    exports.export(competition=competition, path=path, now=EXPORTED)
    private = settings.RECEIPT_KEY_FILE.read_text()
    with zipfile.ZipFile(path) as archive:
        whole = b"\n".join(archive.read(name) for name in archive.namelist()).decode()
        public = json.loads(archive.read("keys/public.json"))
        columns = archive.read("rows/accounts.user.jsonl").decode().splitlines()
    assert digests
    assert [key["valid_until"] for key in public["keys"]] == [None]
    for secret in [*(text for person in people for text in person), *digests, private]:
        assert not re.search(rf'[": ]{re.escape(secret)}[" ]', whole), secret
    assert "@example.org" not in whole
    assert django_settings.SECRET_KEY not in whole
    assert {frozenset(json.loads(line)) for line in columns} == {frozenset({"id", "code"})}
    assert CANARY in whole  # the references are the organizers'; the archive is theirs


@transactional
def test_people_come_as_pseudonyms_that_cannot_log_in(path):
    moved(path)
    codes = set(User.objects.values_list("code", flat=True))
    stage.wipe()
    imports.bring_in(path=path, now=EXPORTED)
    people = User.objects.all()
    assert {person.code for person in people} <= codes
    assert all(not person.has_usable_password() and not person.is_active for person in people)
    assert all(person.email.endswith("@imported.invalid") for person in people)
    assert not any(person.is_staff or person.is_superuser for person in people)


@transactional
def test_a_second_competition_of_the_same_people_finds_them_again(path, tmp_path):
    first = stage.fill()
    second = make_arena()
    entrant = Entrant.objects.create(
        competition=second.competition,
        team=first.entrant.team,
        state="accepted",
        registered_at=LATER,
    )
    join(entrant, first.captain)
    exports.export(competition=first.competition, path=path, now=EXPORTED)
    again = tmp_path / "second.zip"
    exports.export(competition=second.competition, path=again, now=EXPORTED)
    stage.wipe()
    one = imports.bring_in(path=path, now=EXPORTED).competition
    two = imports.bring_in(path=again, now=EXPORTED).competition
    assert (
        one.entrants.get(code=first.entrant.code).team == two.entrants.get(code=entrant.code).team
    )
    assert User.objects.filter(code=first.captain.code).count() == 1


@transactional
def test_a_competition_that_is_here_is_left_alone(path):
    slug = moved(path)
    before = (stage.tables(), stage.told(slug))
    with pytest.raises(NotEmpty):
        imports.bring_in(path=path, now=EXPORTED)
    assert (stage.tables(), stage.told(slug)) == before


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


@transactional
def test_whatever_was_changed_is_found_and_no_row_comes_in(path, tmp_path):
    moved(path, [])
    stage.wipe()
    names = zipfile.ZipFile(path).namelist()
    for number, (what, (prefix, change, rehash, refusal)) in enumerate(CHANGES.items()):
        name = next(one for one in names if one.startswith(prefix))
        other = altered(path, {name: change}, rehash=rehash, name=f"{number}.zip")
        with pytest.raises(refusal):
            imports.bring_in(path=other, now=LATER)
        assert databases.is_empty(), what


@transactional
def test_an_archive_of_another_version_is_refused(path):
    moved(path)
    stage.wipe()
    with pytest.raises(ArchiveUnsuited):
        imports.bring_in(path=altered(path, {}, head={"migrations": []}), now=LATER)


@transactional
def test_bytes_that_the_storage_lost_are_told_and_the_rest_comes_along(path, settings, capsys):
    arena = stage.fill()
    key = Submission.objects.filter(state="rejected").get().storage_key
    (settings.PUBLIC_FILES / key).unlink()
    call_command("export_competition", arena.competition.slug, str(path))
    assert key in capsys.readouterr().err
    before = stage.told(arena.competition.slug)
    stage.wipe()
    call_command("import_competition", str(path))
    assert "hashes, boards and the log's chain hold" in capsys.readouterr().out
    assert stage.told(arena.competition.slug) == before


def test_the_commands_refuse_in_words(db, path):
    with pytest.raises(CommandError, match="There is no competition 'nowhere'"):
        call_command("export_competition", "nowhere", str(path))
    path.write_bytes(b"PK nothing")
    with pytest.raises(CommandError, match="is no archive"):
        call_command("import_competition", str(path))
    arena = make_arena()
    with pytest.raises(CommandError, match="is there already"):
        call_command("export_competition", arena.competition.slug, str(path))


def test_every_app_of_ours_is_kept(db):
    own = {config.label for config in apps.get_app_configs() if not config.name.count(".")}
    assert set(databases.APPS) <= own
