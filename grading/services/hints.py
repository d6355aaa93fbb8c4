"""Hints that accounts of different entrants are one person's, or one institution's: for organizers to judge.

Read from the side tables that may be erased, at each look, and kept nowhere: what is shown of an address or a
device is a keyed hash, another one in each competition. A hint proves nothing; a judgement is recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from typing import Final

from django.utils.translation import gettext as _

from accounts.models import AuditPrivate, User
from accounts.names import fold
from accounts.services import audit
from competition.enums import LinkVerdict
from competition.models import Competition, Entrant, EntrantMember, LinkJudgement
from competition.services.authority import require_organizer, require_reason
from competition.services.errors import JudgementRefused
from grading.services.ratings.conflicts import PUBLIC_PROVIDERS

MARK: Final = 8


class HintKind(StrEnum):
    """What two accounts have in common, the strongest first."""

    DEVICE = "device"
    ADDRESS = "address"
    DOMAIN = "domain"
    INSTITUTION = "institution"


CROWD: Final = {
    HintKind.DEVICE: 12,
    HintKind.ADDRESS: 12,
    HintKind.DOMAIN: 6,
    HintKind.INSTITUTION: 6,
}
"""What more people than this share (an office, a campus, a university) tells nothing of two of them."""


@dataclass(frozen=True, slots=True)
class Hint:
    """One thing in common: its keyed hash in short, and how many people share it."""

    kind: HintKind
    mark: str
    people: int


@dataclass(frozen=True, slots=True)
class Place:
    """A person and the entrant of their latest place."""

    user: User
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people of different entrants, what they have in common, and what was made of it."""

    one: Place
    other: Place
    hints: tuple[Hint, ...]
    judgement: LinkJudgement | None

    @property
    def kinds(self) -> list[str]:
        """The kinds of hints, the strongest first."""
        return [hint.kind.value for hint in self.hints]

    @property
    def weight(self) -> tuple[int, ...]:
        """Strong hints first: one number per kind, 0 where the pair has it."""
        found = {hint.kind for hint in self.hints}
        return tuple(int(kind not in found) for kind in HintKind)


@dataclass(frozen=True, slots=True)
class Crowded:
    """How many things of a kind were left out because more than `crowd` people share them."""

    kind: HintKind
    count: int
    crowd: int


@dataclass(frozen=True, slots=True)
class Found:
    """Every pair with a hint, the strongest first, and what was left out."""

    pairs: list[Pair]
    crowded: list[Crowded]

    def of(self, one: str, other: str) -> Pair | None:
        """Return the pair of two people's codes, in either order."""
        wanted = {one, other}
        fitting = (
            pair for pair in self.pairs if {pair.one.user.code, pair.other.user.code} == wanted
        )
        return next(fitting, None)


def find(competition: Competition) -> Found:
    """Return what people of different entrants of the competition have in common."""
    places = _places(competition)
    shared: dict[tuple[int, int], list[Hint]] = defaultdict(list)
    crowded = []
    for kind, groups in _groups(competition, places).items():
        left_out = 0
        for value, users in groups.items():
            if len(users) > CROWD[kind]:
                left_out += 1
                continue
            hint = Hint(kind, _mark(competition, kind, value), len(users))
            for pair in combinations(sorted(users), 2):
                if places[pair[0]].entrant.pk != places[pair[1]].entrant.pk:
                    shared[pair].append(hint)
        crowded += [Crowded(kind, left_out, CROWD[kind])] if left_out else []
    judged = _judgements(competition)
    pairs = [
        Pair(places[one], places[other], tuple(hints), judged.get(frozenset((one, other))))
        for (one, other), hints in shared.items()
    ]
    return Found(sorted(pairs, key=_rank), crowded)


def judge(
    *,
    actor: User,
    competition: Competition,
    pair: Pair,
    verdict: LinkVerdict,
    reason: str,
    now: datetime,
) -> LinkJudgement:
    """Record what an organizer makes of a pair; the newest judgement counts.

    Refuses NotOrganizer, ReasonMissing, JudgementRefused.
    """
    require_organizer(actor, competition)
    text = require_reason(reason)
    if pair.one.user == pair.other.user:
        raise JudgementRefused(_("These are not two people."))
    with audit.audited():
        made = LinkJudgement.objects.create(
            competition=competition,
            one=pair.one.user,
            other=pair.other.user,
            verdict=verdict,
            hints=pair.kinds,
            reason=text,
            judged_by=actor,
            judged_at=now,
        )
        for place, other in ((pair.one, pair.other), (pair.other, pair.one)):
            audit.record(
                scope=competition.audit_scope,
                kind=f"link.{verdict.value}",
                actor=actor,
                target=f"person:{audit.person(place.user)}",
                payload={
                    "with": audit.person(other.user),
                    "hints": pair.kinds,
                    "reason": audit.keyed_hash(text),
                },
                now=now,
            )
    return made


def _places(competition: Competition) -> dict[int, Place]:
    """Return everybody who is or was in an entrant, with the latest one, by the person's key."""
    rows = EntrantMember.objects.filter(competition=competition).select_related(
        "user", "entrant__team"
    )
    return {
        row.user_id: Place(row.user, row.entrant)
        for row in rows.order_by("joined_at", "pk")
        if row.user.is_active
    }


def _groups(
    competition: Competition, places: dict[int, Place]
) -> dict[HintKind, dict[str, set[int]]]:
    groups: dict[HintKind, dict[str, set[int]]] = {kind: defaultdict(set) for kind in HintKind}
    for user, address, agent in _sightings(competition, places):
        groups[HintKind.ADDRESS][address].add(user)
        if agent:
            groups[HintKind.DEVICE][f"{address}\n{agent}"].add(user)
    for user, place in places.items():
        domain = place.user.email.rpartition("@")[2].lower()
        if domain and domain not in PUBLIC_PROVIDERS:
            groups[HintKind.DOMAIN][domain].add(user)
        if place.entrant.team.affiliation:
            groups[HintKind.INSTITUTION][fold(place.entrant.team.affiliation)].add(user)
    return groups


def _sightings(
    competition: Competition, places: dict[int, Place]
) -> Iterator[tuple[int, str, str]]:
    """Yield who acted from where since the competition was made, each once."""
    keys = {audit.person(place.user): user for user, place in places.items()}
    inside = User.objects.filter(entries__competition=competition).values("code")
    rows = AuditPrivate.objects.filter(
        event__actor__in=inside, event__at__gte=competition.created_at
    ).exclude(address="")
    seen = rows.values_list("event__actor", "address", "user_agent").order_by().distinct()
    for actor, address, agent in seen.iterator():
        if actor in keys:
            yield keys[actor], address, agent


def _judgements(competition: Competition) -> dict[frozenset[int], LinkJudgement]:
    rows = LinkJudgement.objects.filter(competition=competition).select_related("judged_by")
    return {frozenset((row.one_id, row.other_id)): row for row in rows.order_by("pk")}


def _mark(competition: Competition, kind: HintKind, value: str) -> str:
    return audit.keyed_hash(f"{competition.code}:{kind}:{value}")[:MARK]


def _rank(pair: Pair) -> tuple[object, ...]:
    """Pairs without a judgement first, then by strength, then by the teams' names."""
    people: Iterable[Place] = (pair.one, pair.other)
    names = [f"{place.entrant.team.name_key} {place.user.code}" for place in people]
    return (pair.judgement is not None, pair.weight, *names)
