"""Each predicate of rules.py agrees with `visible_to`, for every kind of person and state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts.services import audit
from competition import queries, rules
from competition.enums import (
    BoardVisibility,
    CompetitionState,
    EntrantKind,
    EntrantState,
    Role,
)
from competition.models import Competition, Entrant, Phase, ReferenceVersion, Track
from tests.factories.accounts import UserFactory
from tests.factories.competition import EntrantFactory, PhaseFactory, RoleGrantFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db

KINDS = [
    "nobody", "anonymous", "outsider", "member", "left", "other_member", "organizer", "auditor",
    "rater", "revoked", "elsewhere", "staff", "admin", "disabled_admin", "disabled_organizer",
]  # fmt: skip


@pytest.fixture(params=CompetitionState.values)
def phase(request):
    phase = PhaseFactory(track__competition__state=request.param)
    for state in EntrantState:
        EntrantFactory(competition=phase.track.competition, state=state, reason="x")
    return phase


@pytest.fixture(params=KINDS)
def viewer(request, phase):
    competition = phase.track.competition
    made = {
        "nobody": lambda: None,
        "anonymous": AnonymousUser,
        "outsider": UserFactory,
        "member": lambda: member_of(competition, EntrantState.PENDING),
        "left": lambda: left(competition),
        "other_member": lambda: member_of(PhaseFactory().track.competition, EntrantState.PENDING),
        "organizer": lambda: granted(competition, Role.ORGANIZER),
        "auditor": lambda: granted(competition, Role.AUDITOR),
        "rater": lambda: granted(competition, Role.RATER),
        "revoked": lambda: granted(competition, Role.ORGANIZER, revoked_at=NOW),
        "elsewhere": lambda: RoleGrantFactory().user,
        "staff": lambda: UserFactory(is_staff=True),
        "admin": lambda: UserFactory(is_superuser=True),
        "disabled_admin": lambda: UserFactory(is_superuser=True, is_active=False),
        "disabled_organizer": lambda: granted(competition, Role.ORGANIZER, user__is_active=False),
    }
    return made[request.param]()


def granted(competition, role, **given):
    return RoleGrantFactory(competition=competition, role=role, **given).user


def member_of(competition, state):
    user = UserFactory()
    EntrantFactory(competition=competition, state=state, captain=user)
    return user


def left(competition):
    user = member_of(competition, EntrantState.PENDING)
    user.entries.update(left_at=NOW)
    return user


def test_predicates_and_querysets_agree(phase, viewer) -> None:
    audit.record(kind="a.b", actor=None, target="", payload={}, now=NOW)
    scope = phase.track.competition.audit_scope
    audit.record(kind="a.b", actor=None, target="", payload={}, now=NOW, scope=scope)
    pairs = [
        (Competition, rules.can_see_competition),
        (Track, rules.can_see_track),
        (Phase, rules.can_see_phase),
        (Entrant, rules.can_see_entrant),
        (ReferenceVersion, rules.can_see_references),
    ]
    for model, predicate in pairs:
        visible = list(model.objects.visible_to(viewer))
        assert len(visible) == len(set(visible))
        assert set(visible) == {row for row in model.objects.all() if predicate(viewer, row)}
    events = queries.events_visible_to(viewer)
    every = queries.events_visible_to(UserFactory(is_superuser=True))
    assert set(events) == {event for event in every if rules.can_see_event(viewer, event)}


@pytest.mark.parametrize("state", CompetitionState.values)
def test_what_nobody_in_particular_sees(state) -> None:
    phase = PhaseFactory(track__competition__state=state)
    for entrant_state in EntrantState:
        EntrantFactory(competition=phase.track.competition, state=entrant_state, reason="x")
    is_public = state != CompetitionState.DRAFT
    assert Competition.objects.visible_to(None).exists() is is_public
    shown = set(Entrant.objects.visible_to(None).values_list("state", flat=True))
    assert shown == ({"accepted", "withdrawn", "disqualified"} if is_public else set())
    assert not ReferenceVersion.objects.visible_to(None).exists()


def test_an_auditor_sees_no_references_and_an_organizer_does() -> None:
    phase = PhaseFactory()
    competition = phase.track.competition
    auditor, organizer = granted(competition, Role.AUDITOR), granted(competition, Role.ORGANIZER)
    assert not ReferenceVersion.objects.visible_to(auditor).exists()
    assert list(ReferenceVersion.objects.visible_to(organizer)) == [phase.references]


@pytest.mark.parametrize(
    ("visibility", "seen"),
    [
        (BoardVisibility.PUBLIC, {"anonymous", "outsider", "pending", "accepted", "auditor", "organizer"}),
        (BoardVisibility.ENTRANTS, {"accepted", "auditor", "organizer"}),
        (BoardVisibility.ORGANIZERS, {"auditor", "organizer"}),
    ],
)  # fmt: skip
def test_a_board_is_seen_as_the_phase_says_and_by_all_once_closed(visibility, seen) -> None:
    phase = PhaseFactory(board_visibility=visibility)
    competition = phase.track.competition
    people = {
        "anonymous": AnonymousUser(),
        "outsider": UserFactory(),
        "pending": member_of(competition, EntrantState.PENDING),
        "accepted": member_of(competition, EntrantState.ACCEPTED),
        "auditor": granted(competition, Role.AUDITOR),
        "organizer": granted(competition, Role.ORGANIZER),
    }

    def sees(now):
        return {name for name, user in people.items() if queries.may_see_board(user, phase, now)}

    assert sees(NOW) == seen
    assert sees(phase.closes_at) == set(people)
    competition.state = CompetitionState.DRAFT
    assert sees(phase.closes_at + timedelta(days=1)) == {"auditor", "organizer"}


def test_reads_take_few_statements(django_assert_num_queries) -> None:
    phase = PhaseFactory()
    competition = phase.track.competition
    user = UserFactory()
    entrant = EntrantFactory(competition=competition, captain=user, kind=EntrantKind.OFFICIAL)
    with django_assert_num_queries(1):
        found = queries.entrant_of(user, competition)
        assert found is not None
        assert found.team.name == entrant.team.name
    with django_assert_num_queries(1):
        assert [place.user.name for place in queries.members_of(entrant)] == [user.name]
    assert queries.entrant_of(None, competition) is None
    assert queries.roles_of(AnonymousUser(), competition) == set()
    assert not queries.has_accepted_terms(None, competition)
    assert queries.current_terms(competition) is not None
