"""From stored bytes to a submission: every way out, and that a refusal changes nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from competition.enums import CompetitionState, EntrantState
from competition.models import Entrant, EntrantMember, Terms
from competition.timeline import aoe_day
from grading.enums import QuotaState, SubmissionState
from grading.models import IdempotencyKey, QuotaEntry, Submission
from grading.services import doorbell, errors, idempotency, intake, quota
from grading.storage import StoredUpload
from tests.factories.accounts import UnverifiedUserFactory, UserFactory
from tests.factories.grading import NOW, Arena, SubmissionFactory, join, quota_entry

pytestmark = pytest.mark.django_db


def upload(number: int = 0) -> StoredUpload:
    digest = f"{number:064x}"
    return StoredUpload(key=f"uploads/00/00/{digest}", size=100, content_id=digest)


def receive(arena: Arena, number: int = 0, **changes) -> Submission:
    given = {
        "actor": arena.captain,
        "phase": arena.phase,
        "system": "wav2nvv",
        "note": "",
        "filename": "run.jsonl",
        "stored": upload(number),
        "created_at": NOW,
        "now": NOW + timedelta(seconds=2),
    }
    return intake.receive(**given | changes)


def state_of_everything() -> tuple[int, ...]:
    models = (Submission, QuotaEntry, AuditEvent, IdempotencyKey)
    return tuple(model.objects.count() for model in models)


def assert_refused(refusal: type[Exception], arena: Arena, **changes) -> Exception:
    before = state_of_everything()
    with pytest.raises(refusal) as raised:
        receive(arena, **changes)
    assert state_of_everything() == before
    return raised.value


def test_an_upload_becomes_a_submission_with_a_reserved_slot_and_an_event(
    arena, monkeypatch, django_capture_on_commit_callbacks
):
    rung = []
    monkeypatch.setattr(doorbell, "_send", lambda name, row: rung.append((name, row)))
    with django_capture_on_commit_callbacks(execute=True):
        submission = receive(arena, note="first try", address="192.0.2.1")
    assert submission.state == SubmissionState.RECEIVED
    assert (submission.number, submission.entrant, submission.repeated) == (1, arena.entrant, False)
    assert (submission.created_at, submission.received_at) == (NOW, NOW + timedelta(seconds=2))
    assert (submission.quota.state, submission.quota.aoe_day) == (QuotaState.RESERVED, aoe_day(NOW))
    event = AuditEvent.objects.get(kind="submission.received")
    assert event.target == f"submission:{submission.code}"
    assert event.chain.scope == arena.competition.audit_scope
    assert rung == [(doorbell.VALIDATE, submission.pk)]


def test_the_same_content_returns_the_standing_submission_and_costs_nothing(arena):
    first = receive(arena)
    before = state_of_everything()
    again = receive(arena)
    assert (again.pk, again.repeated) == (first.pk, True)
    assert state_of_everything() == before


def test_the_same_content_returns_the_standing_one_even_when_the_quota_is_used(arena):
    submissions = [receive(arena, number) for number in range(3)]
    assert receive(arena, 1).pk == submissions[1].pk


def test_the_same_content_counts_anew_after_a_rejection(arena):
    first = receive(arena)
    Submission.objects.filter(pk=first.pk).update(state=SubmissionState.REJECTED, validated_at=NOW)
    again = receive(arena)
    assert (again.pk != first.pk, again.number, again.repeated) == (True, 2, False)


def test_somebody_outside_every_team_is_refused(arena):
    assert_refused(errors.NotAMember, arena, actor=UserFactory())


def test_somebody_who_left_the_team_is_refused(arena):
    EntrantMember.objects.filter(user=arena.captain).update(left_at=NOW)
    assert_refused(errors.NotAMember, arena)


@pytest.mark.parametrize(
    "state", [EntrantState.PENDING, EntrantState.REFUSED, EntrantState.WITHDRAWN]
)
def test_a_team_that_is_not_accepted_is_refused(arena, state):
    Entrant.objects.filter(pk=arena.entrant.pk).update(state=state)
    refusal = assert_refused(errors.EntrantNotAccepted, arena)
    assert refusal.params == {"state": state}


def test_an_unverified_address_is_refused(arena):
    user = UnverifiedUserFactory()
    join(arena.entrant, user)
    assert_refused(errors.NotVerified, arena, actor=user)


def test_terms_of_an_older_version_do_not_do(arena):
    Terms.objects.create(
        competition=arena.competition, version="2", texts={}, sha256="1" * 64, created_at=NOW
    )
    arena.competition.terms_version = "2"
    arena.competition.save()
    assert_refused(errors.TermsNotAccepted, arena)


@pytest.mark.parametrize("state", [CompetitionState.DRAFT, CompetitionState.ARCHIVED])
def test_a_competition_that_is_not_published_takes_nothing(arena, state):
    arena.competition.state = state
    arena.competition.save()
    arena.phase.refresh_from_db()
    assert_refused(errors.PhaseNotOpen, arena)


def test_an_upload_begun_before_the_opening_is_refused(arena):
    early = arena.phase.opens_at - timedelta(microseconds=1)
    assert_refused(errors.PhaseNotOpen, arena, created_at=early, now=early)
    at = arena.phase.opens_at
    assert receive(arena, created_at=at, now=at).pk


def test_an_upload_begun_at_the_very_end_is_refused_and_one_just_before_is_taken(arena):
    end = arena.phase.closes_at
    assert_refused(errors.PhaseNotOpen, arena, created_at=end, now=end)
    assert receive(arena, created_at=end - timedelta(microseconds=1), now=end).pk


def test_an_upload_that_ends_after_the_grace_is_refused(arena):
    begun = arena.phase.closes_at - timedelta(seconds=1)
    late = arena.phase.closes_at + timedelta(minutes=arena.phase.grace_minutes)
    assert_refused(errors.PhaseNotOpen, arena, created_at=begun, now=late)
    assert receive(arena, created_at=begun, now=late - timedelta(seconds=1)).pk


def test_the_quota_of_a_day_is_held_and_says_when_it_resets(arena):
    for number in range(3):
        receive(arena, number)
    refusal = assert_refused(errors.QuotaExceeded, arena, stored=upload(9))
    assert refusal.params["resets_at"] == "2026-12-02T12:00:00+00:00"
    assert (refusal.params["limit"], refusal.params["used"]) == (3, 3)
    tomorrow = NOW + timedelta(days=1)
    assert receive(arena, 9, created_at=tomorrow, now=tomorrow).pk


def test_a_day_ends_at_noon_utc(arena):
    before = NOW.replace(hour=11, minute=59)
    for number in range(3):
        receive(arena, number, created_at=before, now=before)
    assert_refused(errors.QuotaExceeded, arena, stored=upload(9), created_at=before, now=NOW)
    noon = NOW.replace(hour=12, minute=0)
    assert receive(arena, 9, created_at=noon, now=noon).pk


def test_the_quota_of_the_phase_is_held(arena):
    for number in range(10):
        day = NOW + timedelta(days=number // 3)
        receive(arena, number, created_at=day, now=day)
    later = NOW + timedelta(days=5)
    refusal = assert_refused(
        errors.QuotaExceeded, arena, stored=upload(99), created_at=later, now=later
    )
    assert refusal.params["resets_at"] is None


def test_a_released_slot_can_be_used_again(arena):
    for number in range(3):
        submission = receive(arena, number)
    quota.release(submission_id=submission.pk, reason="rejected", now=NOW)
    assert receive(arena, 9).pk


def test_no_quota_means_no_limit(arena):
    arena.phase.quota_per_day = arena.phase.quota_total = None
    arena.phase.save()
    for number in range(12):
        receive(arena, number)
    account = quota.ledger(entrant=arena.entrant, phase=arena.phase, now=NOW)
    assert (account.left, account.used_total, account.per_day) == (None, 12, None)


def test_a_person_brings_along_what_another_team_used_while_they_were_in_it(arena):
    other, mover = arena.enter()
    for number in range(3):
        receive(arena, number, actor=mover)
    EntrantMember.objects.filter(user=mover).update(left_at=NOW + timedelta(minutes=1))
    join(arena.entrant, mover, joined_at=NOW + timedelta(minutes=2))
    later = NOW + timedelta(minutes=3)
    account = quota.ledger(entrant=arena.entrant, phase=arena.phase, now=later)
    assert (account.used_today, account.left_today) == (3, 0)
    assert_refused(errors.QuotaExceeded, arena, stored=upload(9), created_at=later, now=later)
    assert other.quota_entries.count() == 3


def test_a_person_who_left_before_a_slot_was_taken_does_not_bring_it(arena):
    other, mover = arena.enter()
    EntrantMember.objects.filter(user=mover).update(left_at=NOW - timedelta(days=1))
    join(arena.entrant, mover, joined_at=NOW)
    quota_entry(SubmissionFactory(entrant=other, phase=arena.phase, uploader=mover))
    assert quota.used_slots(entrant=arena.entrant, phase=arena.phase, day=aoe_day(NOW)).total == 0


def test_twenty_rejected_files_a_day_are_enough(arena):
    for _ in range(20):
        SubmissionFactory(
            entrant=arena.entrant,
            phase=arena.phase,
            uploader=arena.captain,
            state=SubmissionState.REJECTED,
            validated_at=NOW,
        )
    assert_refused(errors.TooManyRejected, arena, stored=upload(10**9))
    tomorrow = NOW + timedelta(days=1)
    assert receive(arena, 10**9, created_at=tomorrow, now=tomorrow).pk


def test_ten_gibibytes_of_kept_rejected_files_are_enough(arena):
    SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        state=SubmissionState.REJECTED,
        validated_at=NOW,
        created_at=NOW - timedelta(days=5),
        received_at=NOW,
        size=intake.REJECTED_BYTES + 1,
    )
    assert_refused(errors.TooManyRejected, arena, stored=upload(10**9))


@pytest.mark.parametrize(
    "text",
    [
        "nul\x00",
        "turn\u202eed",
        "zero\u200bwidth",
        "lone\ud800",
        "x" * 81,
        "\u3164",
        "\u2800 \u115f",
        "\u0301\u034f",
    ],
)
def test_a_system_name_that_cannot_be_shown_is_refused(arena, text):
    refusal = assert_refused(errors.TextInvalid, arena, system=text)
    assert refusal.params["field"] == "system"


def test_a_missing_system_name_becomes_the_file_name(arena):
    assert receive(arena, system="  ").system == "run.jsonl"


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\runs\\my run.jsonl", "my run.jsonl"),
        ("a\x00b\u202ec.zip", "a\ufffdb\ufffdc.zip"),
        ("", "upload"),
        ("预测.jsonl", "预测.jsonl"),
        ("x" * 300 + ".zip", "x" * 251 + ".zip"),
    ],
)
def test_a_file_name_is_shown_and_used_for_nothing_else(sent, shown):
    assert intake.shown_filename(sent) == shown


def test_admission_refuses_before_a_byte_is_read_what_intake_would_refuse(arena):
    assert intake.admit(actor=arena.captain, phase=arena.phase, now=NOW).file_bytes == 20 * 1024**2
    with pytest.raises(errors.NotAMember):
        intake.admit(actor=UserFactory(), phase=arena.phase, now=NOW)
    with pytest.raises(errors.PhaseNotOpen):
        intake.admit(actor=arena.captain, phase=arena.phase, now=arena.phase.closes_at)


def test_a_key_is_answered_in_the_transaction_of_its_submission(arena):
    row = idempotency.begin(
        user=arena.captain, endpoint="submit", key="k1", body_sha256="b", now=NOW
    )
    submission = receive(arena, idempotency=row)
    again = idempotency.begin(
        user=arena.captain, endpoint="submit", key="k1", body_sha256="b", now=NOW
    )
    assert (again.status, again.answer) == (201, {"code": submission.code})


def test_the_database_itself_refuses_the_same_standing_content_twice(arena):
    first = receive(arena)
    with pytest.raises(IntegrityError), transaction.atomic():
        SubmissionFactory(
            entrant=arena.entrant,
            phase=arena.phase,
            uploader=arena.captain,
            content_id=first.content_id,
            number=99,
        )
