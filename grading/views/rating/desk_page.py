"""What the form shows of one stimulus: text, sound, scales, and what was marked so far."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from grading.charts.outline import bars_of
from grading.models import Rating, RatingProtocol, RatingTask, Stimulus
from grading.scoring import registry
from grading.scoring.rating.forms import form_of
from grading.services.ratings import answers
from grading.services.ratings.sessions import SessionProgress
from grading.views.rating.answers import PLAYS, plays_in
from grading.views.rating.scales import (
    PAIR_NAMES,
    PLACEMENTS,
    FormWords,
    Scale,
    scales_of,
    words_of,
)
from grading.views.rating.tagged import Piece, Target, pieces_of, targets_of

SCALES = "grading/rating/partials/scales.html"
BAR = '<rect class="ahead" x="%s" y="%s" width="%s" height="%s"/>'

Kept = Mapping[str, str]
"""What a form held, by the names of its fields."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A radio button: its value, its words, and whether it is chosen."""

    value: str
    words: Any
    is_chosen: bool
    is_signed: bool = False

    @property
    def shown(self) -> str:
        """The value as a number is read."""
        return as_read(self.value, signed=self.is_signed)


@dataclass(frozen=True, slots=True)
class Asked:
    """A scale with its buttons, and what was wrong with its mark."""

    scale: Scale
    choices: list[Choice]
    fault: str


@dataclass(frozen=True, slots=True)
class AskedTarget:
    """A vocalization with its buttons."""

    target: Target
    field: str
    choices: list[Choice]


@dataclass(frozen=True)
class Sound:
    """One sound on the form: where it is had, and of two that are compared, which it is."""

    stimulus: Stimulus
    url: str
    name: Any = ""
    field: str = PLAYS[0]
    plays: int = 0

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.stimulus.seconds or 0.0

    @property
    def clock(self) -> str:
        """The same as minutes and seconds."""
        minutes, seconds = divmod(round(self.seconds, 1), 60)
        return f"{int(minutes)}:{seconds:04.1f}"

    @cached_property
    def bars(self) -> SafeString:
        """Its outline, drawn here: hundreds of bars are slow in a template."""
        found = bars_of(self.stimulus.peaks or [])
        # numbers alone: there is nothing to escape
        return SafeString("".join(BAR % (bar.x, bar.y, bar.width, bar.height) for bar in found))


@dataclass(frozen=True)
class Desk:
    """One stimulus on the form. `action` is where the form is sent; `draft_url` where it is kept.

    `heard` are its sounds in their order, each with the address where it is had.
    """

    form: str
    labels: frozenset[str]
    stimulus: Stimulus
    heard: Sequence[tuple[Stimulus, str]]
    code: str
    action: str
    draft_url: str = ""
    broken_url: str = ""
    kept: Kept = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    is_practice: bool = False
    is_revision: bool = False

    @property
    def language(self) -> str:
        """The language that is spoken, for screen readers and fonts."""
        return {"zh": "zh-Hans"}.get(self.stimulus.language, self.stimulus.language)

    @cached_property
    def pieces(self) -> list[Piece]:
        """The text, cut at its vocalizations."""
        return pieces_of(self.stimulus.text, self.labels)

    @cached_property
    def targets(self) -> list[AskedTarget]:
        """What is asked of each vocalization; nothing in a form without them."""
        return [
            AskedTarget(one, name, _choices(self.kept, name, PLACEMENTS))
            for one in asked_targets(self.form, self.stimulus.text, self.labels)
            for name in [f"t{one.number}"]
        ]

    @cached_property
    def scales(self) -> list[Asked]:
        """What is asked of the whole."""
        return _scales(self.form, self.kept, self.faults)

    @property
    def asked(self) -> SafeString:
        """The scales, drawn; as long as none is marked they are the same for every clip."""
        letters = {scale.letter for scale in scales_of(self.form)}
        if letters.isdisjoint(self.kept) and letters.isdisjoint(self.faults):
            return _unmarked(self.form, get_language() or "")
        return render_to_string(SCALES, {"scales": self.scales, "counts": self.words.counts})

    @property
    def may_be_absent(self) -> bool:
        """Whether the form has the box for a vocalization that is not there."""
        return bool(self.targets)

    @property
    def is_absent(self) -> bool:
        """Whether that box is ticked."""
        return self.kept.get("absent") == "on"

    @property
    def note(self) -> str:
        """The comment so far."""
        return self.kept.get("note", "")[: answers.NOTE_LIMIT]

    @property
    def uuid(self) -> str:
        """A name for the answer, where no script makes one."""
        return self.kept.get("uuid") or str(uuid.uuid4())

    @cached_property
    def sounds(self) -> list[Sound]:
        """What is heard, and how often it was heard in full as far as the draft knows."""
        names = PAIR_NAMES if len(self.heard) > 1 else ("",)
        parts = zip(self.heard, names, PLAYS, strict=False)
        return [
            Sound(stimulus, url, name, field, plays_in(self.kept, field))
            for (stimulus, url), name, field in parts
        ]

    @property
    def words(self) -> FormWords:
        """What the form says around its questions."""
        return words_of(self.form)

    @property
    def other_faults(self) -> list[str]:
        """What was wrong and is of no scale."""
        letters = {asked.scale.letter for asked in self.scales}
        return [text for name, text in self.faults.items() if name not in letters]


