"""One utterance of `nvv-t1`: from two transcripts to integers and one fraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.metrics.alignment import reference_boundaries
from grading.scoring.metrics.edits import count_edits
from grading.scoring.metrics.events import Counts, by_label, count_events
from grading.scoring.metrics.ntd import ZERO, tag_distance
from grading.scoring.tally import UtteranceTally

if TYPE_CHECKING:
    from grading.scoring.text.nvv1 import Transcript


def event_positions(reference: Transcript, hypothesis: Transcript) -> list[int]:
    """Return where the hypothesis' tags lie in the reference's coordinates, in order."""
    return reference_boundaries(reference.units, hypothesis.units, hypothesis.positions)


def tally_utterance(
    utt_id: str, language: str, reference: Transcript, hypothesis: Transcript, collar: int
) -> UtteranceTally:
    """Return the tallies of one utterance; `collar` in units, inclusive."""
    tokens = len(reference.units) + len(reference.tags)
    if reference == hypothesis:
        return _perfect(utt_id, language, reference, tokens)
    edits = count_edits(reference.tokens, hypothesis.tokens)
    if set(reference.tags).isdisjoint(hypothesis.tags):
        places = hypothesis.positions  # nothing can pair, so where they lie decides nothing
    else:
        places = event_positions(reference, hypothesis)
    wanted = by_label(reference.tags, reference.positions)
    counts = count_events(wanted, by_label(hypothesis.tags, places), collar)
    ntd = tag_distance(
        list(zip(reference.tags, reference.positions, strict=True)),
        list(zip(hypothesis.tags, places, strict=True)),
        len(reference.units),
    )
    tp = sum([count.tp for count in counts.values()])
    fp, fn = len(hypothesis.tags) - tp, len(reference.tags) - tp
    labels = tuple(sorted(counts.items()))
    return UtteranceTally(utt_id, language, tp, fp, fn, ntd, edits, tokens, labels)


def _perfect(utt_id: str, language: str, reference: Transcript, tokens: int) -> UtteranceTally:
    found = {label: reference.tags.count(label) for label in sorted(set(reference.tags))}
    return UtteranceTally(
        utt_id=utt_id,
        language=language,
        tp=len(reference.tags),
        fp=0,
        fn=0,
        ntd=ZERO if reference.tags else None,
        edits=0,
        tokens=tokens,
        labels=tuple((label, Counts(count, 0, 0)) for label, count in found.items()),
    )
