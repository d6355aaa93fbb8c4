"""From tallies of `tts` to its parts and the score, and the same from resampled clips."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grading.scoring import bootstrap
from grading.scoring.tracks import decimals
from grading.scoring.tracks.base import LANGUAGE_WITHOUT_UTTERANCES, Composed
from grading.scoring.tracks.decimals import mean, mean_of_stored, stored, stored_or_none
from grading.scoring.tracks.pillars_strata import Replicated, ratio
from grading.scoring.tracks.tts_params import COMOS, LOOP_BACK, MOS, PARTS, SCALED, STABILITY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grading.scoring.tracks.tts_params import SpeechPillarParams
    from grading.scoring.tracks.tts_tallies import ClipTally, SpeechPillarTallies

FIXED = 2**32
PILLAR_WEIGHTS_NOT_SET = "PILLAR_WEIGHTS_NOT_SET"
LOOP_BACK_NOT_SET = "LOOP_BACK_NOT_SET"
STABILITY_MISSING = "STABILITY_MISSING"


class Part(NamedTuple):
    """What a part of a language comes to: its share of 0 to 1, or why there is none; and its figure.

    The figure is what people know the part by: a mean mark, a similarity, an error rate.
    """

    share: Fraction | None
    reason: str = ""
    figure: Fraction | None = None


def not_set(part: str) -> str:
    """Return the reason of a part without a scale.

    >>> not_set("mos")
    'MOS_SCALE_NOT_SET'
    """
    return f"{part.upper()}_SCALE_NOT_SET"


def missing(part: str) -> str:
    """Return the reason of a part that was not measured on every clip.

    >>> missing("loop_back")
    'LOOP_BACK_MISSING'
    """
    return f"{part.upper()}_MISSING"


def parts_of(clips: Sequence[ClipTally], params: SpeechPillarParams) -> dict[str, Part]:
    """Return every part of a language, each with its share or the reason for none."""
    found = {part: _scaled(part, clips, params) for part in SCALED}
    return {**found, LOOP_BACK: _loop_back(clips, params), STABILITY: _stability(clips)}


def clip_share(part: str, clip: ClipTally, params: SpeechPillarParams) -> Fraction | None:
    """Return what one clip is worth in a part with a scale; None where it was not measured.

    A clip that failed is worth nothing. Ratings count once there are as many as are needed.
    """
    scale, mark = params.scales[part], clip.mean_mark(part)
    if clip.failed:
        return Fraction(0)
    ratings = {MOS: clip.mos_ratings, COMOS: clip.comos_ratings}.get(part, params.raters_needed)
    if scale is None or mark is None or ratings < params.raters_needed:
        return None
    return scale.share(mark)


def _scaled(part: str, clips: Sequence[ClipTally], params: SpeechPillarParams) -> Part:
    if params.scales[part] is None:
        return Part(None, not_set(part))
    shares = [clip_share(part, clip, params) for clip in clips]
    known = [share for share in shares if share is not None]
    if len(known) < len(shares) or not shares:
        return Part(None, missing(part))
    marks = [mark for clip in clips if (mark := clip.mean_mark(part)) is not None]
    return Part(mean(known), "", mean(marks) if marks else None)


def _loop_back(clips: Sequence[ClipTally], params: SpeechPillarParams) -> Part:
    """Return 1 − error rate, held within 0 and 1; edits and lengths are added over the clips."""
    if params.loop_back is None:
        return Part(None, LOOP_BACK_NOT_SET)
    edits = [clip.edits for clip in clips if clip.edits is not None]
    length = sum(clip.length or 0 for clip in clips)
    if len(edits) < len(clips) or not length:
        return Part(None, missing(LOOP_BACK))
    rate = Fraction(sum(edits), length)
    return Part(max(Fraction(0), 1 - rate), "", rate)


def _stability(clips: Sequence[ClipTally]) -> Part:
    """Return the share of clips that neither failed nor said anything again."""
    if not clips or any(clip.repeated is None and not clip.failed for clip in clips):
        return Part(None, STABILITY_MISSING)
    unstable = sum(_is_unstable(clip) for clip in clips)
    return Part(1 - Fraction(unstable, len(clips)))


def _is_unstable(clip: ClipTally) -> bool:
    return bool(clip.failed or clip.repeated)


def withheld_reason(
    clips: Sequence[ClipTally], parts: Mapping[str, Part], params: SpeechPillarParams
) -> str:
    """Return why a language has no score: the first part that weighs and has no share."""
    if not clips:
        return LANGUAGE_WITHOUT_UTTERANCES
    if params.weights is None:
        return PILLAR_WEIGHTS_NOT_SET
    reasons = (parts[name].reason for name in PARTS if params.weight(name))
    return next(filter(None, reasons), "")


def compose(tallies: SpeechPillarTallies, params: SpeechPillarParams) -> Composed:
    """Return score, components and languages; a part that is known is told whatever else is missing.

    Everything is an exact fraction until it is rounded once, to 12 decimals, half to even.
    """
    languages, scores, reasons = {}, [], []
    for name in params.languages:
        clips = tallies.of_language(name)
        parts = parts_of(clips, params)
        reason = withheld_reason(clips, parts, params)
        score = None if reason else _score(parts, params)
        languages[name] = _language_json(clips, parts, score, reason)
        scores.append(score or Fraction(0))
        reasons.append(reason)
    components = _components(list(languages.values()))
    if any(reasons):
        return Composed(None, next(filter(None, reasons)), components, languages)
    return Composed(stored(mean(scores)), "", components, languages)


def _score(parts: Mapping[str, Part], params: SpeechPillarParams) -> Fraction:
    return 100 * sum((params.weight(n) * (parts[n].share or 0) for n in PARTS), Fraction(0))


def _components(languages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counted = {
        key: [sum(part[key][at] for part in languages) for at in (0, 1)]
        for key in ("failed", "repeated")
    }
    figures = {
        key: mean_of_stored([part[key] for part in languages])
        for key in (*SCALED, "loop_back_error", STABILITY)
    }
    return {**figures, **counted}


def _language_json(
    clips: Sequence[ClipTally], parts: Mapping[str, Part], score: Fraction | None, reason: str
) -> dict[str, Any]:
    failed = sum(clip.failed for clip in clips)
    repeated = sum(clip.repeated or 0 for clip in clips)
    edits = [clip.edits for clip in clips]
    return {
        "score": stored_or_none(score),
        "withheld_reason": reason,
        "utterances": len(clips),
        **{name: stored_or_none(parts[name].figure) for name in SCALED},
        "loop_back_error": stored_or_none(parts[LOOP_BACK].figure),
        STABILITY: stored_or_none(parts[STABILITY].share),
        "shares": {name: stored_or_none(parts[name].share) for name in PARTS},
        "reasons": {name: parts[name].reason for name in PARTS if parts[name].reason},
        "failed": [failed, len(clips)],
        "repeated": [repeated, len(clips)],
        "edits": sum(one or 0 for one in edits) if None not in edits else None,
        "reference_length": sum(clip.length or 0 for clip in clips),
        "mos_ratings": sum(clip.mos_ratings for clip in clips),
        "comos_ratings": sum(clip.comos_ratings for clip in clips),
    }


def points(
    languages: Mapping[str, Mapping[str, Any]], params: SpeechPillarParams
) -> dict[str, float]:
    """Return what each part brings to the score, in points; empty while a language has no score."""
    factors = {n: 100 * float(params.weight(n)) for n in PARTS if params.weight(n)}
    return decimals.points(
        languages, params.languages, factors, lambda part, name: part["shares"][name]
    )


def strata(
    tallies: SpeechPillarTallies, params: SpeechPillarParams
) -> dict[str, bootstrap.Integers] | None:
    """Return what is resampled of each language: edits, length, unstable, then the shares of the
    parts with a scale in parts of 2³². None where the score is withheld."""
    found = {}
    for name in params.languages:
        clips = tallies.of_language(name)
        if withheld_reason(clips, parts_of(clips, params), params):
            return None
        found[name] = bootstrap.as_columns([_columns(clip, params) for clip in clips])
    return found


def _columns(clip: ClipTally, params: SpeechPillarParams) -> tuple[int, ...]:
    shares = (clip_share(part, clip, params) or Fraction(0) for part in SCALED)
    fixed = (round(share * FIXED) for share in shares)
    return (clip.edits or 0, clip.length or 0, int(_is_unstable(clip)), *fixed)


def score_of(params: SpeechPillarParams) -> Callable[[bootstrap.Integers, int], Replicated]:
    """Return what makes a language's score of resampled sums.

    Element-wise arithmetic only, so that the bytes do not depend on the machine.
    """
    weights = {name: float(params.weight(name)) for name in PARTS}

    def of(sums: bootstrap.Integers, clips: int) -> Replicated:
        edits, length, unstable, *shares = sums
        rate, empty = ratio(edits, length, worst=1.0)
        total = weights[STABILITY] * (1 - unstable / clips)
        for part, share in zip(SCALED, shares, strict=True):
            total = total + weights[part] * (share / (clips * FIXED))
        if not weights[LOOP_BACK]:
            return Replicated(100 * total, np.zeros(len(total), dtype=np.bool_))
        return Replicated(100 * (total + weights[LOOP_BACK] * np.maximum(1 - rate, 0.0)), empty)

    return of
