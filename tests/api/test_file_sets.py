"""A submission that comes file by file: any order, any number of times, one submission at the end."""

from __future__ import annotations

import hashlib
import io
import tarfile
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import AuditEvent
from grading import storage
from grading.models import FileSet, SentFile, Submission
from grading.services import file_sets, quota, sweep, validation
from tests.api.conftest import client_of
from tests.api.test_submissions import problem
from tests.factories.grading import make_arena
from tests.factories.speech import IDS, hand_in, make_speech_arena
from tests.scoring.audio.waves import fmt, riff, tone, wav
from tests.scoring.formats.sounds import GOOD, members

BIG = wav(tone(5_000))


@pytest.fixture
def arena(db, settings, tmp_path):
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return make_speech_arena(now=timezone.now(), quota_per_day=3, quota_total=10)


class Sender:
    """Sends files as a client does."""

    def __init__(self, arena) -> None:
        slug = arena.competition.slug
        self.api = client_of(arena.captain)
        self.phase = f"/api/v1/competitions/{slug}/tracks/generation/phases/final/"
        self.at = ""

    def begin(self, system: str = "by-file", **more):
        body = {"system": system, **more}
        answer = self.api.post(self.phase + "file-sets/", body, format="json")
        if answer.status_code in {200, 201}:
            self.at = f"/api/v1/file-sets/{answer.json()['code']}/"
        return answer

    def put(self, name: str, data: bytes, content_type: str = "audio/wav"):
        return self.api.put(f"{self.at}files/{name}/", data=data, content_type=content_type)

    def get(self):
        return self.api.get(self.at).json()

    def complete(self):
        return self.api.post(f"{self.at}complete/")

    def send_all(self, files=None):
        self.begin()
        for name, data in (files or members()).items():
            assert self.put(name, data).status_code == 200
        return self.complete()


@pytest.fixture
def sender(arena) -> Sender:
    return Sender(arena)


@pytest.mark.slow
def test_files_in_any_order_become_one_submission_that_is_accepted(place, arena, sender):
    begun = sender.begin(note="first try")
    assert begun.status_code == 201
    assert begun.json()["missing"] == IDS
    for utt_id in ("utt_0003", "utt_0001"):
        assert sender.put(f"{utt_id}.wav", GOOD).status_code == 200
    assert problem(sender.complete(), 409, "FILES_MISSING")["params"]["missing"] == ["utt_0002"]
    assert (sender.get()["file_count"], sender.get()["missing"]) == (2, ["utt_0002"])
    kept = sender.put("utt_0002.wav", BIG).json()
    assert kept["sha256"] == hashlib.sha256(BIG).hexdigest()
    done = sender.complete()
    assert done.status_code == 201
    assert (done.json()["system"], done.json()["note"]) == ("by-file", "first try")
    again = sender.complete()
    assert (again.status_code, again.json()["code"]) == (200, done.json()["code"])
    assert sender.get()["state"] == "completed"
    submission = Submission.objects.get(code=done.json()["code"])
    assert submission.created_at == FileSet.objects.get().created_at
    validation.validate(submission_id=submission.pk, clock=timezone.now)
    submission.refresh_from_db()
    assert (submission.state, submission.reading) == ("accepted", "tar")
    assert submission.clips.count() == 3


def test_the_archive_follows_from_the_files_alone(arena, sender):
    code = sender.send_all().json()["code"]
    submission = Submission.objects.get(code=code)
    with storage.local_copy(submission.storage_key) as path:
        content = path.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        found = [(m.name, m.mtime, m.uid, archive.extractfile(m).read()) for m in archive]
    assert found == [(name, 0, 0, data) for name, data in sorted(members().items())]
    assert submission.content_id == hashlib.sha256(content).hexdigest()
    sender.begin("another name")
    for name, data in reversed(members().items()):
        sender.put(name, data)
    repeated = sender.complete()
    assert (repeated.status_code, repeated.json()["code"]) == (200, code), "the same content"
    same = hand_in(arena, content, created_at=timezone.now(), now=timezone.now())
    assert same.code == code, "and the same as an archive that was sent whole"


