"""The forms of a rating, declared: what each asks, of how many sounds, and where its marks go.

Whatever differs between forms stands here; the engine asks the declaration and no name. The words that
raters read are in `grading/views/rating/scales.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

NVV, MOS, COMOS = "nvv", "mos", "comos"
LETTERS = ("A", "P", "N", "Q", "E")
FIRST = "first"
"""The column of a file of comparisons that says which of the two was heard first."""
SYSTEM, OTHER = "system", "other"
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark: its letter in answers and files, the column that stores it, and its range."""

    letter: str
    column: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Form:
    """What raters are asked of a stimulus, and what follows from it.

    `sounds`: two are a system's clip and the one that it is compared with. `has_targets`: each
    vocalization of the text is asked about, and a mark of 0 says that there was none. `has_score`:
    the marks make a score of 0 to 100, else the result is the mean mark. `opinion` is the letter
    that is handed on to rows of measurements, `row_field` the field of theirs that takes it, and
    `columns` are those of its marks in a file. `numbers` are settings that no other form has.
    """

    name: str
    marks: tuple[Mark, ...]
    columns: tuple[str, ...]
    row_field: str
    opinion: str
    sounds: int = 1
    has_targets: bool = False
    has_score: bool = False
    is_judged: bool = False
    numbers: tuple[str, ...] = ()

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the marks, in the order in which they are asked."""
        return tuple(mark.letter for mark in self.marks)

    @property
    def is_pair(self) -> bool:
        """Whether two sounds are compared, in an order drawn for each task."""
        return self.sounds == _PAIR


ACCURACY = Mark("A", "accuracy", 0, 5)
EFFECT = Mark("P", "effect", 0, 5)
NATURALNESS = Mark("N", "naturalness", 1, 5)
QUALITY = Mark("Q", "quality", 1, 5)
EXPRESSION = Mark("E", "expression", 1, 5)
COMPARISON = Mark("C", "comparison", -3, 3)
MARKS = (ACCURACY, EFFECT, NATURALNESS, QUALITY, EXPRESSION, COMPARISON)
"""Every mark that there is; each form has some of them."""
COLUMN_OF = {mark.letter: mark.column for mark in MARKS}

FORMS = {
    form.name: form
    for form in (
        Form(
            NVV,
            marks=(ACCURACY, EFFECT, NATURALNESS, QUALITY, EXPRESSION),
            columns=LETTERS,
            row_field="mos",
            opinion="N",
            has_targets=True,
            has_score=True,
            is_judged=True,
        ),
        Form(
            MOS,
            marks=(NATURALNESS,),
            columns=LETTERS,
            row_field="mos",
            opinion="N",
            is_judged=True,
        ),
        Form(
            COMOS,
            marks=(COMPARISON,),
            columns=("C", FIRST),
            row_field="comos",
            opinion="C",
            sounds=_PAIR,
            numbers=("null_every",),
        ),
    )
}


def form_of(name: str) -> Form:
    """Return a form by its name. Raises KeyError where there is none.

    >>> form_of("comos").letters, form_of("comos").is_pair
    (('C',), True)
    """
    return FORMS[name]


def turned(mark: int, *, system_first: bool) -> int:
    """Return a comparison in the other way of counting: as it was heard, or for the system.

    As heard, a mark says how the second compares with the first; for the system, how the system
    compares with the other. The same step leads from one to the other and back.

    >>> turned(2, system_first=True), turned(2, system_first=False)
    (-2, 2)
    """
    return -mark if system_first else mark
