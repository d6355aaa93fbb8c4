"""What each entrant has seen of a window's pool: in draws of any window, and in copies of packs."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from competition.models import (
    DrawnClip,
    DrawWindow,
    Entrant,
    Exposure,
    PackFile,
    PackIssue,
    PoolClip,
)
from competition.queries import heirs
from grading.scoring import draws

Windows = dict[int, "Source"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What an entrant has seen of a window's pool.

    `draws` counts those that the entrant was given, of this window and of others with clips of the
    pool. `clips` counts the pool's clips in them and `copied` those in packs that its people
    downloaded from, each clip once; `share` is that of the pool in either. `expected` is the share
    that chance makes one expect of the draws alone.
    """

    entrant: Entrant
    draws: int
    clips: int
    copied: int
    share: Fraction
    expected: Fraction


@dataclass(slots=True)
class Source:
    """A window that draws from clips of the pool: how many it draws, and from which audio."""

    n: int
    audio: set[int]


def of_pool(window: DrawWindow) -> list[Seen]:
    """Return what each entrant has seen of the pool, most first.

    Audio is told by its SHA-256: draws of the competition's other windows count where they hold the same.
    What an entrant saw before it went into another one, that one has seen.
    """
    heir = heirs(window.competition)
    pool = set(window.pool.values_list("clip__audio_id", flat=True))
    sources = _sources(window)
    drawn, runs = _given(pool, sources, heir)
    copied = _copied(window, heir)
    people = Entrant.objects.select_related("team").in_bulk({*runs, *copied})
    found = []
    for key, entrant in people.items():
        mine, packed = drawn.get(key, set()), copied.get(key, set())
        counted = runs.get(key, Counter())
        share = Fraction(len(mine | packed), window.pool_size)
        expected = _expected(pool, counted, sources)
        found.append(Seen(entrant, counted.total(), len(mine), len(packed), share, expected))
    return sorted(found, key=lambda one: (-one.share, one.entrant.team.name_key))


def _sources(window: DrawWindow) -> Windows:
    """Return the competition's windows whose pools share audio with this one's."""
    same = PoolClip.objects.filter(
        window__competition=window.competition_id, clip__audio__in=window.pool.values("clip__audio")
    )
    found: Windows = {}
    rows = PoolClip.objects.filter(window__in=same.values("window"))
    for key, n, audio in rows.values_list("window_id", "window__n", "clip__audio_id"):
        found.setdefault(key, Source(n, set())).audio.add(audio)
    return found


def _given(
    pool: set[int], sources: Windows, heir: dict[int, int]
) -> tuple[dict[int, set[int]], dict[int, Counter[int]]]:
    """Return, by entrant, the pool's audio in draws it was given, and how many these are by window."""
    by_draw: dict[int, set[int]] = {}
    drawn = DrawnClip.objects.filter(draw__window__in=sources)
    for draw_id, audio in drawn.values_list("draw_id", "clip__audio_id"):
        by_draw.setdefault(draw_id, set()).add(audio)
    found: dict[int, set[int]] = {}
    given: dict[int, set[tuple[int, int]]] = {}
    rows = Exposure.objects.filter(draw__in=by_draw).order_by("pk")
    for draw_id, source, original in rows.values_list("draw_id", "draw__window_id", "entrant_id"):
        entrant = heir.get(original, original)
        found.setdefault(entrant, set()).update(by_draw[draw_id] & pool)
        given.setdefault(entrant, set()).add((source, draw_id))
    return found, {key: Counter(source for source, _ in pairs) for key, pairs in given.items()}


def _expected(pool: set[int], runs: Counter[int], sources: Windows) -> Fraction:
    """Return the mean chance of the pool's clips to be in one at least of so many draws by window."""
    alike = Counter(tuple(key for key in runs if audio in sources[key].audio) for audio in pool)
    missed = sum(
        (count * _missed(windows, runs, sources) for windows, count in alike.items()), Fraction(0)
    )
    return 1 - missed / len(pool)


def _missed(windows: tuple[int, ...], runs: Counter[int], sources: Windows) -> Fraction:
    """Return the chance of a clip that these windows draw from to be in none of their draws."""
    shares = (
        draws.expected_share(len(sources[key].audio), sources[key].n, runs[key]) for key in windows
    )
    return math.prod((1 - share for share in shares), start=Fraction(1))


def _copied(window: DrawWindow, heir: dict[int, int]) -> dict[int, set[int]]:
    """Return the pool's audio in packs that the entrant's people downloaded from, by entrant.

    Whoever received bytes of a copy may have every clip of it. Audio is told by its SHA-256, so that
    a pack of another version counts where it holds the same bytes.
    """
    pool = dict(window.pool.values_list("clip__audio__sha256", "clip__audio_id"))
    by_pack: dict[int, set[int]] = {}
    downloaded = PackIssue.objects.filter(competition=window.competition_id, sent__gt=0)
    files = PackFile.objects.filter(
        pack__in=downloaded.values("pack"),
        sha256__in=window.pool.values("clip__audio__sha256"),
    )
    for pack, digest in files.values_list("pack_id", "sha256"):
        by_pack.setdefault(pack, set()).add(pool[digest])
    found: dict[int, set[int]] = {}
    rows = downloaded.filter(pack__in=by_pack).values_list("entrant_id", "pack_id")
    for original, pack in rows.distinct():
        found.setdefault(heir.get(original, original), set()).update(by_pack[pack])
    return found
