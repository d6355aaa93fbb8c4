"""Uploads in parts over the API: the same calls whether parts go to the server's disk or to a bucket."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx
import pytest
import time_machine
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.enums import TokenScope
from accounts.models import AuditEvent
from competition import bucket as buckets
from grading import storage
from grading.enums import SubmissionState, UploadState
from grading.identity import PART_BYTES, SINGLE_BYTES, Digests
from grading.models import QuotaEntry, Submission, UploadPart, UploadSession
from grading.services import sweep, upload_sessions
from tests.api.conftest import client_of
from tests.api.test_submissions import problem, send
from tests.api.uploading import Sender, big, hashes
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import join, jsonl


@pytest.fixture
def sender(api, address) -> Sender:
    return Sender(api, address.base, big())


def stored_names() -> list[str]:
    """Return what the storage holds of uploads, finished or not."""
    if buckets.is_on():
        whole = [e["Key"] for e in buckets.listed("list_objects_v2", "uploads/", "Contents")]
        begun = [e["Key"] for e in buckets.listed("list_multipart_uploads", "uploads/", "Uploads")]
        return whole + begun
    root = Path(settings.PUBLIC_FILES)
    return [path.name for path in root.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_a_file_in_parts_becomes_a_submission_that_is_scored(
    place, api, address, arena, django_capture_on_commit_callbacks
):
    content = big(b"", head=jsonl(arena.perfect()))
    sender = Sender(api, address.base, content)
    begun = sender.begin()
    assert begun.status_code == 201
    upload = begun.json()
    assert (upload["state"], upload["part_size"], upload["part_count"]) == ("open", PART_BYTES, 4)
    assert upload["missing"] == [1, 2, 3, 4]
    assert sum(part["size"] for part in upload["parts"]) == len(content)
    for part in reversed(upload["parts"]):
        assert sender.put(part).status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        done = sender.complete(upload["code"])
    assert done.status_code == 201
    digests = Digests()
    digests.update(content)
    body = api.get(f"/api/v1/submissions/{done.json()['code']}/").json()
    assert (body["stage"], body["result"]["score"]) == ("scored", 100.0)
    assert body["sha256"] == hashlib.sha256(content).hexdigest()
    assert body["content_id"] == upload["content_id"] == digests.content_id
    submission = Submission.objects.get()
    session = UploadSession.objects.get()
    assert (submission.created_at, session.submission) == (session.created_at, submission)
    assert submission.quota.state == "charged"
    with storage.local_copy(submission.storage_key) as path:
        assert path.read_bytes() == content


def test_what_is_missing_can_be_asked_at_any_time(place, sender):
    upload = sender.begin().json()
    first, _second, third, _fourth = upload["parts"]
    sender.put(third)
    sender.put(first)
    state = sender.get(upload["code"])
    assert state["missing"] == [2, 4]
    assert [part["number"] for part in state["parts"]] == [2, 4]
    body = problem(sender.complete(upload["code"]), 409, "PARTS_MISSING")
    assert body["params"]["missing"] == [2, 4]
    sender.put_all(state)
    assert sender.get(upload["code"])["missing"] == []
    assert sender.complete(upload["code"]).status_code == 201


def test_a_part_may_be_sent_any_number_of_times(place, sender):
    upload = sender.begin().json()
    for _ in range(2):
        sender.put_all(upload)
    assert sender.complete(upload["code"]).status_code == 201


def test_a_part_that_is_not_what_was_named_is_refused_and_nothing_of_it_is_kept(place, sender):
    upload = sender.begin().json()
    part = upload["parts"][0]
    for wrong in (b"x" * part["size"], b"\n" * (part["size"] - 1), b""):
        answer = sender.put(part, wrong)
        assert answer.status_code in {400, 403, 422}
    assert sender.get(upload["code"])["missing"] == [1, 2, 3, 4]
    sender.put_all(upload)
    # A wrong one after the right one changes nothing either.
    assert sender.put(part, b"x" * part["size"]).status_code in {400, 422}
    done = sender.complete(upload["code"])
    with storage.local_copy(Submission.objects.get(code=done.json()["code"]).storage_key) as path:
        assert path.read_bytes() == sender.content


def changed(url: str, *, path: str | None = None) -> str:
    """Return the link with another last letter of its signature, or with another path."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    if path is None:
        name = next(name for name in query if name.lower().endswith("signature"))
        query[name] = query[name][:-1] + ("a" if query[name][-1] != "a" else "b")
    return urlunsplit(parts._replace(path=path or parts.path, query=urlencode(query)))


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize("how", ["flip-last-signature-char", "other-object-key"])
def test_a_link_that_was_tampered_with_is_refused_with_403(place, sender, method, how):
    upload = sender.begin().json()
    link, other = upload["parts"][0]["url"], upload["parts"][1]["url"]
    path = None
    if how == "other-object-key":
        other_path = urlsplit(other).path
        path = other_path if other_path != urlsplit(link).path else other_path + "x"
    tampered = changed(link, path=path)
    if place == "bucket":
        status = httpx.request(method, tampered).status_code
    else:
        parts = urlsplit(tampered)
        answer = APIClient().generic(method, f"{parts.path}?{parts.query}", b"x")
        problem(answer, 403, "PART_LINK_INVALID")
        status = answer.status_code
    assert status == 403
    assert sender.get(upload["code"])["missing"] == [1, 2, 3, 4]