def as_read(mark: object, *, signed: bool) -> str:
    """Return a mark as a number is read: with a minus, not a hyphen; above 0 with a plus if `signed`."""
    text = str(mark).replace("-", "−")
    return f"+{text}" if signed and int(str(mark)) > 0 else text


def _choices(
    kept: Kept, name: str, options: Sequence[tuple[str, Any]], *, signed: bool = False
) -> list[Choice]:
    chosen = kept.get(name, "")
    return [Choice(value, words, value == chosen, signed) for value, words in options]


def _scales(form: str, kept: Kept, faults: Mapping[str, str]) -> list[Asked]:
    return [
        Asked(
            scale,
            _choices(
                kept,
                scale.letter,
                [(str(level.value), level.words) for level in scale.levels],
                signed=scale.is_signed,
            ),
            faults.get(scale.letter, ""),
        )
        for scale in scales_of(form)
    ]


@lru_cache(maxsize=64)
def _unmarked(form: str, language: str) -> SafeString:
    """Return the scales of a form with no mark; `language` is the one that is in use."""
    scales = _scales(form, {}, {})
    return render_to_string(SCALES, {"scales": scales, "counts": words_of(form).counts})


def asked_targets(form: str, text: str, labels: frozenset[str]) -> list[Target]:
    """Return the vocalizations that a form asks about; none in a form, or a text, that has none."""
    if not form_of(form).has_targets:
        return []
    found = targets_of(text, labels)
    # a bracket that is no label of the track is read by nobody as a vocalization
    return found if len(found) == len(answers.targets(text)) else []


def labels_of(protocol: RatingProtocol) -> frozenset[str]:
    """Return the labels that a tag in the protocol's texts may hold."""
    track = protocol.selection.phase.track
    return frozenset(registry.get(track.kind).params(track.params).labels)


def task_desk(
    *,
    place: str,
    form: str,
    labels: frozenset[str],
    task: RatingTask,
    urls: Sequence[str],
    **more: Any,
) -> Desk:
    """Return the form of a task at a rater's place, filled in as it was last saved.

    `more` replaces what the form would be without: where it is sent, what it holds.
    """
    parts = {"code": place, "task": task.code}
    usual = {
        "action": reverse("grading:rate-answer", kwargs=parts),
        "draft_url": reverse("grading:rate-draft", kwargs=parts),
        "broken_url": "" if "is_revision" in more else reverse("grading:rate-broken", kwargs=parts),
        "kept": kept_of(task.draft),
    }
    return Desk(
        form=form,
        labels=labels,
        stimulus=task.stimulus,
        heard=list(zip(task.sounds, urls, strict=True)),
        code=task.code,
        **{**usual, **more},
    )


def kept_of(draft: object) -> dict[str, str]:
    """Return the fields of a draft that are texts; anything else in it is not ours."""
    if not isinstance(draft, dict):
        return {}
    return {str(name): value for name, value in draft.items() if isinstance(value, str)}


def kept_of_rating(rating: Rating) -> dict[str, str]:
    """Return the fields as an answer fills them in."""
    kept = {letter: str(mark) for letter, mark in rating.shown.items()}
    kept |= {f"t{number}": value for number, value in enumerate(rating.placements, 1)}
    if kept.get("A") == "0":
        kept["absent"] = "on"
    return kept


@dataclass(frozen=True, slots=True)
class Head:
    """Where the rater is in the sitting."""

    progress: SessionProgress
    form: str

    @property
    def heading(self) -> str:
        """What is on the form, with its number."""
        return str(words_of(self.form).heading) % {"number": self.number}

    @property
    def number(self) -> int:
        """The number of the stimulus on the form, from 1."""
        return min(self.progress.done + 1, self.progress.total)

    @property
    def left(self) -> str:
        """How long the rest takes, roughly; empty while nobody knows."""
        seconds = self.progress.seconds_left
        if seconds is None:
            return ""
        minutes = max(1, round(seconds / 60))
        return _("about %(minutes)d min left") % {"minutes": minutes}
