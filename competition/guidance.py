"""What a person should do next in a competition. Pure: it reads what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from accounts.models import User
from competition.calendar import Season
from competition.enums import EntrantState
from competition.models import Entrant


class Next(StrEnum):
    """The one thing to do, or what to wait for."""

    LOG_IN = "log-in"
    VERIFY = "verify"
    CONSOLE = "console"
    MAKE_TEAM = "make-team"
    JOIN = "join"
    REGISTER = "register"
    ASK_CAPTAIN = "ask-captain"
    ACCEPT_TERMS = "accept-terms"
    WAIT = "wait"
    REFUSED = "refused"
    OUT = "out"
    SUBMIT = "submit"
    OPENS_LATER = "opens-later"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides the next step of a viewer."""

    person: User | None
    season: Season
    is_organizer: bool = False
    entrant: Entrant | None = None
    has_terms: bool = False
    leads_team: bool = False
    is_in_team: bool = False
    joinable: Entrant | None = None


def next_step(given: Situation) -> Next:
    """Return what the viewer should do next."""
    if given.is_organizer:
        return Next.CONSOLE
    if given.season == Season.PAST:
        return Next.OVER
    if given.person is None:
        return Next.LOG_IN
    if not given.person.is_verified:
        return Next.VERIFY
    return _entered(given, given.entrant) if given.entrant else _outside(given)


def _outside(given: Situation) -> Next:
    if given.joinable:
        return Next.JOIN
    if given.leads_team:
        return Next.REGISTER
    return Next.ASK_CAPTAIN if given.is_in_team else Next.MAKE_TEAM


def _entered(given: Situation, entrant: Entrant) -> Next:
    if entrant.state in {EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED}:
        return Next.OUT
    if entrant.state == EntrantState.REFUSED:
        return Next.REFUSED
    if not given.has_terms:
        return Next.ACCEPT_TERMS
    if entrant.state == EntrantState.PENDING:
        return Next.WAIT
    return Next.SUBMIT if given.season == Season.OPEN else Next.OPENS_LATER
