"""How a judge of sounds and one of words are asked, and what of their answers is a mark.

Both go through the same calls: what differs between them is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from grading.judges.base import Form
from grading.scoring.formats.row_fields import exact
from grading.scoring.tracks import llm_judge_prompt, nvv_t2_judge_prompt
from grading.scoring.tracks.llm_judge_prompt import MarkInvalid, MarkOffScale
from grading.scoring.tracks.nvv_t2_judge_answer import (
    AnswerMalformed,
    JudgeMarks,
    MarkOutOfRange,
    read_answer,
)
from grading.scoring.tracks.nvv_t2_marks import Marks
from grading.scoring.tracks.pillars_reading import Scale

MARK = "mark"
"""The name of the one mark that a judge of words gives."""


class Asking(Protocol):
    """What a judge is told, and how its answers are read."""

    @property
    def form(self) -> Form:
        """The form of an answer."""
        ...

    def instructions(self, language: str, profile: str) -> str:
        """Return what the judge is told before the item."""
        ...

    def words(self, language: str, text: str) -> str:
        """Return what stands in the question as words."""
        ...

    def repair(self, language: str, faults: str) -> str:
        """Return the one request to answer again in the right form."""
        ...

    def read(self, text: str) -> JudgeMarks:
        """Return the marks of an answer. Raises AnswerInvalid."""
        ...

    def is_known(self, marks: Mapping[str, Any]) -> bool:
        """Return whether the marks that are known of an item are marks here."""
        ...

    def changed(
        self, known: Mapping[str, Any], found: JudgeMarks, tolerance: Fraction
    ) -> list[str]:
        """Return the names of the marks that are further from the known ones than is tolerated."""
        ...


@dataclass(frozen=True)
class OfSounds:
    """Asks about a clip and the tagged text that it is to say; five marks."""

    prompt_language: str

    @cached_property
    def form(self) -> Form:
        """The form of an answer."""
        return Form("marks", nvv_t2_judge_prompt.answer_schema())

    def instructions(self, language: str, profile: str) -> str:
        """Return what the judge is told before it listens."""
        return nvv_t2_judge_prompt.instructions(self._spoken(language), profile)

    def words(self, language: str, text: str) -> str:
        """Return what stands beside the recording."""
        return nvv_t2_judge_prompt.question(self._spoken(language), text)

    def repair(self, language: str, faults: str) -> str:
        """Return the one request to answer again in the right form."""
        return nvv_t2_judge_prompt.repair(language, faults)

    def read(self, text: str) -> JudgeMarks:
        """Return the marks of an answer. Raises AnswerInvalid."""
        return read_answer(text)

    def is_known(self, marks: Mapping[str, Any]) -> bool:
        """Return whether there are five marks; that they are in range was seen when they were loaded."""
        return set(marks) >= set(Marks._fields)

    def changed(
        self, known: Mapping[str, Any], found: JudgeMarks, tolerance: Fraction
    ) -> list[str]:
        """Return the dimensions whose mark is further from the known one than is tolerated."""
        given = Marks.read(dict(found.marks), absent=found.is_absent)
        return [
            name
            for name, mark, wanted in zip(Marks._fields, given, Marks.read(known), strict=True)
            if abs(mark - wanted) > tolerance
        ]

    def _spoken(self, language: str) -> str:
        return language if self.prompt_language == "utterance" else "en"


@dataclass(frozen=True)
class OfWords:
    """Asks about an item as one JSON object; one mark on a scale."""

    scale: Scale
    form: Form = field(init=False)

    def __post_init__(self) -> None:
        """Make the form of an answer."""
        form = Form("mark", llm_judge_prompt.answer_schema(self.scale))
        object.__setattr__(self, "form", form)

    def instructions(self, language: str, profile: str) -> str:
        """Return what the judge is told before the item, whatever its language."""
        del language, profile
        return llm_judge_prompt.instructions(self.scale)

    def words(self, language: str, text: str) -> str:
        """Return the item, which is words already."""
        del language
        return text

    def repair(self, language: str, faults: str) -> str:
        """Return the one request to answer again in the right form."""
        del language
        return llm_judge_prompt.repair(faults)

    def read(self, text: str) -> JudgeMarks:
        """Return the mark of an answer. Raises AnswerMalformed, MarkOutOfRange."""
        try:
            mark = llm_judge_prompt.read_mark(text, self.scale)
        except MarkOffScale as error:
            raise MarkOutOfRange([str(error)]) from None
        except MarkInvalid as error:
            raise AnswerMalformed([str(error)]) from None
        return JudgeMarks({MARK: float(mark)}, is_absent=False)

    def is_known(self, marks: Mapping[str, Any]) -> bool:
        """Return whether there is one mark, on the scale."""
        mark = _exact(marks)
        return mark is not None and self.scale.lowest <= mark <= self.scale.highest

    def changed(
        self, known: Mapping[str, Any], found: JudgeMarks, tolerance: Fraction
    ) -> list[str]:
        """Return the mark's name where it is further from the known one than is tolerated."""
        given, wanted = _exact(found.marks), _exact(known)
        is_near = given is not None and wanted is not None and abs(given - wanted) <= tolerance
        return [] if is_near else [MARK]


def _exact(marks: Mapping[str, Any]) -> Fraction | None:
    """Return the one mark as it was written in decimals, None for anything else."""
    return exact(marks[MARK]) if set(marks) == {MARK} else None