def test_an_old_link_is_refused_and_asking_again_gives_a_new_one(sender):
    upload = sender.begin().json()
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=False):
        assert sender.put(upload["parts"][0]).status_code == 403
        fresh = sender.get(upload["code"])["parts"][0]
        assert sender.put(fresh).status_code == 200


def test_beginning_again_with_the_same_content_goes_on_with_the_same_upload(place, sender):
    first = sender.begin().json()
    sender.put(first["parts"][1])
    again = sender.begin(system="alder-2", note="renamed")
    assert again.status_code == 200
    assert again.json()["code"] == first["code"]
    assert again.json()["missing"] == [1, 3, 4]
    assert UploadSession.objects.count() == 1
    sender.put_all(again.json())
    assert sender.complete(first["code"]).json()["system"] == "alder-2"
    assert len(stored_names()) == 1


def test_another_member_of_the_team_may_go_on(place, sender, arena):
    mate = UserFactory()
    join(arena.entrant, mate)
    upload = sender.begin().json()
    other = Sender(client_of(mate), sender.base, sender.content)
    other.put_all(other.get(upload["code"]))
    assert other.complete(upload["code"]).status_code == 201
    assert Submission.objects.get().uploader == mate


def test_the_same_bytes_are_the_same_content_however_they_are_sent(place, sender, api, address):
    in_parts = sender.send().json()
    at_once = send(api, address, sender.content)
    assert (at_once.status_code, at_once.json()["code"]) == (200, in_parts["code"])
    assert at_once.json()["repeated"] is True
    begun = sender.begin()
    assert (begun.status_code, begun.json()["code"]) == (200, in_parts["code"])
    assert QuotaEntry.objects.count() == 1
    assert UploadSession.objects.count() == 1


def test_content_that_came_at_once_meanwhile_ends_the_upload_with_its_submission(
    place, sender, api, address
):
    upload = sender.begin().json()
    sender.put_all(upload)
    at_once = send(api, address, sender.content).json()
    done = sender.complete(upload["code"])
    assert (done.status_code, done.json()["code"]) == (200, at_once["code"])
    session = UploadSession.objects.get()
    assert (session.state, session.ended_as) == (UploadState.COMPLETED, "repeated")
    assert QuotaEntry.objects.count() == 1


def test_completing_twice_makes_one_submission(place, sender):
    upload = sender.begin().json()
    sender.put_all(upload)
    first, second = sender.complete(upload["code"]), sender.complete(upload["code"])
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["code"] == second.json()["code"]
    assert sender.get(upload["code"])["submission"] == first.json()["code"]
    problem(sender.abort(upload["code"]), 409, "UPLOAD_ENDED")


