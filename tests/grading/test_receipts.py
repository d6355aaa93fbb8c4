"""Receipts: what they say, who signs, what no longer holds after a change."""

from __future__ import annotations

import json
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import AuditEvent
from competition.enums import Feedback
from grading import receipts
from grading.models import ReceiptKey, Submission
from grading.receipts import Outcome, ReceiptFault
from grading.services import evaluations, receipt_keys, validation
from grading.services.errors import ReceiptKeyInPlace, ReceiptsUnavailable
from grading.services.receipts import receipt
from tests.factories.grading import CANARY, NOW, Arena, scored, submit

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(seconds=10)


@pytest.fixture(autouse=True)
def _own_key(settings, tmp_path: Path) -> None:
    settings.RECEIPT_KEY_FILE = tmp_path / "receipt-key"


def statements(submission: Submission, now=LATER) -> dict[str, dict]:
    """Return the statements of a receipt by kind, every signature verified."""
    entries = receipts.parse(json.dumps(receipt(submission=submission, now=now)))
    found = receipts.verify(entries, receipt_keys.known())
    assert {one.outcome for one in found} == {Outcome.HOLDS}
    return {one.statement["kind"]: one.statement for one in found}


def graded(arena: Arena) -> Submission:
    submission = validation.validate(
        submission_id=submit(arena, arena.flawed(1)).pk, clock=lambda: LATER
    )
    evaluation = evaluations.live_of(submission)
    evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=lambda: LATER)
    return submission


def test_a_receipt_of_an_upload_says_what_was_sent_and_when(arena):
    submission = submit(arena, arena.perfect())
    found = statements(submission)
    assert list(found) == ["submission.received"]
    event = AuditEvent.objects.get(kind="submission.received")
    key = ReceiptKey.objects.get()
    assert found["submission.received"] == {
        "format": "plaudit-statement/1",
        "key_id": key.key_id,
        "kind": "submission.received",
        "server": "http://127.0.0.1:8000",
        "issued_at": "2026-12-01T15:00:10.000000Z",
        "competition": arena.competition.slug,
        "track": "understanding",
        "phase": "final",
        "entrant": arena.entrant.code,
        "submission": submission.code,
        "content_id": submission.content_id,
        "number": 1,
        "size": submission.size,
        "created_at": "2026-12-01T15:00:00.000000Z",
        "received_at": "2026-12-01T15:00:00.000000Z",
        "closes_at": "2026-12-11T15:00:00.000000Z",
        "on_time": True,
        "log": arena.competition.audit_scope,
        "log_entry": event.number,
        "log_hash": event.hash,
    }


def test_an_upload_that_ended_after_the_grace_is_not_on_time(arena):
    submission = submit(arena, arena.perfect())
    arena.phase.closes_at = NOW
    arena.phase.save()
    submission = Submission.objects.get(pk=submission.pk)
    assert statements(submission)["submission.received"]["on_time"] is False


def test_validation_and_score_add_a_statement_each(arena):
    found = statements(graded(arena))
    assert list(found) == ["submission.received", "submission.validated", "submission.scored"]
    validated, score = found["submission.validated"], found["submission.scored"]
    assert (validated["verdict"], validated["rows"], validated["errors"]) == ("accepted", 16, 0)
    assert len(validated["sha256"]) == 64
    evaluation = evaluations.live_of(Submission.objects.get())
    assert score["recipe_digest"] == evaluation.recipe.digest
    assert score["scorer_version"] == evaluation.recipe.version
    assert score["reference_sha256"] == arena.phase.references.sha256
    assert score["seed"] == evaluation.seed
    assert score["score"] == f"{evaluation.score:.2f}"
    kinds = {one["log_hash"] for one in found.values()}
    assert kinds == set(
        AuditEvent.objects.filter(
            kind__in=["submission.received", "submission.accepted", "evaluation.scored"]
        ).values_list("hash", flat=True)
    )
    assert CANARY not in json.dumps(found)


