"""Who may not rate what: own team, same e-mail domain, declared.

See docs/decisions/0251: what counts as the same domain, and which systems it concerns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import TeamMembership, User
from competition.models import RoleGrant
from competition.models.querysets import OVERSEERS, administers
from grading.enums import SelectionReason
from grading.models import DeclaredConflict, FinalSystem, RatedSystem, Rater
from grading.prepared import prepared

_Tie = tuple[int, str, bool, bool, bool, int | None, str | None]
"""A system, why it was selected, three ways to be near to it, and one of its entrant's people."""

RANKED = (SelectionReason.TOP, SelectionReason.OVERLAP)

# Where anybody gets an address: the same one says nothing of where two people belong.
PUBLIC_PROVIDERS = frozenset(
    [
        "126.com",
        "139.com",
        "163.com",
        "188.com",
        "aliyun.com",
        "aol.com",
        "fastmail.com",
        "foxmail.com",
        "gmail.com",
        "gmx.com",
        "gmx.de",
        "gmx.net",
        "googlemail.com",
        "hey.com",
        "hotmail.com",
        "hotmail.co.uk",
        "icloud.com",
        "live.com",
        "mac.com",
        "mail.com",
        "mail.ru",
        "me.com",
        "msn.com",
        "naver.com",
        "outlook.com",
        "pm.me",
        "posteo.de",
        "proton.me",
        "protonmail.com",
        "qq.com",
        "rocketmail.com",
        "sina.cn",
        "sina.com",
        "sohu.com",
        "t-online.de",
        "tutanota.com",
        "vip.163.com",
        "vip.qq.com",
        "web.de",
        "yahoo.co.jp",
        "yahoo.co.uk",
        "yahoo.com",
        "yahoo.com.cn",
        "yandex.com",
        "yandex.ru",
        "yeah.net",
        "ymail.com",
        "zoho.com",
    ]
)


def systems_of(rater: Rater) -> set[int]:
    """Return the ids of the protocol's systems that the rater must not be given.

    Whoever has, or ever had, a place in the entrant or its team is too near; who oversees the
    competition is to all. Who is near to the system that all others are compared with is given none.
    """
    if rater.user is None:
        return set()
    systems: QuerySet[RatedSystem] = RatedSystem.objects.filter(protocol_id=rater.protocol_id)
    if administers(rater.user):
        return set(systems.values_list("pk", flat=True))
    yardstick = rater.protocol.compared_with_id
    if yardstick is not None and _near(
        rater.user, _ties_to_yardstick(rater.pk, rater.user.pk, yardstick)
    ):
        return set(systems.values_list("pk", flat=True))
    return _near(rater.user, _ties(rater.pk, rater.user.pk, rater.protocol_id))


def _near(user: User, ties: Iterable[_Tie]) -> set[int]:
    return {
        pk
        for pk, reason, is_declared, is_mate, oversees, person, email in ties
        if is_declared
        or is_mate
        or oversees
        or person == user.pk
        or (reason in RANKED and email and is_same_domain(user.email, email))
    }


@prepared
def _ties(rater: int, user: int, protocol: int) -> QuerySet[RatedSystem, _Tie]:
    return _tied(RatedSystem.objects.filter(protocol=protocol), rater, user)


@prepared
def _ties_to_yardstick(rater: int, user: int, system: int) -> QuerySet[FinalSystem, _Tie]:
    return _tied(FinalSystem.objects.filter(pk=system), rater, user)


def _tied(systems: QuerySet[Any, Any], rater: int, user: int) -> QuerySet[Any, _Tie]:
    overseers = RoleGrant.objects.filter(
        competition=OuterRef("submission__entrant__competition"),
        user=user,
        role__in=OVERSEERS,
        revoked_at__isnull=True,
    )
    entrant = OuterRef("submission__entrant")
    declared = DeclaredConflict.objects.filter(rater=rater, entrant=entrant)
    team = OuterRef("submission__entrant__team")
    mates = TeamMembership.objects.filter(user=user, team=team)
    return systems.order_by().values_list(
        "pk",
        "reason",
        Exists(declared),
        Exists(mates),
        Exists(overseers),
        "submission__entrant__members__user",
        "submission__entrant__members__user__email",
    )


def is_same_domain(one: str, other: str) -> bool:
    """Return whether two addresses are of one institution's domain, or of a part of it.

    >>> is_same_domain("a@speech.example.edu", "b@example.edu")
    True
    >>> is_same_domain("a@gmail.com", "b@gmail.com")
    False
    """
    mine, theirs = (address.rpartition("@")[2].strip(".").lower() for address in (one, other))
    if not mine or not theirs or {mine, theirs} & PUBLIC_PROVIDERS:
        return False
    short, long = sorted((mine, theirs), key=len)
    if mine == theirs:
        return True
    # `ac.uk` and the like end in two short parts; below them institutions are apart.
    return _is_institution(short) and long.endswith(f".{short}")


def _is_institution(domain: str) -> bool:
    parts = domain.split(".")
    if len(parts) < 2:  # noqa: PLR2004 - a domain of one part is a whole registry
        return False
    return len(parts) > 2 or parts[0] not in _SECOND_LEVELS  # noqa: PLR2004


_SECOND_LEVELS = frozenset(["ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"])