def test_an_upload_holds_a_slot_until_it_is_aborted(place, sender, api, address, arena):
    upload = sender.begin().json()
    for wrong in (1, 2):
        assert send(api, address, jsonl(arena.flawed(wrong))).status_code == 201
    problem(send(api, address, jsonl(arena.perfect())), 429, "QUOTA_EXCEEDED")
    problem(Sender(api, address.base, big(b"other")).begin(), 429, "QUOTA_EXCEEDED")
    sender.put(upload["parts"][0])
    for _ in range(2):
        assert sender.abort(upload["code"]).json()["state"] == "aborted"
    assert send(api, address, jsonl(arena.perfect())).status_code == 201
    problem(sender.complete(upload["code"]), 409, "UPLOAD_ENDED")
    kinds = AuditEvent.objects.filter(kind__startswith="upload.").values_list("kind", flat=True)
    assert sorted(kinds) == ["upload.aborted", "upload.begun"]


def test_an_abandoned_upload_ends_after_48_hours_and_leaves_nothing(place, sender, arena):
    upload = sender.begin().json()
    sender.put(upload["parts"][0])
    assert stored_names()
    begun = UploadSession.objects.get().created_at
    now = begun + timedelta(hours=48)
    assert upload_sessions.expire(now=now - timedelta(seconds=1), at_once=50) == 0
    assert sweep.sweep(now=now).uploads == 1
    session = UploadSession.objects.get()
    assert (session.state, session.ended_as) == (UploadState.ABORTED, "expired")
    with time_machine.travel(now + timedelta(hours=2), tick=False):
        sweep.tidy(now=now + timedelta(hours=2))
    assert stored_names() == []
    assert QuotaEntry.objects.count() == 0


def test_parts_of_an_open_upload_are_not_tidied_away(place, sender):
    upload = sender.begin().json()
    sender.put_all(upload)
    with time_machine.travel(timezone.now() + timedelta(hours=30), tick=False):
        now = timezone.now()
        sweep.tidy(now=now)
    assert sender.complete(upload["code"]).status_code == 201


def test_put_together_but_not_yet_a_submission_is_no_orphan_and_goes_on(place, sender, monkeypatch):
    upload = sender.begin().json()
    sender.put_all(upload)
    with monkeypatch.context() as patch:
        patch.setattr(upload_sessions.intake, "receive", _killed)
        with pytest.raises(KeyboardInterrupt):
            sender.complete(upload["code"])
    sweep.tidy(now=timezone.now() + timedelta(hours=30))
    assert sender.get(upload["code"])["missing"] == []
    assert sender.complete(upload["code"]).status_code == 201
    assert Submission.objects.count() == QuotaEntry.objects.count() == 1


def _killed(**_):
    raise KeyboardInterrupt


def test_parts_that_the_disk_lost_are_asked_for_again(sender):
    upload = sender.begin().json()
    sender.put_all(upload)
    next((Path(settings.PUBLIC_FILES) / "parts").iterdir()).unlink()
    body = problem(sender.complete(upload["code"]), 409, "PARTS_MISSING")
    assert body["params"]["missing"] == [1, 2, 3, 4]
    sender.put_all(sender.get(upload["code"]))
    assert sender.complete(upload["code"]).status_code == 201


