from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import AuditEvent
from competition.enums import Role
from competition.models import DeadlineChange, RoleGrant
from competition.queries import roles_of
from competition.services import deadlines, roles
from competition.services.errors import (
    ConflictOfInterest,
    DeadlineInvalid,
    NotOrganizer,
    ReasonMissing,
    RoleHeld,
)
from tests.factories.accounts import UserFactory
from tests.factories.competition import EntrantFactory, PhaseFactory, RoleGrantFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase():
    return PhaseFactory()


@pytest.fixture
def organizer(phase):
    return RoleGrantFactory(competition=phase.track.competition).user


def test_a_role_is_given_once_taken_back_and_given_again(phase, organizer) -> None:
    competition, user = phase.track.competition, UserFactory()
    given = {"actor": organizer, "competition": competition, "user": user, "now": NOW}
    grant = roles.grant(role=Role.AUDITOR, **given)
    with pytest.raises(RoleHeld):
        roles.grant(role=Role.AUDITOR, **given)
    assert roles_of(user, competition) == {Role.AUDITOR}
    roles.revoke(actor=organizer, grant=grant, now=NOW)
    assert roles.revoke(actor=organizer, grant=grant, now=NOW + DAY).revoked_at == NOW
    assert roles_of(user, competition) == set()
    roles.grant(role=Role.AUDITOR, **given)
    kinds = AuditEvent.objects.order_by("number").values_list("kind", flat=True)
    assert list(kinds) == ["role.granted", "role.revoked", "role.granted"]


def test_only_organizers_give_and_take_roles(phase, organizer) -> None:
    competition = phase.track.competition
    auditor = RoleGrantFactory(competition=competition, role=Role.AUDITOR).user
    elsewhere = RoleGrantFactory().user
    for actor in (auditor, elsewhere, UserFactory()):
        with pytest.raises(NotOrganizer):
            roles.grant(
                actor=actor, competition=competition, user=actor, role=Role.ORGANIZER, now=NOW
            )
        with pytest.raises(NotOrganizer):
            roles.revoke(actor=actor, grant=competition.grants.first(), now=NOW)
    assert RoleGrant.objects.filter(competition=competition).count() == 2


def test_a_member_of_an_official_entrant_oversees_nothing_but_may_rate(phase, organizer) -> None:
    competition, user = phase.track.competition, UserFactory()
    EntrantFactory(competition=competition, captain=user)
    given = {"actor": organizer, "competition": competition, "user": user, "now": NOW}
    for role in (Role.ORGANIZER, Role.AUDITOR):
        with pytest.raises(ConflictOfInterest):
            roles.grant(role=role, **given)
    assert roles.grant(role=Role.RATER, **given).role == "rater"


def move(phase, actor, field, new, reason="Server trouble"):
    return deadlines.move(actor=actor, phase=phase, field=field, new=new, reason=reason, now=NOW)


def test_an_extension_keeps_the_old_date_and_the_reason(phase, organizer) -> None:
    old, new = phase.closes_at, phase.closes_at + 7 * DAY
    assert move(phase, organizer, "closes_at", new).closes_at == new
    change = DeadlineChange.objects.get()
    assert (change.field, change.old, change.new, change.reason, change.actor) == (
        "closes_at",
        old,
        new,
        "Server trouble",
        organizer,
    )
    event = AuditEvent.objects.get()
    assert event.kind == "deadline.moved"
    assert json.loads(event.payload) == {
        "field": "closes_at",
        "old": old.isoformat(),
        "new": new.isoformat(),
    }


def test_the_same_deadline_again_changes_nothing(phase, organizer) -> None:
    move(phase, organizer, "closes_at", phase.closes_at)
    assert not DeadlineChange.objects.exists()


def test_a_closed_phase_can_be_opened_again(phase, organizer) -> None:
    phase.closes_at = NOW - DAY
    phase.save()
    assert move(phase, organizer, "closes_at", NOW + DAY).closes_at == NOW + DAY


def test_a_freeze_is_set_and_lifted(phase, organizer) -> None:
    assert move(phase, organizer, "frozen_from", NOW + DAY).frozen_from == NOW + DAY
    assert move(phase, organizer, "frozen_from", None).frozen_from is None


@pytest.mark.parametrize(
    ("field", "new"),
    [
        ("closes_at", NOW - DAY),
        ("closes_at", None),
        ("opens_at", NOW + DAY),
        ("opens_at", None),
        ("frozen_from", NOW - 11 * DAY),
        ("frozen_from", NOW + 10 * DAY),
        ("grace_minutes", NOW),
    ],
)
def test_a_moment_that_does_not_fit_is_refused(phase, organizer, field, new) -> None:
    with pytest.raises(DeadlineInvalid):
        move(phase, organizer, field, new)
    assert not DeadlineChange.objects.exists()


def test_a_phase_that_has_not_opened_moves_within_reason(organizer, phase) -> None:
    phase.opens_at = NOW + DAY
    phase.save()
    assert move(phase, organizer, "opens_at", NOW + 2 * DAY).opens_at == NOW + 2 * DAY
    with pytest.raises(DeadlineInvalid):
        move(phase, organizer, "opens_at", phase.closes_at)


def test_deadlines_move_by_organizers_with_a_reason(phase, organizer) -> None:
    new = phase.closes_at + DAY
    with pytest.raises(NotOrganizer):
        move(phase, UserFactory(), "closes_at", new)
    with pytest.raises(ReasonMissing):
        move(phase, organizer, "closes_at", new, reason=" ")
    phase.refresh_from_db()
    assert phase.closes_at != new


@pytest.mark.parametrize("sql", ["DELETE FROM {}", "UPDATE {} SET reason = 'x'"])
def test_history_is_evidence(phase, organizer, sql: str) -> None:
    move(phase, organizer, "closes_at", phase.closes_at + DAY)
    with pytest.raises(IntegrityError, match="evidence is kept"), transaction.atomic():
        connection.cursor().execute(sql.format("competition_deadlinechange"))