def test_a_refused_file_gets_the_checkers_problems_and_an_earlier_one_stays(sender):
    sender.begin()
    sender.put("utt_0001.wav", GOOD)
    wrong = riff(fmt(rate=44_100, byte_rate=88_200), b"data\x04\0\0\0\0\0\0\0")
    told = problem(sender.put("utt_0001.wav", wrong), 422, "FILE_REFUSED")["params"]["problems"]
    assert [one["code"] for one in told] == ["WAV_FORMAT"]
    assert "44100 Hz" in told[0]["message"]
    assert SentFile.objects.get().sha256 == hashlib.sha256(GOOD).hexdigest()


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("utt_0001.wav", b"", "EMPTY_FILE"),
        ("utt_0001.wav", b"ID3\x04" + bytes(600), "WAV_FORMAT"),
        ("utt_0001.wav", wav(tone(100)), "WAV_DURATION"),
        ("utt_0001.wav", GOOD[:2_000], "WAV_TRUNCATED"),
        ("utt_0009.wav", GOOD, "UNKNOWN_SAMPLES"),
        ("utt_0001.mp3", GOOD, "WAV_FORMAT"),
        ("utt_0001.txt", GOOD, "BAD_ARCHIVE"),
        ("._utt_0001.wav", GOOD, "BAD_ARCHIVE"),
        ("..%5Cutt_0001.wav", GOOD, "BAD_ARCHIVE"),
        ("%0Autt_0001.wav", GOOD, "INVALID_UTT_ID"),
        ("x" * 201 + ".wav", GOOD, "INVALID_UTT_ID"),
    ],
)
def test_what_is_not_wanted_is_refused_with_a_code_and_nothing_is_kept(sender, name, data, code):
    sender.begin()
    answer = sender.put(name, data)
    assert answer.status_code == 422
    body = answer.json()
    codes = {body["code"], *(one["code"] for one in body["params"].get("problems", ()))}
    assert code in codes, codes
    assert not SentFile.objects.exists()


def test_a_file_may_be_sent_again_and_the_last_one_stays(sender):
    sender.begin()
    first = sender.put("utt_0001.wav", GOOD).json()
    assert sender.put("utt_0001.wav", GOOD).json()["sha256"] == first["sha256"]
    assert sender.put("utt_0001.wav", BIG).json()["size"] == len(BIG)
    assert SentFile.objects.get().size == len(BIG)
    silent = sender.put("utt_0001.wav", wav(bytes(8_000))).json()
    assert [one["code"] for one in silent["problems"]] == ["WAV_SILENT"]


def archived(code: str) -> dict[str, bytes]:
    """Return the files of a submission's archive."""
    with storage.local_copy(Submission.objects.get(code=code).storage_key) as path:
        content = path.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def while_read(monkeypatch, arrive) -> None:
    """Have files arrive each time that a set was read for its archive."""
    read = file_sets._archive

    def slowly(file_set):
        yield from read(file_set)
        arrive()

    monkeypatch.setattr(file_sets, "_archive", slowly)


def test_a_file_that_is_answered_as_kept_while_the_set_is_completed_is_in_it(monkeypatch, sender):
    sender.begin()
    for name, data in members().items():
        sender.put(name, data)
    late = [("utt_0002.wav", BIG)]

    def arrive():
        while late:
            assert sender.put(*late.pop()).status_code == 200

    while_read(monkeypatch, arrive)
    done = sender.complete()
    assert done.status_code == 201
    assert archived(done.json()["code"])["utt_0002.wav"] == BIG


def test_a_set_that_never_stands_still_is_not_submitted(monkeypatch, sender):
    sender.begin()
    for name, data in members().items():
        sender.put(name, data)
    sizes = iter(range(5_001, 6_000))
    while_read(monkeypatch, lambda: sender.put("utt_0001.wav", wav(tone(next(sizes)))))
    assert problem(sender.complete(), 503, "STORAGE_UNAVAILABLE")
    assert (sender.get()["state"], Submission.objects.count()) == ("open", 0)
    monkeypatch.undo()


def test_an_open_set_of_the_same_system_is_found_again(arena, sender):
    first = sender.begin("alpha")
    sender.put("utt_0001.wav", GOOD)
    again = sender.begin("alpha", note="new note")
    assert (again.status_code, again.json()["code"]) == (200, first.json()["code"])
    assert (again.json()["file_count"], again.json()["note"]) == (1, "new note")
    other = sender.begin("beta")
    assert (other.status_code, other.json()["file_count"]) == (201, 0)
    listed = sender.api.get(sender.phase + "file-sets/").json()["results"]
    assert [one["system"] for one in listed] == ["beta", "alpha"]
    with pytest.raises(IntegrityError), transaction.atomic():
        FileSet.objects.filter(system="beta").update(system="alpha")