def test_the_beginning_decides_the_deadline_and_the_end_the_grace(place, sender, arena):
    upload = sender.begin().json()
    sender.put_all(upload)
    arena.phase.closes_at = timezone.now() + timedelta(seconds=5)
    arena.phase.save()
    end = arena.phase.closes_at + timedelta(minutes=arena.phase.grace_minutes)
    with time_machine.travel(arena.phase.closes_at, tick=False):
        problem(Sender(sender.client, sender.base, big(b"late")).begin(), 403, "WINDOW_CLOSED")
    with time_machine.travel(end, tick=False):
        problem(sender.complete(upload["code"]), 403, "WINDOW_CLOSED")
    with time_machine.travel(end - timedelta(microseconds=1), tick=False):
        assert sender.complete(upload["code"]).status_code == 201
    submission = Submission.objects.get()
    assert submission.created_at < arena.phase.closes_at <= submission.received_at


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"size": SINGLE_BYTES, "parts": ["0" * 64] * 4}, 422, "FILE_TOO_SMALL_FOR_PARTS"),
        ({"size": 10**9}, 413, "FILE_TOO_LARGE"),
        ({"parts": ["0" * 64] * 3}, 422, "PART_HASHES_INVALID"),
        ({"parts": ["0" * 64] * 5}, 422, "PART_HASHES_INVALID"),
        ({"parts": ["g" * 64] * 4}, 422, "PART_HASHES_INVALID"),
        ({"parts": ["0" * 63] * 4}, 422, "PART_HASHES_INVALID"),
        ({"parts": "0" * 64}, 400, "INVALID"),
        ({"parts": [["0"]]}, 400, "INVALID"),
        ({"size": 10**20}, 400, "INVALID"),
        ({"size": -1}, 400, "INVALID"),
        ({"size": "many"}, 400, "INVALID"),
        ({"system": "bell\u202e"}, 422, "INVALID_TEXT"),
        ({"sistem": "typing error"}, 400, "INVALID"),
    ],
)
def test_what_cannot_be_an_upload_is_refused_and_keeps_nothing(sender, changes, status, code):
    problem(sender.begin(**changes), status, code)
    assert UploadSession.objects.count() == UploadPart.objects.count() == 0


def test_no_more_than_twenty_uploads_are_open_at_once(sender, arena, monkeypatch):
    arena.phase.quota_per_day = arena.phase.quota_total = None
    arena.phase.save()
    monkeypatch.setattr(upload_sessions, "OPEN_AT_ONCE", 2)
    for number in range(2):
        assert Sender(sender.client, sender.base, big(b"%d" % number)).begin().status_code == 201
    problem(sender.begin(), 429, "TOO_MANY_UPLOADS")


def test_an_unknown_part_or_upload_is_not_found(sender, arena):
    upload = sender.begin().json()
    problem(sender.client.get("/api/v1/uploads/zzzzzzzzzz/"), 404, "NOT_FOUND")
    from grading.services.part_links import _claim, _signer

    signature = _signer().sign(_claim(upload["code"], 9))
    path = f"/api/v1/uploads/{upload['code']}/parts/9/?signature={signature}"
    problem(APIClient().put(path, b"x", content_type="text/plain"), 404, "UPLOAD_NOT_FOUND")


def test_who_may_do_what(sender, arena, address):
    upload = sender.begin().json()
    code = upload["code"]
    anonymous = Sender(APIClient(), sender.base, sender.content)
    outsider = Sender(client_of(UserFactory()), sender.base, sender.content)
    _, captain = arena.enter()
    other = Sender(client_of(captain), sender.base, sender.content)
    organizer_user = UserFactory()
    RoleGrantFactory(competition=arena.competition, user=organizer_user)
    organizer = Sender(client_of(organizer_user), sender.base, sender.content)
    reader = Sender(client_of(arena.captain, [TokenScope.READ]), sender.base, sender.content)
    detail = f"/api/v1/uploads/{code}/"
    for who, seen, acted, begun in (
        (anonymous, 401, 401, 401),
        (outsider, 404, 404, 403),
        (other, 404, 404, 201),
        (organizer, 200, 403, 403),
        (reader, 200, 403, 403),
    ):
        assert who.client.get(detail).status_code == seen
        assert who.complete(code).status_code == acted
        assert who.abort(code).status_code == acted
        assert who.begin().status_code == begun
    assert other.client.get(sender.base + "uploads/").json()["results"][0]["code"] != code
    assert outsider.client.get(sender.base + "uploads/").json()["results"] == []
    assert UploadSession.objects.get(code=code).state == UploadState.OPEN


