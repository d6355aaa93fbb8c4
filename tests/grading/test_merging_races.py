"""Merges beside uploads, changes of people and other merges, on a real PostgreSQL."""

from __future__ import annotations

import pytest
from django.db import connection

from accounts.services import audit
from competition.models import Entrant, EntrantMember, EntrantMerge
from competition.services import entry
from competition.timeline import aoe_day
from grading.models import QuotaEntry
from grading.services import doorbell, merging, quota
from tests.factories.accounts import UserFactory
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import NOW, Arena, join, make_arena
from tests.grading.test_races import together, upload

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def arena(monkeypatch) -> Arena:
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    return make_arena()


def merge(actor, kept: Entrant, merged: Entrant) -> str:
    for _ in range(50):
        seen = merging.arithmetic(kept=kept, merged=merged, now=NOW)
        try:
            merging.merge(
                actor=actor, kept=kept, merged=merged, reason="r", digest=seen.digest, now=NOW
            )
        except merging.FiguresChanged:
            continue
        return "merged"
    return "gave up"


def test_uploads_of_both_teams_beside_their_merge_never_pass_the_quota(arena):
    organizer = RoleGrantFactory(competition=arena.competition).user
    rival, captain = arena.enter("Team Beech")

    def act(number: int) -> object:
        if number == 0:
            return merge(organizer, arena.entrant, rival)
        actor = captain if number % 2 else arena.captain
        return upload(arena, number, actor=actor).code

    found = together(act, 12)
    assert found[0] == "merged", found
    used = quota.used_slots(entrant=arena.entrant, phase=arena.phase, day=aoe_day(NOW))
    before = EntrantMerge.objects.get().figures["phases"][arena.phase.code]["total"]["total"]
    # Both had three slots of their own before; from the merge on no slot is taken beyond three.
    assert QuotaEntry.objects.count() == used.total
    assert used.total <= max(3, before)
    assert audit.verify().ok


def test_two_merges_of_the_same_teams_in_both_directions_are_one(arena):
    organizer = RoleGrantFactory(competition=arena.competition).user
    rival, _ = arena.enter("Team Beech")
    found = together(
        lambda number: merge(
            organizer, *((arena.entrant, rival) if number % 2 else (rival, arena.entrant))
        ),
        8,
    )
    assert found.count("merged") == 1
    assert set(found) == {"merged", "MERGE_REFUSED"}
    assert EntrantMerge.objects.count() == 1
    places = EntrantMember.objects.filter(left_at__isnull=True)
    assert {place.entrant_id for place in places} == {EntrantMerge.objects.get().kept_id}


def test_people_who_join_and_leave_beside_a_merge_are_in_one_place(arena):
    organizer = RoleGrantFactory(competition=arena.competition).user
    rival, _ = arena.enter("Team Beech")
    people = [UserFactory() for _ in range(5)]
    for user in people:
        join(rival, user)

    def act(number: int) -> object:
        if number == 0:
            return merge(organizer, arena.entrant, rival)
        return entry.leave(actor=people[number - 1], entrant=rival, now=NOW)

    found = together(act, 6)
    assert found[0] == "merged", found
    moved = EntrantMember.objects.filter(entrant=arena.entrant, left_at__isnull=True).count()
    left = sum(one is None for one in found)
    assert moved == 1 + 1 + 5 - left
    assert not EntrantMember.objects.filter(entrant=rival, left_at__isnull=True).exists()
    assert connection.vendor == "postgresql"