def test_a_set_holds_one_slot_until_it_ends(arena, sender):
    def left():
        return quota.ledger(entrant=arena.entrant, phase=arena.phase, now=timezone.now()).left

    for system in ("a", "b", "c"):
        assert sender.begin(system).status_code == 201
    assert left() == 0
    assert problem(sender.begin("d"), 429, "QUOTA_EXCEEDED")
    assert sender.api.post(f"{sender.at}abort/").json()["ended_as"] == "aborted"
    assert sender.api.post(f"{sender.at}abort/").status_code == 200
    assert left() == 1
    assert problem(sender.put("utt_0001.wav", GOOD), 409, "UPLOAD_ENDED")
    assert problem(sender.complete(), 409, "UPLOAD_ENDED")
    done = sender.send_all()
    assert done.status_code == 201
    assert left() == 0, "the set's slot became the submission's"
    kinds = AuditEvent.objects.values_list("kind", flat=True)
    assert {"file-set.begun", "file-set.aborted", "submission.received"} <= set(kinds)


def test_an_old_set_expires_and_its_files_are_swept(arena, sender):
    sender.begin()
    sender.put("utt_0001.wav", GOOD)
    now = timezone.now()
    key = SentFile.objects.get().storage_key
    sweep.tidy(now=now + timedelta(hours=47))
    assert storage.is_stored(key)
    later = now + timedelta(hours=49)
    assert file_sets.expire(now=later, at_once=10) == 1
    assert FileSet.objects.get().ended_as == "expired"
    assert file_sets.expire(now=later, at_once=10) == 0
    sweep.tidy(now=later)
    assert not storage.is_stored(key)


def test_bytes_that_were_lost_are_told_as_missing(sender):
    sender.begin()
    for name, data in members(utt_0002=BIG).items():
        sender.put(name, data)
    lost = SentFile.objects.get(utt_id="utt_0002")
    storage.remove_before(lost.storage_key, timezone.now() + timedelta(days=1))
    assert problem(sender.complete(), 409, "FILES_MISSING")["params"]["missing"] == ["utt_0002"]
    assert sender.get()["missing"] == ["utt_0002"]
    sender.put("utt_0002.wav", BIG)
    assert sender.complete().status_code == 201


def test_the_whole_set_may_not_be_larger_than_the_phase_allows(arena, sender):
    arena.phase.limits = {"file_bytes": 2 * len(GOOD) + 6_000, "member_bytes": len(GOOD)}
    arena.phase.save()
    sender.begin()
    assert problem(sender.put("utt_0001.wav", BIG), 413, "FILE_TOO_LARGE")
    assert sender.put("utt_0001.wav", GOOD).status_code == 200
    assert sender.put("utt_0002.wav", GOOD).status_code == 200
    assert problem(sender.put("utt_0003.wav", GOOD), 413, "FILE_TOO_LARGE")
    assert sender.put("utt_0002.wav", GOOD).status_code == 200, "in the place of itself it fits"


def test_a_set_needs_a_system_and_a_track_that_takes_clips(settings, tmp_path, arena, sender):
    assert sender.begin("").status_code == 400
    assert problem(sender.begin("a\u202eb"), 422, "INVALID_TEXT")
    texts = make_arena(now=timezone.now())
    api = client_of(texts.captain)
    base = f"/api/v1/competitions/{texts.competition.slug}/tracks/understanding/phases/final/"
    answer = api.post(base + "file-sets/", {"system": "x"}, format="json")
    assert problem(answer, 409, "FILES_NOT_TAKEN")


def test_nobody_else_sees_or_fills_a_set(arena, sender):
    sender.begin()
    _entrant, stranger = arena.enter("Rivals")
    other = client_of(stranger)
    assert other.get(sender.at).status_code == 404
    sent = other.put(f"{sender.at}files/utt_0001.wav/", data=GOOD, content_type="audio/wav")
    assert sent.status_code == 404
    assert other.post(f"{sender.at}complete/").status_code == 404


@pytest.mark.slow
def test_clips_are_told_with_their_screen_in_pages(arena, sender):
    code = sender.send_all(members(utt_0002=wav(bytes(96_000)))).json()["code"]
    clips = f"/api/v1/submissions/{code}/clips/"
    assert sender.api.get(clips).json()["results"] == []
    validation.validate(submission_id=Submission.objects.get(code=code).pk, clock=timezone.now)
    rows = sender.api.get(clips).json()["results"]
    assert [row["utt_id"] for row in rows] == IDS
    assert rows[0]["screen"]["state"] == "done"
    assert rows[0]["sha256"] == hashlib.sha256(GOOD).hexdigest()
    found = [one["code"] for one in rows[1]["screen"]["problems"]]
    assert found == ["SCREEN_SILENCE", "SCREEN_ZEROS"]
    assert rows[1]["screen"]["loudness"] is None
