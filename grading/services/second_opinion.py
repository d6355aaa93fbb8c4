"""A second computation of edit distances, by jiwer: what disagrees is not published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import jiwer


@dataclass(frozen=True, slots=True)
class Opinion:
    """How many utterances jiwer recomputed, how many have an empty side, and how many differ."""

    checked: int
    skipped: int
    differing: int
    edits: int
    jiwer_edits: int

    @property
    def agrees(self) -> bool:
        """True when every recomputed utterance has the same number of edits."""
        return self.differing == 0

    def as_json(self) -> dict[str, Any]:
        """Return what is stored with the evaluation."""
        return {**asdict(self), "by": f"jiwer {jiwer_version()}"}


def compare(sample: Sequence[Mapping[str, Any]]) -> Opinion:
    """Return jiwer's opinion on a sample of (reference, hypothesis, edits).

    Each character of a side stands for one token, so that no rule of jiwer's about words, blanks or
    case can come in. It has no rule of ours for an empty side: those are skipped and counted.
    """
    usable = [pair for pair in sample if pair["reference"] and pair["hypothesis"]]
    found = [_distance(pair["reference"], pair["hypothesis"]) for pair in usable]
    ours = [int(pair["edits"]) for pair in usable]
    return Opinion(
        checked=len(usable),
        skipped=len(sample) - len(usable),
        differing=sum(a != b for a, b in zip(ours, found, strict=True)),
        edits=sum(ours),
        jiwer_edits=sum(found),
    )


def jiwer_version() -> str:
    """Return the version of the installed jiwer."""
    from importlib.metadata import version  # noqa: PLC0415  read once an evaluation, not at start

    return version("jiwer")


def _distance(reference: str, hypothesis: str) -> int:
    found = jiwer.process_words(" ".join(reference), " ".join(hypothesis))
    return int(found.substitutions + found.deletions + found.insertions)
