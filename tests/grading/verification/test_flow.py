"""Held-out verification from the set to the published standing, with the real scorer."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from competition.enums import Pool
from competition.models import PoolMove
from competition.models.dataset import Audio
from competition.services.errors import NotOrganizer
from grading.enums import Verdict, VerificationState, VerificationWay
from grading.models import (
    Evaluation,
    HeldOutClip,
    HeldOutSet,
    QuotaEntry,
    Submission,
    Verification,
    VerificationOutcome,
    VerificationPublication,
    VerificationRun,
)
from grading.services import child
from grading.services.verification import (
    beginning,
    comparing,
    publishing,
    receiving,
    scoring,
    sets,
)
from grading.services.verification.beginning import Wish
from grading.services.verification.comparing import Figure
from grading.services.verification.errors import (
    HeldOutInvalid,
    StandingChanged,
    VerificationRefused,
    VerificationUnfinished,
)
from tests.factories.accounts import UserFactory
from tests.factories.datasets import DatasetClipFactory
from tests.factories.grading import NOW, make_arena
from tests.factories.verification import (
    SECRET_ID,
    SECRET_WORD,
    Stage,
    hold_out,
    make_stage,
    references_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return make_stage()


def test_the_first_three_are_offered_and_verified_to_the_published_standing(stage: Stage) -> None:
    before = (Submission.objects.count(), QuotaEntry.objects.count(), Evaluation.objects.count())
    rows = beginning.ranked(stage.arena.phase)
    assert [row.entrant for row in beginning.offered(rows)] == stage.entrants
    found = stage.begin()
    by_worker = stage.send(found, 2, stage.output(3))
    scored = scoring.run(run_id=by_worker.pk, worker="w", clock=lambda: NOW)
    assert scored is not None
    assert scored.state == VerificationState.SCORED
    stage.scored(found, 0, 1)
    stage.scored(found, 1, 6)
    lines = comparing.compare(found)
    assert [one.verdict for one in lines] == [Verdict.CONSISTENT, Verdict.LOWER, Verdict.CONSISTENT]
    assert [one.held_out_place for one in lines] == [1, 3, 2]
    assert [one.named.place for one in lines] == [1, 2, 3]
    for one in lines:
        assert one.pool == comparing.PUBLIC
        assert one.difference.score == pytest.approx(one.held_out.score - one.public.score)
        assert one.difference.low <= one.difference.score <= one.difference.high
    paired = comparing.from_first(found, lines)
    assert set(paired) == {entrant.code for entrant in stage.entrants[1:]}
    assert paired[stage.entrants[1].code].delta < 0
    made = publishing.publish(actor=None, verification=found, seen=comparing.digest(lines), now=NOW)
    assert {one.named.entrant: one.verdict for one in made.outcomes.all()} == {
        one.named.entrant: str(one.verdict) for one in lines
    }
    after = (Submission.objects.count(), QuotaEntry.objects.count(), Evaluation.objects.count())
    assert after == before


def test_publishing_again_does_nothing_more(stage: Stage) -> None:
    found = stage.begin()
    seen = comparing.digest(stage.verified(found, (0, 0, 0)))
    made = publishing.publish(actor=None, verification=found, seen=seen, now=NOW)
    later = NOW + timedelta(days=1)
    assert publishing.publish(actor=None, verification=found, seen="other", now=later) == made
    assert VerificationPublication.objects.get().at == NOW
    assert VerificationOutcome.objects.count() == 3
    assert AuditEvent.objects.filter(kind="verification.published").count() == 1
    with pytest.raises(VerificationRefused, match="is published"):
        stage.send(found, 0, stage.output(2))
    with pytest.raises(IntegrityError), transaction.atomic():
        VerificationOutcome.objects.update(verdict=Verdict.LOWER)


def test_nothing_is_published_that_was_not_looked_at_or_is_not_complete(stage: Stage) -> None:
    found = stage.begin()
    with pytest.raises(VerificationUnfinished) as raised:
        publishing.publish(actor=None, verification=found, seen="", now=NOW)
    assert sorted(raised.value.params["entrants"]) == sorted(one.code for one in stage.entrants)
    seen = comparing.digest(stage.verified(found, (0, 0, 0)))
    run = stage.send(found, 0, stage.output(4))
    with pytest.raises(VerificationUnfinished):
        publishing.publish(actor=None, verification=found, seen=seen, now=NOW)
    VerificationRun.objects.filter(pk=run.pk).update(
        state=VerificationState.FAILED, failure_code="WORKER_LOST", finished_at=NOW
    )
    stage.scored(found, 0, 5)
    with pytest.raises(StandingChanged):
        publishing.publish(actor=None, verification=found, seen=seen, now=NOW)
    assert not VerificationPublication.objects.exists()
    with pytest.raises(NotOrganizer):
        publishing.publish(actor=UserFactory(), verification=found, seen=seen, now=NOW)


def test_the_same_output_is_one_run_and_the_newest_scored_one_counts(stage: Stage) -> None:
    found = stage.begin()
    first = stage.send(found, 0, stage.output(1))
    assert stage.scored(found, 0, 1) == first
    assert scoring.run(run_id=first.pk, worker="w", clock=lambda: NOW) is None
    assert stage.send(found, 0, stage.output(1)) == first
    stage.send(found, 0, stage.output(2))
    assert comparing.compare(found)[0].run == first
    second = stage.scored(found, 0, 2)
    assert comparing.compare(found)[0].run == second


def test_an_output_with_faults_is_rejected_with_what_is_wrong(stage: Stage) -> None:
    found = stage.begin()
    whole = stage.output().splitlines(keepends=True)
    run = stage.send(found, 0, b"".join(whole[1:]))
    rejected = scoring.run(run_id=run.pk, worker="w", clock=lambda: NOW)
    assert rejected is not None
    assert (rejected.state, rejected.problems_total, rejected.score) == ("rejected", 1, None)
    assert rejected.problems[0]["code"] == "MISSING_SAMPLES"
    assert comparing.compare(found)[0].run is None


def test_a_failure_of_ours_is_tried_again_and_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = stage.begin()
    run = stage.send(found, 0, stage.output())

    def fail(*args: object, **kwargs: object) -> None:
        raise child.ChildFailed(child.FailureCode.SCORER_CRASHED, may_retry=True)

    with monkeypatch.context() as patch:
        patch.setattr(child, "run", fail)
        states = [scoring.run(run_id=run.pk, worker="w", clock=lambda: NOW).state for _ in range(3)]
    assert states == [VerificationState.QUEUED, VerificationState.QUEUED, VerificationState.FAILED]
    run.refresh_from_db()
    assert "No quota was used" in run.failure_reason
    # The same bytes may be brought again: the failed run does not stand.
    assert stage.send(found, 0, stage.output()).pk != run.pk


def test_a_worker_that_went_silent_loses_its_claim(stage: Stage) -> None:
    found = stage.begin()
    run = stage.send(found, 0, stage.output())
    claimed = scoring.claim(run_id=run.pk, worker="gone", now=NOW)
    assert claimed is not None
    assert scoring.claim(run_id=run.pk, worker="other", now=NOW) is None
    much_later = NOW + timedelta(hours=1)
    assert scoring.settle(now=much_later) >= 1
    again = scoring.claim(run_id=run.pk, worker="other", now=much_later)
    assert again is not None
    assert again.attempt == 2
    with pytest.raises(child.ClaimLost):
        scoring._move(claimed, state=VerificationState.FAILED)


@pytest.mark.parametrize(
    ("difference", "lower_is_better", "verdict"),
    [
        (Figure(-3.0, -5.0, -1.0), False, Verdict.LOWER),
        (Figure(-3.0, -7.0, 0.0), False, Verdict.CONSISTENT),
        (Figure(3.0, 1.0, 5.0), False, Verdict.CONSISTENT),
        (Figure(3.0, 1.0, 5.0), True, Verdict.LOWER),
        (Figure(-3.0, -5.0, -1.0), True, Verdict.CONSISTENT),
        (Figure(-3.0, None, None), False, Verdict.OPEN),
    ],
)
def test_the_rule_of_the_verdict(
    difference: Figure, lower_is_better: bool, verdict: Verdict
) -> None:
    assert comparing.verdict_of(difference, lower_is_better=lower_is_better) == verdict


def test_a_set_takes_rows_of_held_out_clips_alone(stage: Stage) -> None:
    given = {"actor": None, "track": stage.arena.track, "version": stage.version}
    given |= {"title": "", "now": NOW}
    assert sets.make(**given, data=references_of(stage.rows)) == stage.held_out
    DatasetClipFactory(version=stage.version, utt_id="open_1", audio__pool=Pool.OPEN)
    strange = {**stage.rows, "open_1": ("en", "hello [laugh]")}
    with pytest.raises(HeldOutInvalid, match="1 rows name clips that are not held out"):
        sets.make(**given, data=references_of(strange))
    broken = references_of(stage.rows).replace(b"[sigh]", b"[nonsense]")
    with pytest.raises(HeldOutInvalid) as raised:
        sets.make(**given, data=broken)
    told = json.dumps(raised.value.params)
    assert SECRET_WORD not in told
    assert "faults" in raised.value.params
    assert HeldOutSet.objects.count() == 1


def test_the_database_lets_no_other_clip_into_a_set(stage: Stage) -> None:
    clip = DatasetClipFactory(version=stage.version, audio__pool=Pool.ROTATION)
    with pytest.raises(IntegrityError, match="held_out_set"), transaction.atomic():
        HeldOutClip.objects.create(held_out=stage.held_out, clip=clip)


def test_a_wish_that_does_not_fit_is_refused(stage: Stage) -> None:
    other = make_arena()
    for wish, match in (
        ({"entrants": ()}, "Choose the entrants"),
        ({"entrants": (other.entrant,)}, "with a score on the phase's board"),
        ({"rotation": other.phase}, "whose clips were drawn"),
        ({"way": VerificationWay.RELEASED}, "when the window opens"),
        ({"opens_at": NOW}, "Only inputs that are released"),
    ):
        with pytest.raises(VerificationRefused, match=match):
            stage.begin(**wish)
    version, rows = hold_out(other, 2, name="numbat")
    strange = sets.make(
        actor=None, track=other.track, version=version, title="", data=references_of(rows), now=NOW
    )
    with pytest.raises(VerificationRefused, match="another track"):
        beginning.begin(
            actor=None,
            phase=stage.arena.phase,
            held_out=strange,
            wish=Wish(tuple(stage.entrants)),
            now=NOW,
        )
    assert not Verification.objects.exists()


def test_only_organizers_bring_outputs_and_no_event_names_a_clip(stage: Stage) -> None:
    found = stage.begin()
    named = found.entrants.get(entrant=stage.entrants[0])
    with pytest.raises(NotOrganizer):
        receiving.admit(actor=stage.captains[0], named=named, now=NOW)
    stage.verified(found, (0, 1, 2))
    events = " ".join(AuditEvent.objects.values_list("payload", flat=True))
    assert "verification" in " ".join(AuditEvent.objects.values_list("kind", flat=True))
    assert SECRET_ID not in events
    assert SECRET_WORD not in events


def test_clips_of_a_set_stay_held_out_until_they_are_moved_on_record(stage: Stage) -> None:
    clip = stage.held_out.clips.select_related("clip__audio").first()
    assert clip is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        Audio.objects.filter(pk=clip.clip.audio_id).update(pool=Pool.OPEN)
    assert not PoolMove.objects.exists()
