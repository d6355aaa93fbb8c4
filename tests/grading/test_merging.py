"""Two teams become one for good: quotas add up, people are in one place, nothing brings a team back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from accounts.models import AuditEvent, User
from competition.enums import EntrantKind, EntrantState, Role
from competition.models import Entrant, EntrantChange, EntrantMember, EntrantMerge
from competition.rules import is_member
from competition.services import entry
from competition.services.errors import ConflictOfInterest, EntrantOut, MergeRefused, NotOrganizer
from competition.timeline import aoe_day
from grading.models import Notice, Submission
from grading.services import merging, quota
from grading.services.errors import FiguresChanged
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, Arena, SubmissionFactory, join, make_arena, quota_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def arena() -> Arena:
    return make_arena()


@pytest.fixture
def organizer(arena: Arena) -> User:
    return RoleGrantFactory(competition=arena.competition).user


def used(entrant: Entrant, arena: Arena) -> tuple[int, int]:
    found = quota.used_slots(entrant=entrant, phase=arena.phase, day=aoe_day(NOW))
    return found.today, found.total


def slot(arena: Arena, entrant: Entrant, user: User, *, days: int = 0) -> Submission:
    at = NOW - timedelta(days=days)
    made = SubmissionFactory(
        entrant=entrant, phase=arena.phase, uploader=user, created_at=at, received_at=at
    )
    quota_entry(made)
    return made


def merge(organizer: User, kept: Entrant, merged: Entrant, **more) -> EntrantMerge:
    seen = merging.arithmetic(kept=kept, merged=merged, now=NOW)
    given = {"digest": seen.digest, "reason": "They are one laboratory.", "now": NOW}
    return merging.merge(actor=organizer, kept=kept, merged=merged, **given | more)


def test_what_both_have_used_counts_together_and_submissions_stay(arena, organizer):
    rival, captain = arena.enter("Team Beech")
    slot(arena, arena.entrant, arena.captain)
    mine = [slot(arena, rival, captain), slot(arena, rival, captain, days=3)]
    assert (used(arena.entrant, arena), used(rival, arena)) == ((1, 1), (1, 2))
    seen = merging.arithmetic(kept=arena.entrant, merged=rival, now=NOW)
    (line,) = [line for line in seen.lines if line.phase == arena.phase]
    assert (line.total.today, line.total.total) == (2, 3)
    made = merge(organizer, arena.entrant, rival)
    assert used(arena.entrant, arena) == (line.used.today, line.used.total) == (2, 3)
    assert made.figures["phases"][arena.phase.code]["total"] == {"today": 2, "total": 3}
    assert {one.entrant for one in Submission.objects.filter(pk__in=[m.pk for m in mine])} == {
        rival
    }
    (place,) = EntrantMember.objects.filter(user=captain, left_at__isnull=True)
    assert (place.entrant, place.role) == (arena.entrant, "member")
    seen_by = Submission.objects.visible_to(captain)
    assert (
        seen_by.filter(entrant=rival).count() == seen_by.filter(entrant=arena.entrant).count() + 1
    )
    assert is_member(captain, rival)
    rival.refresh_from_db()
    assert (rival.state, rival.reason) == (EntrantState.WITHDRAWN, "They are one laboratory.")
    changes = EntrantChange.objects.filter(entrant__in=[rival, arena.entrant])
    assert set(changes.values_list("field", "new")) == {
        ("state", "withdrawn"),
        ("merged", arena.entrant.code),
        ("took-in", rival.code),
    }
    told = Notice.objects.filter(kind="entrant", context__act="merged")
    assert set(told.values_list("recipient", flat=True)) == {arena.captain.pk, captain.pk}
    kinds = AuditEvent.objects.filter(actor=organizer.code).values_list("kind", flat=True)
    assert set(kinds) == {"entrant.merged", "entrant.took-in"}


def test_what_one_person_brought_along_counts_where_it_is_more(arena, organizer):
    """A person used three slots elsewhere; two teams with one slot each do not hide that."""
    third, founder = arena.enter("Team Cedar")
    rival, captain = arena.enter("Team Beech")
    for _ in range(3):
        slot(arena, third, founder)
    EntrantMember.objects.filter(user=founder).update(left_at=NOW + timedelta(microseconds=1))
    join(rival, founder, joined_at=NOW + timedelta(seconds=1))
    slot(arena, arena.entrant, arena.captain)
    seen = merging.arithmetic(kept=arena.entrant, merged=rival, now=NOW)
    (line,) = [line for line in seen.lines if line.phase == arena.phase]
    assert (line.total.total, line.member.total, line.used.total) == (1, 3, 3)
    merge(organizer, arena.entrant, rival, now=NOW + timedelta(seconds=2))
    assert used(arena.entrant, arena)[1] == 3
    assert captain.entries.count() == 2


def test_a_team_that_took_another_in_brings_both_along(arena, organizer):
    rival, captain = arena.enter("Team Beech")
    third, founder = arena.enter("Team Cedar")
    slot(arena, third, founder)
    slot(arena, rival, captain)
    slot(arena, arena.entrant, arena.captain)
    merge(organizer, rival, third)
    merge(organizer, arena.entrant, Entrant.objects.get(pk=rival.pk))
    assert used(arena.entrant, arena) == (3, 3)
    rows = EntrantMerge.objects.order_by("pk").values_list("kept", "merged", "is_direct")
    assert list(rows) == [
        (rival.pk, third.pk, True),
        (arena.entrant.pk, rival.pk, True),
        (arena.entrant.pk, third.pk, False),
    ]


def test_figures_that_changed_since_they_were_seen_are_looked_at_again(arena, organizer):
    rival, captain = arena.enter("Team Beech")
    seen = merging.arithmetic(kept=arena.entrant, merged=rival, now=NOW)
    slot(arena, rival, captain)
    with pytest.raises(FiguresChanged):
        merge(organizer, arena.entrant, rival, digest=seen.digest)
    assert not EntrantMerge.objects.exists()


def test_who_and_what_cannot_be_merged(arena, organizer):
    rival, captain = arena.enter("Team Beech")
    with pytest.raises(NotOrganizer):
        merge(captain, arena.entrant, rival)
    with pytest.raises(MergeRefused):
        merge(organizer, arena.entrant, arena.entrant)
    auditor = RoleGrantFactory(competition=arena.competition, role=Role.AUDITOR).user
    entry.set_kind(actor=organizer, entrant=rival, kind=EntrantKind.UNOFFICIAL, reason="r", now=NOW)
    join(rival, auditor)
    with pytest.raises(ConflictOfInterest):
        merge(organizer, arena.entrant, rival)
    entry.disqualify(actor=organizer, entrant=rival, reason="r", now=NOW)
    with pytest.raises(MergeRefused):
        merge(organizer, arena.entrant, rival)


def test_nothing_brings_a_merged_team_back(arena, organizer):
    rival, _captain = arena.enter("Team Beech")
    merge(organizer, arena.entrant, rival)
    with pytest.raises(EntrantOut):
        entry.reinstate(actor=organizer, entrant=rival, reason="again", now=NOW)
    person = UserFactory()
    attempts = [
        lambda: Entrant.objects.filter(pk=rival.pk).update(state="accepted"),
        lambda: join(rival, person),
        lambda: EntrantMerge.objects.all().delete(),
        lambda: EntrantMerge.objects.update(reason="other"),
        lambda: EntrantMerge.objects.create(
            competition=arena.competition,
            kept=rival,
            merged=arena.entrant,
            reason="r",
            merged_at=NOW,
        ),
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()
        assert EntrantMerge.objects.count() == 1


def test_the_page_shows_the_figures_and_asks_for_the_name(arena, organizer, client):
    rival, captain = arena.enter("Team Beech")
    slot(arena, rival, captain)
    client.force_login(organizer)
    names = [arena.competition.slug, arena.entrant.code]
    choice = client.get(reverse("grading:merge-choose", args=names), {"other": rival.code})
    page = reverse("grading:entrant-merge", args=[*names, rival.code])
    assert choice["Location"] == page
    shown = client.get(page)
    digest = shown.context["figures"].digest
    assert digest in shown.content.decode()
    given = {"digest": digest, "reason": "One laboratory.", "confirm": "Team Oak"}
    assert "Nothing was changed" in client.post(page, given).content.decode()
    slot(arena, rival, captain)
    stale = client.post(page, {**given, "confirm": rival.team.name})
    assert "figures have changed" in stale.content.decode()
    fresh = stale.context["figures"].digest
    assert fresh in stale.content.decode()
    done = client.post(page, {**given, "confirm": rival.team.name, "digest": fresh})
    assert done.status_code == 302
    assert EntrantMerge.objects.get().kept == arena.entrant
    again = client.get(page)
    assert "cannot be merged" in again.content.decode()


def test_the_arithmetic_costs_as_many_statements_for_ten_people_as_for_one(arena):
    rival, _ = arena.enter("Team Beech")
    with CountedStatements() as few:
        merging.arithmetic(kept=arena.entrant, merged=rival, now=NOW)
    for _ in range(9):
        join(rival, UserFactory())
    with CountedStatements() as many:
        merging.arithmetic(kept=arena.entrant, merged=rival, now=NOW)
    assert many.count == few.count


class CountedStatements:
    """Counts the statements of a block."""

    def __enter__(self) -> CountedStatements:
        self.count = 0
        self._hook = connection.execute_wrapper(self._run)
        self._hook.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._hook.__exit__(*exc)

    def _run(self, execute, sql, params, many, context):
        self.count += 1
        return execute(sql, params, many, context)
