"""The words of every form: its scales, what each asks, and what each level of it means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from grading.enums import Placement
from grading.scoring.rating.forms import COMOS, MOS, NVV

Words = Any
"""A text that is translated when it is shown."""


@dataclass(frozen=True, slots=True)
class Level:
    """One mark and what it means."""

    value: int
    words: Words


@dataclass(frozen=True, slots=True)
class Scale:
    """One thing that is judged: its letter in answers, its name, the question, the levels upwards."""

    letter: str
    name: Words
    question: Words
    levels: tuple[Level, ...]

    @property
    def is_signed(self) -> bool:
        """Whether it runs from below 0 to above, so that its marks are read with a sign."""
        return self.levels[0].value < 0


def _scale(letter: str, name: Words, question: Words, first: int, *words: Words) -> Scale:
    levels = tuple(Level(first + place, text) for place, text in enumerate(words))
    return Scale(letter, name, question, levels)


# The levels say the same as the judge's instructions do, in fewer words.
ACCURACY = _scale(
    "A",
    _("Accuracy"),
    _("Is it the sound that the text asks for?"),
    0,
    _("absent"),
    _("another sound"),
    _("doubtful"),
    _("recognizable"),
    _("right, small flaw"),
    _("exactly it"),
)
EFFECT = _scale(
    "P",
    _("Effect"),
    _("Does the sound work on you as such a sound does?"),
    0,
    _("not heard"),
    _("disturbing"),
    _("weak"),
    _("passable"),
    _("convincing"),
    _("true to life"),
)
NATURALNESS = _scale(
    "N",
    _("Naturalness"),
    _("Does it sound like a person speaking?"),
    1,
    _("a machine"),
    _("mostly machine"),
    _("half and half"),
    _("almost a person"),
    _("a person"),
)
QUALITY = _scale(
    "Q",
    _("Sound quality"),
    _("Is there noise, distortion, a break?"),
    1,
    _("painful"),
    _("strong faults"),
    _("noticeable faults"),
    _("small faults"),
    _("clean"),
)
EXPRESSION = _scale(
    "E",
    _("Expression"),
    _("Do tone and rhythm fit what is said?"),
    1,
    _("none or wrong"),
    _("flat"),
    _("fits in part"),
    _("fits well"),
    _("fits fully"),
)
OPINION = _scale(
    "N",
    _("Naturalness"),
    _("How natural does the speech sound?"),
    1,
    _("bad"),
    _("poor"),
    _("fair"),
    _("good"),
    _("excellent"),
)

COMPARISON = _scale(
    "C",
    _("Comparison"),
    _("How good is the second sound compared with the first?"),
    -3,
    _("much worse"),
    _("worse"),
    _("slightly worse"),
    _("about the same"),
    _("slightly better"),
    _("better"),
    _("much better"),
)

SCALES = {
    NVV: (ACCURACY, EFFECT, NATURALNESS, QUALITY, EXPRESSION),
    MOS: (OPINION,),
    COMOS: (COMPARISON,),
}
PAIR_NAMES = (_("First"), _("Second"))
"""What the two sounds of a pair are called: by their order, which says nothing of whose they are."""


@dataclass(frozen=True, slots=True)
class FormWords:
    """What a form says around its questions: its heading, what is due first, and the keys of marks.

    `counts` says that the keys count the levels from the left, where these are no digits; `asks_one`
    that there is no other question to go to.
    """

    heading: Words
    listen: Words
    practice: Words
    sent: Words
    why: Words
    keys: tuple[str, str] = ("0", "5")
    counts: bool = False
    asks_one: bool = False


_CLIP = FormWords(
    heading=_("Clip %(number)s"),
    listen=_("Listen to the end first."),
    practice=_(
        "Mark the clip as you hear it. Afterwards you see what others agreed on, and why. Practice counts for nothing."
    ),
    sent=_("Sent. Here is the next clip."),
    why=_("Listen to the end and give every mark; an answer that comes sooner is not taken."),
)
FORM_WORDS = {
    NVV: _CLIP,
    MOS: replace(_CLIP, keys=("1", "5"), asks_one=True),
    COMOS: FormWords(
        heading=_("Pair %(number)s"),
        listen=_("Listen to both sounds to the end first."),
        practice=_(
            "Mark the pair as you hear it. Afterwards you see what others agreed on, and why. Practice counts for nothing."
        ),
        sent=_("Sent. Here is the next pair."),
        why=_(
            "Listen to both sounds to the end and give the mark; an answer that comes sooner is not taken."
        ),
        keys=("1", "7"),
        counts=True,
        asks_one=True,
    ),
}

PLACEMENTS = (
    (Placement.HEARD.value, _("Heard")),
    (Placement.MISSING.value, _("Not heard")),
    (Placement.WRONG.value, _("Wrong place")),
)

VOCALIZATIONS = {
    "breath": _("breath"),
    "sniff": _("sniff"),
    "laugh": _("laugh"),
    "cry": _("cry"),
    "cough": _("cough"),
    "throat clearing": _("throat clearing"),
    "sneeze": _("sneeze"),
    "sigh": _("sigh"),
    "gasp": _("gasp"),
    "snore": _("snore"),
    "yawn": _("yawn"),
    "hum": _("hum"),
    "moan": _("moan"),
    "hiss": _("hiss"),
    "lipsmack": _("lipsmack"),
    "burp": _("burp"),
}


def scales_of(form: str) -> tuple[Scale, ...]:
    """Return the scales of a form, in the order in which they are asked."""
    return SCALES[form]


def words_of(form: str) -> FormWords:
    """Return what a form says around its questions."""
    return FORM_WORDS[form]


def name_of(label: str) -> Words:
    """Return what a vocalization is called in the reader's language."""
    return VOCALIZATIONS.get(label, label)