@pytest.mark.parametrize(
    ("feedback", "score", "low"),
    [
        (Feedback.ROUNDED, "71.23", "70.23"),
        (Feedback.FULL, "71.23456", "70.23456"),
        (Feedback.NONE, None, None),
    ],
)
def test_a_score_has_the_digits_that_the_team_may_see(arena, feedback, score, low):
    arena.phase.feedback = feedback
    arena.phase.save()
    evaluation = scored(arena, arena.entrant, arena.captain, 71.23456)
    said = statements(evaluation.submission)["submission.scored"]
    assert said["score"] == score
    assert (said["interval"] or [None])[0] == low
    assert said["hidden"] is (feedback == Feedback.NONE)
    assert ("71.2" in json.dumps(said)) is (score is not None)


def test_after_the_end_every_digit_shows(arena):
    evaluation = scored(arena, arena.entrant, arena.captain, 71.23456)
    said = statements(evaluation.submission, now=arena.phase.closes_at + timedelta(days=1))
    assert said["submission.scored"]["score"] == "71.23456"
    assert said["submission.scored"]["feedback"] == "exact"


def test_a_withheld_score_is_no_number(arena):
    evaluation = scored(arena, arena.entrant, arena.captain, None)
    said = statements(evaluation.submission)["submission.scored"]
    assert said["score"] is None
    assert said["withheld_reason"] == "LANGUAGE_WITHOUT_UTTERANCES"


def test_any_change_of_a_statement_breaks_its_signature(arena):
    found = receipt(submission=submit(arena, arena.perfect()), now=LATER)
    statement = found["statements"][0]["statement"]
    for name, value in statement.items():
        if name in {"format", "key_id"}:
            continue
        changed = {**statement, name: f"{value}x" if isinstance(value, str) else 17}
        entry = {**found["statements"][0], "statement": changed}
        outcome = receipts.verify([entry], receipt_keys.known())[0].outcome
        assert outcome == Outcome.WRONG_SIGNATURE, name


def test_the_private_key_is_made_once_for_its_owner_alone(arena, settings):
    first = receipt(submission=submit(arena, arena.perfect()), now=LATER)
    path = settings.RECEIPT_KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert receipt(submission=Submission.objects.get(), now=LATER) == first
    assert ReceiptKey.objects.count() == 1
    assert path.read_text() not in json.dumps(first)
    assert AuditEvent.objects.filter(kind="receipt_key.made").count() == 1


def test_a_key_that_others_may_read_signs_nothing(arena, settings):
    submission = submit(arena, arena.perfect())
    receipt(submission=submission, now=LATER)
    settings.RECEIPT_KEY_FILE.chmod(0o640)
    with pytest.raises(ReceiptsUnavailable):
        receipt(submission=submission, now=LATER)


@pytest.mark.parametrize("text", ["", "zz" * 32, "00" * 31, "00" * 33])
def test_a_key_that_is_none_signs_nothing(arena, settings, text):
    submission = submit(arena, arena.perfect())
    settings.RECEIPT_KEY_FILE.write_text(text)
    settings.RECEIPT_KEY_FILE.chmod(0o600)
    with pytest.raises(ReceiptsUnavailable):
        receipt(submission=submission, now=LATER)


def test_after_a_rotation_old_receipts_hold_and_the_old_key_signs_no_more(arena, settings):
    submission = submit(arena, arena.perfect())
    old_secret = (receipt(submission=submission, now=LATER), settings.RECEIPT_KEY_FILE.read_text())
    old, secret = old_secret
    rotated = LATER + timedelta(minutes=1)
    receipt_keys.rotate(clock=lambda: rotated)
    new = receipt(submission=submission, now=rotated)
    for one in (old, new):
        found = receipts.verify(receipts.parse(json.dumps(one)), receipt_keys.known())
        assert [one.outcome for one in found] == [Outcome.HOLDS]
    settings.RECEIPT_KEY = secret
    with pytest.raises(ReceiptsUnavailable):
        receipt(submission=submission, now=rotated)
    assert AuditEvent.objects.filter(kind="receipt_key.rotated").count() == 1


def test_what_a_retired_key_signs_afterwards_does_not_hold(arena, settings):
    submission = submit(arena, arena.perfect())
    entry = receipt(submission=submission, now=LATER)["statements"][0]
    stolen, _ = receipt_keys.current(now=LATER)
    receipt_keys.rotate(clock=lambda: LATER + timedelta(minutes=1))
    late = {**entry["statement"], "issued_at": "2026-12-01T16:00:00.000000Z"}
    forged = receipts.sign(stolen, late)
    odd = receipts.sign(stolen, {**late, "issued_at": "1 December"})
    elsewhere = receipts.sign(stolen, {**entry["statement"], "server": "https://example.org"})
    outcomes = {
        one.outcome for one in receipts.verify([forged, odd, elsewhere], receipt_keys.known())
    }
    assert outcomes == {Outcome.OUTSIDE_VALIDITY}


