"""Who hears what, in which order: Williams and Latin-square plans from a seed, with no other input.

Every order is that of SHA-256 of the seed and what is ordered, so that a plan can be drawn again by
anybody, on any machine.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

SCORED, TRAP, KNOWN, REPEAT, NULL = "scored", "trap", "known", "repeat", "null"
FEWEST_SYSTEMS = 2
_A_PAIR_IN_TWO = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """One place of a plan: at `position` (from 0) the rater hears `system` speak `text`."""

    position: int
    text: str
    system: str


def shuffled(items: Iterable[str], *seed: object) -> list[str]:
    """Return the items in the order of the hash of seed and item; equal ones are one.

    >>> shuffled(["a", "b", "c"], 1) == shuffled(["c", "b", "a"], 1)
    True
    """
    return sorted(set(items), key=lambda item: (_digest(*seed, item), item))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()


def choose_texts(labels: Mapping[str, Collection[str]], *, count: int, seed: str) -> list[str]:
    """Return `count` ids, sorted, as evenly over the labels as they go: 80 are 16 labels × 5.

    `labels` maps a text's id to the labels in it. Labels take turns; each takes the first by hash
    that nobody took, among texts that name it. Fewer texts than `count` are all of them.
    """
    waiting: dict[str, list[str]] = {}
    for utt_id in shuffled(labels, seed, "texts"):
        for label in sorted(set(labels[utt_id])) or [""]:
            waiting.setdefault(label, []).append(utt_id)
    chosen: set[str] = set()
    while len(chosen) < min(count, len(labels)):
        for label in shuffled(waiting, seed, "labels"):
            queue = waiting[label]
            while queue and queue[0] in chosen:
                queue.pop(0)
            if queue and len(chosen) < count:
                chosen.add(queue.pop(0))
    return sorted(chosen)


def williams(size: int) -> list[list[int]]:
    """Return a Williams design: rows in which every ordered pair is neighbors equally often.

    `size` rows where it is even, twice as many where it is odd. Source: Williams, Australian
    Journal of Scientific Research A2 (1949).

    >>> williams(4)[0]
    [0, 1, 3, 2]
    """
    first = [(step + 1) // 2 if step % 2 else (size - step // 2) % size for step in range(size)]
    rows = [[(place + shift) % size for place in first] for shift in range(size)]
    return rows if size % 2 == 0 else rows + [row[::-1] for row in rows]


def plan_rows(
    systems: Sequence[str], texts: Sequence[str], *, copies: int, seed: str
) -> list[list[Slot]]:
    """Return `copies` × systems rows, each for one rater: every text once, systems equal within one.

    Over the rows of each copy every system speaks every text once, and the copies come one after the
    other: a rating that ends early has all clips rated equally often within one. In no row does a
    system follow itself. Any beginning of a row has all systems equal within one, any rest within two, so
    that a plan that was left can be taken over. Raises ValueError for fewer than two systems.
    """
    if len(systems) < FEWEST_SYSTEMS:
        raise ValueError("a plan needs at least two systems")
    names = sorted(set(systems))
    rows: list[list[Slot]] = []
    for copy in range(copies):
        ordered = shuffled(texts, seed, "classes", copy)
        classes = [ordered[place :: len(names)] for place in range(len(names))]
        cycle = shuffled(names, seed, "systems", copy)
        for turn in map(int, shuffled(map(str, range(len(names))), seed, "rows", copy)):
            spoken = {
                cycle[(place + turn) % len(names)]: shuffled(group, seed, "row", copy, turn)
                for place, group in enumerate(classes)
            }
            rows.append(_row(spoken, (seed, copy, turn)))
    return rows


def _row(spoken: Mapping[str, Sequence[str]], seed: tuple[object, ...]) -> list[Slot]:
    """Return one row: blocks in which every system that still has a text speaks once.

    Blocks are ordered from the last backwards: the shortest one, which has the least choice, first.
    """
    names = sorted(spoken)
    orders = [[names[place] for place in order] for order in williams(len(names))]
    ranked = [orders[int(place)] for place in shuffled(map(str, range(len(orders))), *seed)]
    blocks: list[list[tuple[str, str]]] = []
    for block in reversed(range(max(map(len, spoken.values())))):
        start = block % len(ranked)
        for order in ranked[start:] + ranked[:start]:
            present = [name for name in order if len(spoken[name]) > block]
            if not blocks or present[-1] != blocks[-1][0][0]:
                break
        blocks.append([(name, spoken[name][block]) for name in present])
    pairs = [pair for block in reversed(blocks) for pair in block]
    return [Slot(place, text, system) for place, (system, text) in enumerate(pairs)]


def session_layout(
    *, scored: int, traps: int, known: int, repeats: int, seed: str, nulls: int = 0
) -> list[str]:
    """Return the kinds of a session's tasks in order: controls spread evenly, repeats late.

    Nothing but scored stimuli begins a session, no control follows another where there is room, and
    a repeat comes in the last third, when there is something to repeat.
    """
    layout = [SCORED] * scored
    counts = {TRAP: traps, KNOWN: known, NULL: nulls}
    controls = shuffled(
        [f"{kind}:{n}" for kind, count in counts.items() for n in range(count)], seed, "controls"
    )
    late = scored - scored // 3
    places = _spread(repeats, late, scored, seed, "repeats")
    inserts = [(place, REPEAT) for place in places]
    places = _spread(len(controls), min(2, scored), scored, seed, "places")
    inserts += [(place, name.split(":")[0]) for place, name in zip(places, controls, strict=True)]
    for place, kind in sorted(inserts, reverse=True):
        layout.insert(place, kind)
    return layout


def _spread(count: int, low: int, high: int, *seed: object) -> list[int]:
    """Return `count` places from `low` to `high`, one at random in each of as many stretches."""
    places = []
    for turn in range(count):
        start = low + (high - low) * turn // count
        width = max(1, low + (high - low) * (turn + 1) // count - start)
        drawn = int.from_bytes(_digest(*seed, turn)[:8], "big") % width
        places.append(start + drawn)
    return places


def session_share(full: int, scored: int, of: int) -> int:
    """Return how many of `full` control items belong to a session with fewer scored stimuli.

    >>> session_share(4, 10, 40), session_share(4, 40, 40), session_share(4, 1, 40)
    (1, 4, 1)
    """
    return min(full, -(-full * scored // of)) if scored else 0


def null_share(scored: int, every: int) -> int:
    """Return how many null pairs make every so-manyth pair of a session one, to the nearest.

    >>> null_share(40, 12), null_share(11, 12), null_share(5, 12), null_share(40, 0)
    (4, 1, 0, 0)
    """
    if every < _A_PAIR_IN_TWO:
        return 0
    others = every - 1
    return (2 * scored + others) // (2 * others)


def is_first(*seed: object) -> bool:
    """Return a fair draw that follows from the seed: whether the first of two comes first.

    >>> is_first("seed", 1) == is_first("seed", 1)
    True
    """
    return _digest(*seed)[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Need:
    """How many raters a language needs: for the wanted ratings, and for the fewest that publish."""

    wanted: int
    least: int
    sessions: int
    """Sessions that each of them rates."""


def raters_needed(*, systems: int, texts: int, wanted: int, least: int, scored: int) -> Need:
    """Return how many raters each language needs, since a rater hears each text once: k × systems.

    >>> raters_needed(systems=9, texts=80, wanted=5, least=3, scored=40)
    Need(wanted=45, least=27, sessions=2)
    """
    return Need(wanted * systems, least * systems, -(-texts // scored))
