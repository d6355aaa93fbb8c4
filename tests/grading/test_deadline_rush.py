"""A hundred uploads in the last second: real threads on a real PostgreSQL, whole and in parts."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection

from accounts.models import AuditEvent, User
from accounts.refusals import Refusal
from accounts.services import audit
from grading.identity import SINGLE_BYTES
from grading.models import QuotaEntry, Submission, UploadSession
from grading.services import doorbell, intake, upload_sessions
from grading.storage import StoredUpload, local, path_of
from tests.factories.grading import NOW, Arena, make_arena

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

UPLOADS = 100
THREADS = 50
"""At the same moment; PostgreSQL as it comes takes a hundred connections, others' included."""
TEAMS = 10
PER_DAY = 3
SIZE = SINGLE_BYTES + 1


@pytest.fixture
def arena(monkeypatch, settings) -> Arena:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_arena(closes_at=NOW, quota_per_day=PER_DAY, quota_total=None)


def rush(act: Callable[[int], str]) -> list[str]:
    """Do `act` a hundred times, fifty at a time from the same instant; a refusal is its code."""
    barrier = threading.Barrier(THREADS)

    def one(number: int) -> str:
        try:
            if number < THREADS:
                barrier.wait(timeout=60)
            return act(number)
        except Refusal as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(UPLOADS)))


def begun_at(number: int) -> datetime:
    """Every fifth begins at the very end, which is too late; the others one microsecond before."""
    return NOW if number % 5 == 4 else NOW - timedelta(microseconds=1)


def teams_of(arena: Arena) -> list[User]:
    return [arena.captain, *(arena.enter()[1] for _ in range(TEAMS - 1))]


def part_hashes(number: int) -> list[str]:
    return [hashlib.sha256(b"%d %d" % (number, part)).hexdigest() for part in range(4)]


def send_whole(arena: Arena, captain: User, number: int) -> str:
    digest = hashlib.sha256(b"%d" % number).hexdigest()
    submission = intake.receive(
        actor=captain,
        phase=arena.phase,
        system="rush",
        note="",
        filename="run.jsonl",
        stored=StoredUpload(f"uploads/00/00/{digest}", 100, digest),
        created_at=begun_at(number),
        now=NOW + timedelta(seconds=5),
    )
    return submission.code


def send_in_parts(arena: Arena, captain: User, number: int) -> str:
    named = upload_sessions.Named("run.jsonl", "rush", "", SIZE, part_hashes(number))
    at = begun_at(number)
    session = upload_sessions.begin(
        actor=captain, phase=arena.phase, named=named, created_at=at, now=at
    ).session
    assert session is not None
    _arrive(session)
    late = NOW + timedelta(minutes=arena.phase.grace_minutes, microseconds=-1)
    return upload_sessions.complete(actor=captain, session=session, now=late).code


def _arrive(session: UploadSession) -> None:
    """Put the bytes of the parts where they are awaited: sixteen mebibytes of nothing, unwritten."""
    path = local.root() / local.PARTS / session.code
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(SIZE)
    session.parts.update(stored_at=NOW)


@pytest.mark.parametrize(
    "send", [send_whole, send_in_parts, None], ids=["whole", "in parts", "both"]
)
def test_a_hundred_uploads_in_the_last_second_none_lost_none_over_quota(arena, send):
    captains = teams_of(arena)

    def act(number: int) -> str:
        way = send or (send_in_parts if number % 2 else send_whole)
        return way(arena, captains[number // (UPLOADS // TEAMS)], number)

    found = rush(act)
    late = [found[number] for number in range(UPLOADS) if begun_at(number) == NOW]
    assert set(late) == {"WINDOW_CLOSED"}
    counts = Counter(code for code in found if code.isupper())
    codes = {code for code in found if not code.isupper()}
    # Ten teams with ten uploads each: two too late, and of eight in time three fit the quota.
    assert counts == {"WINDOW_CLOSED": 20, "QUOTA_EXCEEDED": 50}
    assert codes == set(Submission.objects.values_list("code", flat=True))
    assert len(codes) == TEAMS * PER_DAY
    for captain in captains:
        entrant = _entrant(captain)
        slots = QuotaEntry.objects.filter(entrant=entrant)
        numbers = Submission.objects.filter(entrant=entrant).values_list("number", flat=True)
        assert (slots.count(), sorted(numbers)) == (PER_DAY, [1, 2, 3])
    assert not UploadSession.objects.filter(state="open").exists()
    for submission in Submission.objects.filter(size=SIZE):
        assert path_of(submission.storage_key).stat().st_size == SIZE
    assert AuditEvent.objects.filter(kind="submission.received").count() == TEAMS * PER_DAY
    assert audit.verify().ok


def _entrant(captain: User):
    return Submission.objects.filter(uploader=captain).first().entrant


def test_one_upload_completed_by_many_at_once_is_one_submission(arena):
    named = upload_sessions.Named("run.jsonl", "rush", "", SIZE, part_hashes(0))
    at = NOW - timedelta(seconds=1)

    def begin(_: int) -> str:
        begun = upload_sessions.begin(
            actor=arena.captain, phase=arena.phase, named=named, created_at=at, now=at
        )
        return begun.session.code

    assert len(set(rush(begin))) == UploadSession.objects.count() == 1
    _arrive(UploadSession.objects.get())

    def complete(_: int) -> str:
        session = UploadSession.objects.get()
        return upload_sessions.complete(actor=arena.captain, session=session, now=NOW).code

    codes = set(rush(complete))
    assert Submission.objects.count() == QuotaEntry.objects.count() == 1
    assert codes == {Submission.objects.get().code}
