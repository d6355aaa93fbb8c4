"""Draws of clips from a pool: stratified, by hash, so that anybody can make the same list.

Algorithm `hash-order`, version 1. The number of clips of each stratum is its share of the draw by
largest remainder, in integers; within a stratum clips are ordered by SHA-256 of `key:utt_id`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from grading.scoring.types import ScoringError

ALGORITHM = "hash-order"
VERSION = 1
STRATA = (("tier",), ("language", "tier"))
SEED_CHARACTERS = 64

_HEX = frozenset("0123456789abcdef")

Stratum = tuple[str, ...]


class DrawRefused(ScoringError):
    """A draw that cannot be made: more clips than there are, a clip twice, a key or seed that is none."""


class PoolClip(NamedTuple):
    """A clip that may be drawn; `language` is empty where the strata do not use it."""

    utt_id: str
    tier: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """What one stratum gives: how many clips it has, and how many are drawn of it."""

    stratum: Stratum
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: the ids sorted by code point, and the shares of all strata in order of their names."""

    utt_ids: tuple[str, ...]
    shares: tuple[Share, ...]
    strata: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many clips were drawn of each tier, tiers without any included."""
        counts: dict[str, int] = {}
        place = self.strata.index("tier")
        for share in self.shares:
            tier = share.stratum[place]
            counts[tier] = counts.get(tier, 0) + share.count
        return counts


def draw(
    clips: Iterable[PoolClip], *, n: int, key: str, strata: Sequence[str] = ("tier",)
) -> Drawn:
    """Return n clips of the pool; the same pool, n and key give the same list in any order.

    Raises DrawRefused for n below 1 or above the pool, an empty key, an id twice or empty, a
    clip without its tier (or language, where the strata use it), and strata that there are not.
    """
    names = tuple(strata)
    if names not in STRATA:
        raise DrawRefused(f"strata must be {' or '.join(map(','.join, STRATA))}")
    if not key:
        raise DrawRefused("the key is empty")
    groups = _groups(clips, names)
    total = sum(map(len, groups.values()))
    if not 1 <= n <= total:
        raise DrawRefused(f"{n} clips cannot be drawn from a pool of {total}")
    counts = allot({stratum: len(ids) for stratum, ids in groups.items()}, n)
    drawn = [
        utt_id
        for stratum, ids in groups.items()
        for utt_id in in_hash_order(ids, key)[: counts[stratum]]
    ]
    shares = tuple(Share(one, len(groups[one]), counts[one]) for one in sorted(groups))
    return Drawn(tuple(sorted(drawn)), shares, names)


def allot(sizes: Mapping[Stratum, int], n: int) -> dict[Stratum, int]:
    """Return how many clips each stratum gives: largest remainder of n times its share.

    Remainders are compared as integers, (n * size) mod total; equal ones by the larger stratum,
    then by its name in code-point order. With n at most the total no stratum gives more than it has.

    >>> allot({("easy",): 20, ("hard",): 15, ("medium",): 20}, 30)
    {('easy',): 11, ('hard',): 8, ('medium',): 11}
    """
    total = sum(sizes.values())
    counts = {stratum: n * size // total for stratum, size in sizes.items()}
    left = n - sum(counts.values())
    order = sorted(sizes, key=lambda one: (-(n * sizes[one] % total), -sizes[one], one))
    for stratum in order[:left]:
        counts[stratum] += 1
    return counts


def in_hash_order(utt_ids: Iterable[str], key: str) -> list[str]:
    """Return ids by SHA-256 of the UTF-8 of `key:utt_id`, ascending in hex."""
    return sorted(utt_ids, key=lambda utt_id: _hash(f"{key}:{utt_id}"))


def commitment(seed: str) -> str:
    """Return what is published before a window opens: SHA-256 of the seed's 64 hex characters.

    Raises DrawRefused for a seed that is not 64 lower-case hex characters.
    """
    require_seed(seed)
    return _hash(seed)


def window_key(seed: str, public: str = "") -> str:
    """Return the key of a phase: its seed, or `seed:public` where a public value was named before.

    Raises DrawRefused for a seed that is none.
    """
    require_seed(seed)
    return f"{seed}:{public}" if public else seed


def run_key(window: str, run: int) -> str:
    """Return the key of an entrant's run (counted from 1), the same for all entrants.

    Raises DrawRefused for a run below 1.
    """
    if run < 1:
        raise DrawRefused(f"runs are counted from 1, not {run}")
    return f"{window}:{run}"


def require_seed(seed: str) -> None:
    """Raise DrawRefused unless the seed is 64 lower-case hex characters."""
    if len(seed) != SEED_CHARACTERS or not _HEX.issuperset(seed):
        raise DrawRefused(f"a seed is {SEED_CHARACTERS} lower-case hex characters")


def expected_share(pool: int, n: int, runs: int) -> Fraction:
    """Return the share of a pool that is expected to be seen after some runs: 1 - (1 - n/pool)^runs.

    Raises DrawRefused when n is not from 0 to pool, or runs is below 0.

    >>> round(float(expected_share(55, 30, 2)), 4)
    0.7934
    """
    if not 0 <= n <= pool or pool < 1 or runs < 0:
        raise DrawRefused(f"no share of {n} clips from {pool} in {runs} runs")
    return 1 - (1 - Fraction(n, pool)) ** runs


def _groups(clips: Iterable[PoolClip], strata: tuple[str, ...]) -> dict[Stratum, list[str]]:
    groups: dict[Stratum, list[str]] = {}
    seen: set[str] = set()
    for clip in clips:
        stratum = tuple(str(getattr(clip, name)) for name in strata)
        _require_whole(clip.utt_id, stratum, strata)
        if clip.utt_id in seen:
            raise DrawRefused(f"{clip.utt_id} is in the pool twice")
        seen.add(clip.utt_id)
        groups.setdefault(stratum, []).append(clip.utt_id)
    return groups


def _require_whole(utt_id: str, stratum: Stratum, strata: tuple[str, ...]) -> None:
    if not utt_id:
        raise DrawRefused("a clip of the pool has no utt_id")
    for name, value in zip(strata, stratum, strict=True):
        if not value:
            raise DrawRefused(f"{utt_id} has no {name}")


def _hash(text: str) -> str:
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        raise DrawRefused("a key, seed or utt_id is not valid Unicode") from None