def test_open_uploads_are_listed_with_as_many_queries_for_three_as_for_one(
    sender, arena, django_assert_max_num_queries
):
    for number in range(3):
        Sender(sender.client, sender.base, big(b"%d" % number)).begin()
    with django_assert_max_num_queries(8):
        listed = sender.client.get(sender.base + "uploads/").json()["results"]
    assert len(listed) == 3
    assert listed[0]["state"] == "open"


def test_a_bucket_that_fails_is_our_503_that_shows_nothing_of_it(
    bucket, sender, api, address, arena
):
    upload = sender.begin().json()
    sender.put_all(upload)
    bucket.fault(status=500, code="InternalError")
    for answer in (
        sender.complete(upload["code"]),
        api.get(f"/api/v1/uploads/{upload['code']}/"),
        Sender(api, address.base, big(b"other")).begin(),
        send(api, address, jsonl(arena.perfect())),
    ):
        body = problem(answer, 503, "STORAGE_UNAVAILABLE")
        assert "raw page" not in answer.content.decode()
        assert "try again" in body["detail"]
    bucket.fault()
    assert sender.complete(upload["code"]).status_code == 201
    assert Submission.objects.count() == 1


def test_a_bucket_whose_clock_differs_costs_nothing_and_alarms_the_operator(
    bucket, api, address, arena, caplog, django_capture_on_commit_callbacks
):
    bucket.fault(status=403, code="RequestTimeTooSkewed")
    body = problem(send(api, address, jsonl(arena.perfect())), 503, "STORAGE_UNAVAILABLE")
    assert "try again" in body["detail"]
    assert [r.code for r in caplog.records if r.message == "bucket.refused"] == [
        "RequestTimeTooSkewed"
    ]
    assert QuotaEntry.objects.count() == 0
    bucket.fault()
    response = send(api, address, jsonl(arena.perfect()))
    bucket.fault(status=403, code="RequestTimeTooSkewed")
    from grading.services import validation

    submission = Submission.objects.get(code=response.json()["code"])
    for _ in range(5):
        validation.validate(submission_id=submission.pk, clock=timezone.now)
        submission.refresh_from_db()
        assert (submission.state, submission.attempt) == (SubmissionState.RECEIVED, 0)
    bucket.fault()
    validation.validate(submission_id=submission.pk, clock=timezone.now)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.ACCEPTED


def test_what_a_bucket_lost_fails_with_a_reason_and_costs_nothing(bucket, sender):
    from grading.services import validation

    done = sender.send()
    submission = Submission.objects.get(code=done.json()["code"])
    buckets.remove(submission.storage_key)
    for _ in range(3):
        validation.validate(submission_id=submission.pk, clock=timezone.now)
    submission.refresh_from_db()
    assert (submission.state, submission.failure_code) == ("failed", "STORAGE_ERROR")
    assert submission.quota.state == "released"


def test_what_was_changed_in_a_bucket_is_not_read(bucket, sender):
    from grading.services import validation

    submission = Submission.objects.get(code=sender.send().json()["code"])
    changed_content = b"x" * len(sender.content)
    buckets.client().put_object(Body=changed_content, **buckets.name(submission.storage_key))
    for _ in range(3):
        validation.validate(submission_id=submission.pk, clock=timezone.now)
    submission.refresh_from_db()
    assert submission.failure_code == "STORAGE_ERROR"
    assert submission.sha256 == ""


def test_the_identity_is_the_hash_of_hashes():
    content = big()
    digests = Digests()
    for start in range(0, len(content), 999_983):
        digests.update(content[start : start + 999_983])
    assert digests.part_hashes == hashes(content)
    joined = b"".join(bytes.fromhex(digest) for digest in hashes(content))
    assert digests.content_id == hashlib.sha256(joined).hexdigest()
    small = Digests()
    small.update(content[:SINGLE_BYTES])
    assert small.content_id == small.sha256 == hashlib.sha256(content[:SINGLE_BYTES]).hexdigest()
