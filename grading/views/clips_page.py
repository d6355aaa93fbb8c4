"""The clips of a submission as pages show them: what came, how long it is, what the screen found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from grading.models import Clip, Submission
from grading.scoring.audio.codecs import RATE
from grading.scoring.audio.screen import warnings_of
from grading.scoring.types import Problem
from grading.screening import DONE
from grading.sentences import meaning, sentence
from grading.shown import grouped

ROWS_PER_PAGE = 25
WARNED = "any"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ClipFilter:
    """What the reader looks for among clips; empty fields let everything through."""

    text: str = ""
    screen: str = ""
    page: str = "1"

    @classmethod
    def from_query(cls, query: QueryDict) -> ClipFilter:
        """Return the filter that a page's query names."""
        return cls(query.get("q", "").strip(), query.get("screen", ""), query.get("page", "1"))

    def lets_through(self, row: ClipRow) -> bool:
        """Return whether a row fits: what the screen found exactly, the text anywhere in it."""
        if self.screen == WARNED and not row.warnings:
            return False
        if self.screen == FAILED and row.is_screened:
            return False
        if self.screen not in ("", WARNED, FAILED) and self.screen not in row.codes:
            return False
        return not self.text or self.text.casefold() in row.searchable


@dataclass(frozen=True, slots=True)
class ClipRow:
    """One clip with its figures; None is what could not be measured."""

    utt_id: str
    language: str
    member: str
    seconds: float
    figures: Mapping[str, Any]
    warnings: Sequence[Problem]

    @property
    def is_screened(self) -> bool:
        """False while there is no screen, or where it failed."""
        return self.figures.get("state") == DONE

    @property
    def other_name(self) -> str:
        """Its name in the archive, where that is not just the utterance's."""
        return "" if self.member == f"{self.utt_id}.wav" else self.member

    @property
    def codes(self) -> list[str]:
        """What the screen found."""
        return [problem.code for problem in self.warnings]

    @property
    def sentences(self) -> list[str]:
        """What the screen found, in the reader's language."""
        return [sentence(problem) for problem in self.warnings]

    @property
    def duration(self) -> str:
        """How long it is."""
        return f"{self.seconds:.2f}"

    @property
    def loudness(self) -> str:
        """LUFS, empty where the clip is too short or too quiet to tell."""
        return _figure(self.figures.get("loudness"), "{:.1f}")

    @property
    def silence(self) -> str:
        """Percent of the clip below -50 dBFS."""
        return _figure(self.figures.get("silent_percent"), "{:.0f}")

    @property
    def zeros(self) -> str:
        """Seconds of the longest stretch of digital zeros."""
        return _figure(self.figures.get("longest_zeros"), "{:.1f}")

    @property
    def clipped(self) -> str:
        """How often several samples in a row are at full scale."""
        return _figure(self.figures.get("clipped_runs"), "{:,}")

    @property
    def bandwidth(self) -> str:
        """Kilohertz up to which something is to be heard."""
        hertz = self.figures.get("bandwidth_hz")
        return "" if hertz is None else f"{hertz / 1000:.1f}"

    @property
    def searchable(self) -> str:
        """Everything that the search looks at."""
        return "\n".join((self.utt_id, self.member, self.language, *self.codes)).casefold()


@dataclass(frozen=True, slots=True)
class Duration:
    """How much came in one language."""

    language: str
    clips: int
    length: str


@dataclass(frozen=True, slots=True)
class ScreenCount:
    """On how many clips the screen found one thing, and what that means."""

    code: str
    count: int
    meaning: str


