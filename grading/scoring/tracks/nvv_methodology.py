"""What the methodology page of `nvv-t1` says; every example is computed by the running code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring import bootstrap
from grading.scoring.methodology import N_, Phrase
from grading.scoring.text.nvv1 import read_transcript
from grading.scoring.text.unicode_tables import CLASSES_VERSION, NORMALIZATION_VERSION
from grading.scoring.tracks.base import Section
from grading.scoring.tracks.nvv_params import NvvParams, decimal_text
from grading.scoring.tracks.nvv_tally import event_positions, tally_utterance

if TYPE_CHECKING:
    from collections.abc import Callable

    from grading.scoring.tally import UtteranceTally

_ENGLISH = "en"
_MANDARIN = "zh"


def sections(params: NvvParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    builders: tuple[Callable[[NvvParams], Section], ...] = (
        _score,
        _tags,
        _units,
        _alignment,
        _events,
        _distance,
        _error,
        _order,
        _intervals,
    )
    return [build(params) for build in builders]


def _score(params: NvvParams) -> Section:
    weights = {name: decimal_text(weight) for name, weight in params.weights.items()}
    return Section(
        title=Phrase(N_("Score")),
        paragraphs=(
            Phrase(
                N_(
                    "Each language has a score from 0 to 100; the final score is the mean of English and Mandarin."
                )
            ),
            Phrase(
                N_(
                    "All counts are whole numbers and all rates exact fractions. Each language is rounded to 12 decimals, then their mean once more."
                )
            ),
        ),
        formula=(
            f"100 · ({weights['f1']} · F1 + {weights['mntd']} · (1 − mNTD)"
            f" + {weights['error']} · (1 − min(Error, 1)))"
        ),
    )


def _tags(params: NvvParams) -> Section:
    label = params.labels[0]
    shown = read_transcript(f"[  {label} ] x", _ENGLISH, params.label_set)
    return Section(
        title=Phrase(N_("Tags")),
        paragraphs=(
            Phrase(N_("The labels are: %(labels)s."), labels=", ".join(params.labels)),
            Phrase(
                N_(
                    "A tag is a label between the brackets [ and ]. Case, width and repeated spaces inside do not matter; other spellings are not accepted. An unknown, empty or unpaired bracket refuses the file; other kinds of brackets are plain text."
                )
            ),
        ),
        examples=((f"[  {label} ] x", " ".join(shown.tokens)),),
    )


def _units(params: NvvParams) -> Section:
    examples = (
        (_ENGLISH, "I’m fine, well-known U.S. dogs' 3.5%"),
        (_MANDARIN, "我用 iPhone 15 拍的，Ａ-B。"),
    )
    return Section(
        title=Phrase(N_("Units")),
        paragraphs=(
            Phrase(
                N_(
                    "Text between tags is brought to Unicode form NFKC, curly apostrophes become straight ones, letters become lower case."
                )
            ),
            Phrase(
                N_(
                    "An English unit is a word: letters or digits, joined by single apostrophes. A Mandarin unit is one character; punctuation, symbols and blanks are dropped."
                )
            ),
            Phrase(
                N_(
                    "Character classes come from Unicode %(classes)s; normalization covers the characters of Unicode %(normalization)s."
                ),
                classes=CLASSES_VERSION,
                normalization=NORMALIZATION_VERSION,
            ),
        ),
        examples=tuple(
            (text, " | ".join(read_transcript(text, language, params.label_set).units))
            for language, text in examples
        ),
    )


def _alignment(params: NvvParams) -> Section:
    label = params.labels[0]
    wanted, given = f"I really mean it. [{label}]", f"I really mean. [{label}]"
    reference, hypothesis = (
        read_transcript(text, _ENGLISH, params.label_set) for text in (wanted, given)
    )
    place = event_positions(reference, hypothesis)[0]
    return Section(
        title=Phrase(N_("Alignment")),
        paragraphs=(
            Phrase(
                N_(
                    "The position of a tag is the number of units before it. To compare positions, the units of both texts are aligned with the fewest edits, tags left out. Among equal alignments, read from the end, a match or substitution goes before a deletion and a deletion before an insertion."
                )
            ),
            Phrase(
                N_(
                    "A predicted tag lies at the smallest position of the reference that the alignment meets at its place."
                )
            ),
        ),
        examples=((f"{wanted} → {given}", f"{reference.positions[0]} → {place}"),),
    )


def _events(params: NvvParams) -> Section:
    label = params.labels[0]
    wanted = f"a b [{label}] c d [{label}] e f g h"
    given = f"a b c d [{label}] e f [{label}] g h"
    tally = _tally(wanted, given, params)
    return Section(
        title=Phrase(N_("F1 of events")),
        paragraphs=(
            Phrase(
                N_(
                    "A predicted event is right when it pairs with a reference event of the same label at most %(en)d words (English) or %(zh)d characters (Mandarin) away. Events pair one to one: as many pairs as possible, then the least total distance."
                ),
                **params.collars,
            ),
            Phrase(
                N_(
                    "Right, extra and missed events are added up over all utterances and labels of a language."
                )
            ),
        ),
        formula="F1 = 2 · TP / (2 · TP + FP + FN)",
        examples=((f"{wanted} → {given}", f"TP {tally.tp}, FP {tally.fp}, FN {tally.fn}"),),
    )


def _distance(params: NvvParams) -> Section:
    label = params.labels[0]
    wanted = f"Well, [{label}] I do not know what to say."
    given = f"Well, I do not [{label}] know what to say."
    tally = _tally(wanted, given, params)
    return Section(
        title=Phrase(N_("mNTD")),
        paragraphs=(
            Phrase(
                N_(
                    "Over the utterances whose reference has an event: both lists of events are aligned in order at the least cost. Two events of one label cost their distance divided by the units of the reference, at most 1; two of different labels cost 1; an event alone costs 1. The sum is divided by the number of events of the longer list, and mNTD is the mean over the utterances."
                )
            ),
        ),
        examples=((f"{wanted} → {given}", f"NTD {tally.ntd}"),),
    )


def _error(params: NvvParams) -> Section:
    label = params.labels[0]
    wanted, given = f"[{label}] You are so funny.", f"You are so sunny. [{label}]"
    tally = _tally(wanted, given, params)
    return Section(
        title=Phrase(N_("Tagged error")),
        paragraphs=(
            Phrase(
                N_(
                    "The fewest substituted, deleted and inserted units and tags, a tag being one token, added up over the language and divided by all units and tags of the references: a word error rate for English, a character error rate for Mandarin. It is shown as it is and counts as at most 1 in the score."
                )
            ),
        ),
        examples=((f"{wanted} → {given}", f"{tally.edits} / {tally.tokens}"),),
    )


def _order(params: NvvParams) -> Section:
    names = {"f1": "F1", "mntd": "mNTD", "error": "Error"}
    return Section(
        title=Phrase(N_("Order")),
        paragraphs=(
            Phrase(
                N_(
                    "Scores are compared after rounding to 9 decimals. Equal scores are ordered by: %(names)s (means of the languages); still equal systems share the place. The time of upload never decides."
                ),
                names=", ".join(names[name] for name in params.tie_breaks) or "—",
            ),
        ),
    )


def _intervals(params: NvvParams) -> Section:
    return Section(
        title=Phrase(N_("Intervals")),
        paragraphs=(
            Phrase(
                N_(
                    "The 95 %% interval comes from %(replicates)d resamples of the utterances within each language; the whole score is computed anew for each. The seed follows from the recipe and the phase, so anyone can repeat the draw."
                ),
                replicates=bootstrap.REPLICATES,
            ),
            Phrase(
                N_(
                    "With fewer than two utterances in a language, more than 1 % of resamples without any event, or no spread at all there is no interval. With under 200 utterances it is optimistic."
                ),
            ),
        ),
    )


def _tally(wanted: str, given: str, params: NvvParams) -> UtteranceTally:
    """Score one pair of English examples as the track does."""
    reference = read_transcript(wanted, _ENGLISH, params.label_set)
    hypothesis = read_transcript(given, _ENGLISH, params.label_set)
    return tally_utterance("", _ENGLISH, reference, hypothesis, params.collars[_ENGLISH])
