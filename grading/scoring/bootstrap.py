"""Percentile bootstrap over utterances, stratified by language, from integer tallies.

The draws are a function of the seed alone: the raw 64-bit stream of PCG64, each word split into
its low, then its high 32 bits; a draw u becomes the index (u·n) >> 32. Replicate by replicate,
strata in their given order, utterances in theirs. All sums are exact integers, so the same
tallies and seed give the same bytes on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grading.scoring.tracks.base import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

REPLICATES = 10_000
TAIL_PER_MILLE = 25
MAX_DEGENERATE_PERCENT = 1
FEWER_THAN_TWO_CLIPS = "FEWER_THAN_TWO_CLIPS"
DEGENERATE_REPLICATES = "DEGENERATE_REPLICATES"
ZERO_WIDTH = "ZERO_WIDTH"
LANGUAGE_WITHOUT_INTERVAL = "LANGUAGE_WITHOUT_INTERVAL"
DECIMALS = 12

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_WORD_BITS = 63
_CHUNK_DRAWS = 200_000  # indices and one gathered column stay in the processor's cache
_CHUNK_COUNTS = 1_000_000  # how often each utterance was drawn, before it is multiplied
_SINGLE_BITS, _DOUBLE_BITS = 24, 53  # whole numbers up to these are exact in floats


class _Packed:
    """Columns laid side by side in 63-bit words, with room for the sum of any n draws.

    One gather then resamples several tallies at once. Equal columns are kept once.
    """

    def __init__(self, columns: Integers) -> None:
        self.size = columns.shape[1]
        self.places: list[tuple[int, int, int]] = [(0, 0, 0)] * len(columns)
        self.words: list[Integers] = []
        used: list[int] = []
        known: dict[bytes, tuple[int, int, int]] = {}
        widths = [_bits(column, self.size) for column in columns]
        for index in sorted(range(len(columns)), key=lambda i: (-widths[i], i)):
            column = columns[index]
            key = column.tobytes()
            if key not in known:
                known[key] = self._put(column, widths[index], used)
            self.places[index] = known[key]

    def _put(self, column: Integers, width: int, used: list[int]) -> tuple[int, int, int]:
        for word, bits in enumerate(used):
            if bits + width <= _WORD_BITS:
                self.words[word] = self.words[word] | column << bits
                used[word] += width
                return word, bits, width
        self.words.append(column.copy())
        used.append(width)
        return len(used) - 1, 0, width

    def sums(self, indices: Integers) -> list[Integers]:
        """Return, per word, the sums over the drawn utterances of each replicate."""
        # The indices are below n by construction; "clip" only spares the check.
        return [word.take(indices, mode="clip").sum(axis=1) for word in self.words]

    def unpack(self, words: Sequence[Integers]) -> Integers:
        """Return one row per column from the summed words."""
        return np.stack([words[w] >> bits & (1 << width) - 1 for w, bits, width in self.places])


def _bits(column: Integers, size: int) -> int:
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    width = (high * size).bit_length()
    if low < 0 or width > _WORD_BITS:
        raise ValueError("tallies must be integers of 0 or more whose sums fit 63 bits")
    return max(width, 1)


def resample(
    strata: Sequence[Integers], *, seed: int, replicates: int = REPLICATES
) -> list[Integers]:
    """Return resampled sums: per stratum an array (columns, replicates).

    A stratum is an array (columns, utterances) of integers of 0 or more; its utterances are drawn
    with replacement, as many as there are. Raises ValueError on an empty stratum or on sums
    beyond 63 bits.
    """
    if any(stratum.shape[1] == 0 for stratum in strata):
        raise ValueError("a stratum without utterances cannot be resampled")
    packed = [_Packed(stratum) for stratum in strata]
    chunks: list[list[list[Integers]]] = [[[] for _ in item.words] for item in packed]
    for draws in _draws(sum(item.size for item in packed), seed, replicates):
        start = 0
        for item, sums in zip(packed, chunks, strict=True):
            indices = _indices(draws[:, start : start + item.size], item.size)
            for word, chunk in zip(sums, item.sums(indices), strict=True):
                word.append(chunk)
            start += item.size
    return [
        item.unpack([np.concatenate(word) for word in sums])
        for item, sums in zip(packed, chunks, strict=True)
    ]


class _Product:
    """Sums of drawn tallies as a product: how often each utterance was drawn times its tallies.

    All factors and sums are whole numbers that the chosen float holds exactly, so the order in
    which a library adds them, and the machine, make no difference.
    """

    def __init__(self, columns: Integers, bits: int) -> None:
        self.size = columns.shape[1]
        unique, self._places = _distinct(columns)
        kind = np.float32 if bits <= _SINGLE_BITS else np.float64
        self._tallies = np.ascontiguousarray(unique.T, dtype=kind)
        self._counts = np.empty((max(1, _CHUNK_COUNTS // self.size), self.size), dtype=kind)
        self._filled = 0
        self._found: list[Integers] = []

    def take(self, draws: NDArray[np.uint32]) -> None:
        """Count some replicates' draws."""
        for indices in _indices(draws, self.size):
            self._counts[self._filled] = np.bincount(indices, minlength=self.size)
            self._filled += 1
            if self._filled == len(self._counts):
                self._multiply()

    def _multiply(self) -> None:
        self._found.append((self._counts[: self._filled] @ self._tallies).astype(np.int64))
        self._filled = 0

    def sums(self) -> Integers:
        """Return one row per column of tallies."""
        self._multiply()
        return np.ascontiguousarray(np.concatenate(self._found).T)[self._places]


