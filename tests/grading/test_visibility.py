"""Who sees which submission, and how much of a score: the same answer everywhere."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from competition.enums import Feedback, Role
from competition.models import EntrantMember, RoleGrant
from grading import queries, rules
from grading.models import Submission
from grading.presentation import Sight, shown_score, sight_of
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, SubmissionFactory, join, make_arena, scored

pytestmark = pytest.mark.django_db


def granted(arena: Arena, role: Role, **fields):
    user = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=user, role=role, granted_at=NOW, **fields
    )
    return user


def former_member(arena: Arena):
    user = UserFactory()
    join(arena.entrant, user)
    EntrantMember.objects.filter(user=user).update(left_at=NOW)
    return user


def mate(arena: Arena):
    user = UserFactory()
    join(arena.entrant, user)
    return user


def inactive_captain(arena: Arena):
    arena.captain.is_active = False
    arena.captain.save()
    return arena.captain


PEOPLE = {
    "nobody": (lambda arena: AnonymousUser(), False),
    "an outsider": (lambda arena: UserFactory(), False),
    "its captain": (lambda arena: arena.captain, True),
    "a member": (mate, True),
    "a former member": (former_member, False),
    "a locked account": (inactive_captain, False),
    "another team's captain": (lambda arena: arena.enter()[1], False),
    "its organizer": (lambda arena: granted(arena, Role.ORGANIZER), True),
    "a former organizer": (lambda arena: granted(arena, Role.ORGANIZER, revoked_at=NOW), False),
    "its auditor": (lambda arena: granted(arena, Role.AUDITOR), False),
    "another competition's organizer": (lambda _: granted(make_arena(), Role.ORGANIZER), False),
    "an administrator": (lambda arena: UserFactory(is_superuser=True), True),
}


@pytest.mark.parametrize("who", PEOPLE)
def test_rows_and_rules_agree_on_who_sees_a_submission(arena, who):
    make, sees = PEOPLE[who]
    submission = SubmissionFactory(entrant=arena.entrant, phase=arena.phase, uploader=arena.captain)
    user = make(arena)
    assert list(Submission.objects.visible_to(user)) == ([submission] if sees else [])
    assert rules.may_see(user, submission) == sees
    assert queries.submission_detail(user).filter(code=submission.code).exists() == sees
    assert list(queries.submissions_seen(user)) == ([submission] if sees else [])


@pytest.mark.parametrize(
    ("feedback", "moment", "is_organizer", "sight"),
    [
        (Feedback.FULL, "open", False, Sight.EXACT),
        (Feedback.ROUNDED, "open", False, Sight.ROUNDED),
        (Feedback.NONE, "open", False, Sight.HIDDEN),
        (Feedback.ROUNDED, "closed", False, Sight.EXACT),
        (Feedback.NONE, "closed", False, Sight.EXACT),
        (Feedback.ROUNDED, "open", True, Sight.EXACT),
        (Feedback.NONE, "open", True, Sight.EXACT),
    ],
)
def test_what_shows_of_a_score_depends_on_feedback_time_and_role(
    arena, feedback, moment, is_organizer, sight
):
    arena.phase.feedback = feedback
    now = NOW if moment == "open" else arena.phase.closes_at
    assert sight_of(arena.phase, now=now, is_organizer=is_organizer) == sight


def numbers(value) -> list[float]:
    if isinstance(value, dict):
        return [number for part in value.values() for number in numbers(part)]
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [value] if isinstance(value, float) else []


def test_rounded_scores_carry_two_decimals_and_no_counts(arena):
    one = scored(arena, arena.entrant, arena.captain, 12.3456789, parts=(0.123456, 0.2, 1.98765))
    shown = shown_score(one, Sight.ROUNDED)
    assert all(number == round(number, 2) for number in numbers(shown))
    assert set(shown["languages"]["en"]) == {
        "score",
        "interval",
        "interval_reason",
        "utterances",
        "f1",
        "mntd",
        "error_rate",
    }
    assert (shown["score"], shown["components"]["error_rate"]) == (12.35, 1.99)


def test_hidden_scores_carry_no_number_at_all(arena):
    shown = shown_score(scored(arena, arena.entrant, arena.captain, 12.3), Sight.HIDDEN)
    assert numbers(shown) == []
    assert (shown["score"], shown["hidden"], shown["languages"]) == (None, True, {})


def test_exact_scores_are_what_is_stored(arena):
    one = scored(arena, arena.entrant, arena.captain, 12.3456789)
    shown = shown_score(one, Sight.EXACT)
    assert (shown["score"], shown["interval"]) == (12.3456789, [one.low, one.high])
    assert shown["languages"]["en"]["tp"] == 3
    assert shown["recipe_digest"] == one.recipe.digest


def test_a_history_shows_others_nothing_since_the_freeze(arena):
    arena.phase.frozen_from = NOW + timedelta(hours=1)
    arena.phase.save()
    scored(arena, arena.entrant, arena.captain, 40.0)
    later = NOW + timedelta(hours=2)
    scored(arena, arena.entrant, arena.captain, 60.0, at=later)

    def seen_by(user) -> list[float]:
        rows = queries.history(arena.entrant, arena.phase, user, later)
        return [row["score"] for row in rows]

    assert seen_by(AnonymousUser()) == [40.0]
    assert seen_by(arena.enter()[1]) == [40.0]
    assert seen_by(arena.captain) == seen_by(granted(arena, Role.ORGANIZER)) == [40.0, 60.0]


def test_the_live_evaluations_of_many_submissions_are_read_at_once(arena):
    ones = [scored(arena, arena.entrant, arena.captain, 40.0 + n) for n in range(3)]
    found = queries.live_evaluations([one.submission for one in ones])
    assert found == {one.submission_id: one for one in ones}
    assert queries.live_evaluation(ones[0].submission) == ones[0]
    assert list(queries.submissions_of(AnonymousUser(), arena.competition)) == []


def test_the_console_counts_states_codes_and_what_waits(arena):
    scored(arena, arena.entrant, arena.captain, 40.0)
    waiting = SubmissionFactory(entrant=arena.entrant, phase=arena.phase, uploader=arena.captain)
    rejected = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        state="rejected",
        validated_at=NOW,
    )
    for position, code in enumerate(("MISSING_SAMPLES", "INVALID_JSON", "INVALID_JSON")):
        rejected.problems.create(position=position, code=code, severity="error")
    failed = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        state="failed",
        failure_code="SCORER_MEMORY",
    )
    found = queries.figures(arena.competition)
    assert found.submissions == {"accepted": 1, "failed": 1, "received": 1, "rejected": 1}
    assert found.rejected_codes == {"INVALID_JSON": 1, "MISSING_SAMPLES": 1}
    assert list(found.failures) == [failed]
    assert (found.queue.to_check, found.queue.oldest) == (1, waiting.received_at)
    assert queries.place_in_queue(waiting) == 0
    assert queries.figures(make_arena().competition).queue.to_check == 0