class ClipsPage:
    """The clips of one accepted submission."""

    def __init__(self, submission: Submission, chosen: ClipFilter | None = None) -> None:
        self.submission = submission
        self.chosen = chosen or ClipFilter()

    @property
    def url(self) -> str:
        """Where all clips are listed."""
        return reverse("grading:clip-list", args=[self.submission.code])

    @cached_property
    def all_rows(self) -> list[ClipRow]:
        """Every clip, by utterance."""
        clips = Clip.objects.filter(submission=self.submission).values_list(
            "utt_id", "language", "member", "waveform__frames", "waveform__screen"
        )
        return [
            ClipRow(utt_id, language, member, frames / RATE, screen, tuple(warnings_of(screen)))
            for utt_id, language, member, frames, screen in clips
        ]

    @cached_property
    def found(self) -> list[ClipRow]:
        """The clips that fit the search."""
        return [row for row in self.all_rows if self.chosen.lets_through(row)]

    @cached_property
    def rows(self) -> Page[ClipRow] | Sequence[ClipRow]:
        """One page of them."""
        page = Paginator(self.found, ROWS_PER_PAGE).get_page(self.chosen.page)
        return page if self.found else []

    @property
    def is_filtered(self) -> bool:
        """True when not every clip is listed."""
        return bool(self.chosen.text or self.chosen.screen)

    @property
    def has_speech(self) -> bool:
        """True where a voice-activity model is installed."""
        return any(row.figures.get("speech") is not None for row in self.all_rows)

    @property
    def total(self) -> str:
        """How many clips there are and how long they are together."""
        count = len(self.all_rows)
        text = ngettext("%(n)s clip, %(length)s", "%(n)s clips, %(length)s", count)
        return text % {
            "n": grouped(count),
            "length": length(sum(row.seconds for row in self.all_rows)),
        }

    @property
    def durations(self) -> list[Duration]:
        """How much came in each language."""
        counts: Counter[str] = Counter(row.language for row in self.all_rows)
        return [
            Duration(
                language,
                counts[language],
                length(sum(row.seconds for row in self.all_rows if row.language == language)),
            )
            for language in sorted(counts)
        ]

    @property
    def range(self) -> str:
        """The shortest and the longest clip."""
        seconds = [row.seconds for row in self.all_rows]
        if not seconds:
            return ""
        values = {"low": f"{min(seconds):.1f}", "high": f"{max(seconds):.1f}"}
        return _("%(low)s to %(high)s s") % values

    @cached_property
    def counts(self) -> list[ScreenCount]:
        """What the screen found, the most frequent first."""
        codes = Counter(code for row in self.all_rows for code in row.codes)
        return [ScreenCount(code, count, meaning(code)) for code, count in codes.most_common()]

    @property
    def failures(self) -> int:
        """On how many clips the screen failed."""
        return sum(not row.is_screened for row in self.all_rows)

    @property
    def verdict(self) -> str:
        """What the screen found, in one line."""
        warned = sum(bool(row.warnings) for row in self.all_rows)
        if not warned:
            return _("nothing to remark")
        return ngettext("remarks on %(n)s clip", "remarks on %(n)s clips", warned) % {
            "n": grouped(warned)
        }

    @property
    def choices(self) -> list[dict[str, str]]:
        """The choices of the filter by what the screen found."""
        listed = [{"value": WARNED, "label": _("with remarks")}]
        listed += [{"value": count.code, "label": count.code} for count in self.counts]
        if self.failures:
            listed.append({"value": FAILED, "label": _("not measured")})
        return listed

    @property
    def caption(self) -> str:
        """What the table lists."""
        if self.is_filtered:
            values = {"found": grouped(len(self.found)), "total": grouped(len(self.all_rows))}
            return _("%(found)s of %(total)s clips fit the search.") % values
        return _("Clips by utterance: %(total)s") % {"total": self.total}


def length(seconds: float) -> str:
    """Return a duration as people say it: `48.2 s`, `12 min 30 s`, `2 h 05 min`."""
    if seconds < 60:  # noqa: PLR2004
        return _("%(seconds)s s") % {"seconds": f"{seconds:.1f}"}
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": f"{rest:02d}"}
    hours, minutes = divmod(minutes, 60)
    return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": f"{minutes:02d}"}


def _figure(value: Any, shape: str) -> str:
    return "" if value is None else shape.format(value)
