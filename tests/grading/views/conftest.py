from __future__ import annotations

import pytest
import time_machine

from competition.enums import Role
from competition.models import RoleGrant
from grading.models import Board
from grading.services import boards, standings
from tests.factories.accounts import UnverifiedUserFactory, UserFactory
from tests.factories.grading import NOW, Arena


@pytest.fixture(autouse=True)
def _in_the_phase():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def people(arena: Arena) -> dict:
    """Somebody of every kind; `rival` is the captain of another team."""
    grants = {}
    for role in (Role.ORGANIZER, Role.AUDITOR):
        grants[role.value] = UserFactory()
        RoleGrant.objects.create(
            competition=arena.competition, user=grants[role.value], role=role, granted_at=NOW
        )
    return {
        "anonymous": None,
        "unverified": UnverifiedUserFactory(),
        "outsider": UserFactory(),
        "rival": arena.enter("Team Rival")[1],
        "captain": arena.captain,
        **grants,
    }


@pytest.fixture
def seen_by(client, people):
    """Return a function that gets a page as somebody."""

    def get(who: str, path: str, **extra):
        if people[who] is None:
            client.logout()
        else:
            client.force_login(people[who])
        return client.get(path, **extra)

    return get


@pytest.fixture
def rebuild(arena: Arena):
    """Return a function that brings the board up to date."""

    def run() -> Board:
        boards.want_rebuild(phase_id=arena.phase.pk, now=NOW)
        board = Board.objects.get(phase=arena.phase)
        return standings.rebuild(board_id=board.pk, now=NOW)

    return run
