"""What the methodology page of `voice-agent` says; every example is computed by the running code."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grading.scoring.formats.arm_scores import AUDIO
from grading.scoring.formats.provenance import short
from grading.scoring.methodology import N_
from grading.scoring.tracks.pages import intervals, section
from grading.scoring.tracks.voice_agent_compose import Arms, macro
from grading.scoring.tracks.voice_agent_params import SCALES

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Section
    from grading.scoring.tracks.voice_agent_params import AgentParams

_MEANS = {"gpt_1to5": Fraction("4.2"), "ifeval": Fraction("62.5"), "accuracy": Fraction("0.7")}


def sections(params: AgentParams) -> list[Section]:
    """Return the sections of the page, in reading order."""
    return [_arms(params), _scales(params), _macro(), _coverage(), _intervals()]


def _arms(params: AgentParams) -> Section:
    arms = Arms(Fraction("0.75"), Fraction("0.7"))
    chosen = (
        N_("The score is 100 times the accuracy of the audio arm.")
        if params.headline == AUDIO
        else N_("The score is 100 times the accuracy of the text arm.")
    )
    return section(
        N_("Two arms"),
        N_(
            "In the text arm the language model answers the right text of each item, in the audio arm what recognition made of its recording. The gap is text minus audio: what recognition costs. It is below 0 where audio did better."
        ),
        chosen,
        examples=(("0.75, 0.7", short(arms.gap or Fraction(0))),),
    )


def _scales(params: AgentParams) -> Section:
    rows = [(name, f"{scale.formula}") for name, scale in params.subtasks.items()]
    return section(
        N_("Scales"),
        N_(
            "The mean score of a subtask is brought to 0 … 1 before anything is averaged. Named scales divide by their highest score, so marks of 1 to 5 never fall below 0.2; a competition may set another scale."
        ),
        examples=tuple(rows),
    )


def _macro() -> Section:
    shares = [SCALES[name].share(mean) for name, mean in _MEANS.items()]
    given = ", ".join(f"{name} {short(mean)}" for name, mean in _MEANS.items())
    return section(
        N_("Macro average"),
        N_(
            "A language's accuracy is the mean of its subtasks, whatever their sizes; the board's is the mean of the languages."
        ),
        examples=((given, short(macro(shares) or Fraction(0))),),
    )


def _coverage() -> Section:
    return section(
        N_("Coverage"),
        N_(
            "A subtask of which the benchmark has no items in a language is left out of that language's mean. An item without a score is another matter: there the system failed, and the row is withheld, whatever the rest came to."
        ),
    )


def _intervals() -> Section:
    return intervals(
        N_(
            "The 95 %% interval comes from %(replicates)d resamples of the items within each subtask of each language; systems are compared on the same draws."
        )
    )