def test_a_key_in_the_environment_is_rotated_by_putting_another_one_there(settings):
    settings.RECEIPT_KEY = receipt_keys.new_seed()
    receipt_keys.current(now=NOW)
    with pytest.raises(ReceiptKeyInPlace):
        receipt_keys.rotate(clock=lambda: LATER)
    settings.RECEIPT_KEY = receipt_keys.new_seed()
    row = receipt_keys.rotate(clock=lambda: LATER)
    assert [key.valid_until for key in receipt_keys.known()] == [LATER, None]
    assert receipt_keys.current(now=LATER)[1] == row
    assert not Path(settings.RECEIPT_KEY_FILE).exists()


def test_the_command_lists_and_rotates(capsys, settings):
    receipt_keys.current(now=timezone.now())
    call_command("receipt_keys", "rotate")
    call_command("receipt_keys", "list")
    call_command("receipt_keys", "new")
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 4
    assert [line.split()[2] == "in" for line in out[1:3]] == [False, True]
    settings.RECEIPT_KEY = out[3]
    call_command("receipt_keys", "rotate")
    with pytest.raises(CommandError, match="restart every"):
        call_command("receipt_keys", "rotate")


GOOD = {
    "format": "plaudit-receipt/1",
    "statements": [
        {
            "statement": {
                "format": "plaudit-statement/1",
                "key_id": "0" * 16,
                "kind": "submission.received",
                "issued_at": "2026-12-01T15:00:00.000000Z",
                "server": "s",
                "submission": "a",
            },
            "signature": "0" * 128,
        }
    ],
}


def with_statement(**changes):
    statement = {**GOOD["statements"][0]["statement"], **changes}
    return {**GOOD, "statements": [{"statement": statement, "signature": "0" * 128}]}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "NOT_JSON"),
        (b"\xff\xfe", "NOT_JSON"),
        ("[" * 50_000, "NOT_JSON"),
        ('{"a":' * 9 + "1" + "}" * 9, "NOT_JSON"),
        ('{"format": "x", "format": "plaudit-receipt/1"}', "NOT_JSON"),
        ('{"a": 1.5}', "NOT_JSON"),
        ('{"a": NaN}', "NOT_JSON"),
        ("9" * 5000, "NOT_JSON"),
        ("x" * (64 * 1024 + 1), "TOO_LARGE"),
        ("[]", "NOT_A_RECEIPT"),
        (json.dumps({**GOOD, "format": "other"}), "NOT_A_RECEIPT"),
        (json.dumps({**GOOD, "statements": []}), "NOT_A_RECEIPT"),
        (json.dumps({**GOOD, "statements": GOOD["statements"] * 9}), "NOT_A_RECEIPT"),
        (json.dumps({**GOOD, "statements": [1]}), "NOT_A_RECEIPT"),
        (json.dumps(with_statement(format="other")), "NOT_A_RECEIPT"),
        (json.dumps(with_statement(key_id=5)), "NOT_A_RECEIPT"),
        (json.dumps(with_statement(submission=None)), "NOT_A_RECEIPT"),
        (json.dumps(GOOD).replace("0" * 128, "0" * 126), "NOT_A_RECEIPT"),
        (json.dumps(GOOD).replace("0" * 128, "A" * 128), "NOT_A_RECEIPT"),
        (
            json.dumps(
                {
                    **GOOD,
                    "statements": GOOD["statements"] + with_statement(submission="b")["statements"],
                }
            ),
            "MIXED",
        ),
    ],
)
def test_what_is_no_receipt_is_told_apart(text, code):
    with pytest.raises(ReceiptFault) as fault:
        receipts.parse(text)
    assert fault.value.code == code


def test_a_key_that_nobody_knows_proves_nothing():
    assert receipts.verify(receipts.parse(json.dumps(GOOD)), [])[0].outcome == Outcome.UNKNOWN_KEY