def _distinct(columns: Integers) -> tuple[Integers, list[int]]:
    """Return the columns without repetition, and where each one is found in them."""
    known: dict[bytes, int] = {}
    places = [known.setdefault(column.tobytes(), len(known)) for column in columns]
    firsts = [places.index(place) for place in range(len(known))]
    return columns[firsts], places


def resample_many(
    strata: Sequence[Integers], *, seed: int, replicates: int = REPLICATES
) -> list[Integers]:
    """Return what `resample` returns, to the same digits, sooner where there are many columns.

    Raises ValueError as it does.
    """
    bits = [max((_bits(column, one.shape[1]) for column in one), default=1) for one in strata]
    if any(one.shape[1] == 0 for one in strata) or max(bits, default=0) > _DOUBLE_BITS:
        return resample(strata, seed=seed, replicates=replicates)
    products = [_Product(*pair) for pair in zip(strata, bits, strict=True)]
    for draws in _draws(sum(item.size for item in products), seed, replicates):
        start = 0
        for item in products:
            item.take(draws[:, start : start + item.size])
            start += item.size
    return [item.sums() for item in products]


def _draws(width: int, seed: int, replicates: int) -> Iterator[NDArray[np.uint32]]:
    """Yield rows of 32-bit draws, one row per replicate, in chunks of an even number of rows."""
    stream = np.random.PCG64(seed)
    rows = max(2, _CHUNK_DRAWS // width // 2 * 2)
    for first in range(0, replicates, rows):
        count = min(rows, replicates - first)
        raw = stream.random_raw((count * width + 1) // 2).astype("<u8", copy=False)
        yield raw.view("<u4")[: count * width].reshape(count, width)


def _indices(draws: NDArray[np.uint32], size: int) -> Integers:
    wide = draws.astype(np.uint64)
    wide *= np.uint64(size)
    wide >>= np.uint64(32)
    return wide.view(np.int64)


def multiplicities(
    sizes: Sequence[int], *, seed: int, replicates: int = REPLICATES
) -> Iterator[list[Integers]]:
    """Yield how often each item of each stratum was drawn, for some replicates at a time.

    The draws are those of `resample`. One list has an array (replicates, size) for each stratum;
    every row adds up to the stratum's size. Raises ValueError on an empty stratum.
    """
    if min(sizes, default=0) < 1:
        raise ValueError("a stratum without items cannot be resampled")
    for draws in _draws(sum(sizes), seed, replicates):
        rows = np.arange(len(draws))[:, np.newaxis]
        counts, start = [], 0
        for size in sizes:
            places = _indices(draws[:, start : start + size], size) + rows * size
            found = np.bincount(places.ravel(), minlength=len(draws) * size)
            counts.append(found.reshape(len(draws), size))
            start += size
        yield counts


def bounds(values: Floats) -> tuple[float, float]:
    """Return the 95 % bounds: the sorted values at ranks ⌈0.025·B⌉ and ⌈0.975·B⌉, 12 decimals."""
    ordered = np.sort(values)
    count = len(ordered)
    low = -(-TAIL_PER_MILLE * count // 1000) - 1
    high = -(-(1000 - TAIL_PER_MILLE) * count // 1000) - 1
    return round(float(ordered[low]), DECIMALS), round(float(ordered[high]), DECIMALS)


def interval(values: Floats, degenerate: NDArray[np.bool_], clips: int) -> Interval:
    """Return the interval of replicated values, or why there is none.

    `degenerate` marks replicates in which a ratio was 0/0 and took its worst value; more than 1 %
    of them, fewer than two clips, or zero width leave no interval.
    """
    if clips < 2:  # noqa: PLR2004 - one clip has no spread
        return Interval(None, None, FEWER_THAN_TWO_CLIPS)
    if int(degenerate.sum()) * 100 > len(values) * MAX_DEGENERATE_PERCENT:
        return Interval(None, None, DEGENERATE_REPLICATES)
    low, high = bounds(values)
    if low == high:
        return Interval(None, None, ZERO_WIDTH)
    return Interval(low, high)


def p_value(differences: Floats) -> float:
    """Return the two-sided bootstrap p-value of paired differences, in 0 … 1, never 0.

    Twice the smaller share of replicates on one side of zero (zero counts on both), with one
    replicate added to numerator and denominator (Davison and Hinkley, 1997, section 4.2).
    """
    sides = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    return min(1.0, 2 * (sides + 1) / (len(differences) + 1))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values, in the given order; None stays None and is not counted.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    known = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, index) in enumerate(known):
        running = max(running, min(1.0, (len(known) - rank) * p))
        adjusted[index] = running
    return adjusted


def as_columns(rows: Sequence[Sequence[Any]]) -> Integers:
    """Return rows of integers as an array (columns, rows)."""
    return np.ascontiguousarray(np.array(rows, dtype=np.int64).T)
