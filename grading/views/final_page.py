"""A final board as a page: two lists, bands, the forest plot, and what changed since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import Any

from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competition.enums import BoardAct, EntrantKind, EntrantState
from competition.languages import language_named
from competition.models import Phase
from grading import finals, shown
from grading.charts.forest import Forest, Mark, Span, draw_forest
from grading.enums import FilingKind, FilingVerdict, FinalList, SelectionReason
from grading.views.board_page import band_text
from grading.views.board_rows import TINTS
from grading.views.final_story import Story, stories_of
from grading.views.judge_label import people_note
from grading.views.titles import OfPhase

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Badge:
    """A word beside a team's name, and how it is drawn."""

    word: str
    css: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number or word of a row beside its column's name."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row, every text ready; `note` says why there is no score."""

    place: int | None
    band: int | None
    range: str
    team: str
    system: str
    url: str
    badges: tuple[Badge, ...]
    score: str
    interval: str
    spoken: str
    note: str
    remark: str
    mark: Mark | None
    is_diamond: bool
    cells: tuple[Cell, ...]
    css: str
    has_score: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one head row."""

    title: str
    text: str
    css: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Listing:
    """One of the two lists with its own scale."""

    name: str
    rows: Sequence[Json]
    page: FinalPage

    @property
    def is_rated(self) -> bool:
        """True for the list of systems that people rated."""
        return self.name == FinalList.RATED

    @cached_property
    def forest(self) -> Forest:
        """The plot that holds every row of the list."""
        leader = next((row for row in self.rows if row["place"] == 1), None)
        return draw_forest([_span(row) for row in self.rows], _span(leader) if leader else None)

    @property
    def heads(self) -> list[tuple[str, str]]:
        """The columns after the plot: words and unit."""
        return [(label, unit) for _key, label, unit in self.page.columns(self.name)]

    @property
    def width(self) -> int:
        """How many columns the table has."""
        return 5 + len(self.heads)

    @property
    def plot_title(self) -> str:
        """The plot's scale in words."""
        axis = self.forest.axis
        return _("Interval of the score, scale %(low).1f to %(high).1f") % {
            "low": axis.low,
            "high": axis.high,
        }

    @cached_property
    def groups(self) -> list[Group]:
        """The rows in bands, tinted as on every board."""
        bands = list(dict.fromkeys(row["band"] for row in self.rows if row["band"]))
        tints = {band: TINTS[min(at, 2 + at % 2)] for at, band in enumerate(bands)}
        rows = [self._row(row, tints) for row in self.rows]
        return list(_groups(rows, self.page.phase.band_rule))

    def _row(self, row: Json, tints: Mapping[int, str]) -> Row:
        low, high = row["interval"] or (None, None)
        span, score = _span(row), shown.number(row["score"])
        mine = row["entrant"]["code"] == self.page.mine
        interval = shown.span(low, high)
        return Row(
            place=row["place"],
            band=row["band"],
            range=_range(row["range"]),
            team=row["entrant"]["team"],
            system=row["system"],
            url=reverse(
                "grading:entrant-history",
                args=[self.page.competition.slug, row["entrant"]["code"]],
            ),
            badges=tuple(_badges(row, mine=mine)),
            score=score,
            interval=interval if low is not None else _no_interval(row),
            spoken=_("%(score)s, 95 %% interval %(interval)s")
            % {"score": score, "interval": interval}
            if low is not None
            else score,
            note=self._note(row),
            remark=row["kind_reason"],
            mark=self.forest.mark(span) if span else None,
            is_diamond=row["entrant"]["kind"] == EntrantKind.BASELINE,
            cells=tuple(
                Cell(label, self._value(row, key))
                for key, label, _unit in self.page.columns(self.name)
            ),
            css=tints.get(row["band"], "out") + (" mine" if mine else ""),
            has_score=row["score"] is not None,
        )

    def _value(self, row: Json, key: str) -> str:
        if key == "papers":
            return _papers(row["verification"])
        if key == "differs":
            return _differs(row)
        if key in self.page.languages:
            return shown.number(self.page.score_in(key, self.name, row["submission"]))
        if key in row["shares"] or key in "APNQE":
            return shown.number(row["shares"].get(key))
        return shown.number(row[key])

    def _note(self, row: Json) -> str:
        reason = row["withheld_reason"]
        if reason == "ENTRANT_OUT":
            return str(EntrantState(row["entrant"]["state"]).label)
        rating = self.page.data["rating"] or {}
        if reason == "MARKS_MISSING":
            return _("withheld: a clip has %(least)s of %(needed)s ratings") % {
                "least": row["ratings_least"],
                "needed": rating.get("needed"),
            }
        words = {
            "NO_UTTERANCES": _("withheld: not rated yet"),
            "NOT_JUDGED": _("withheld: the judge has not heard it whole"),
        }
        return words.get(reason, _("withheld")) if reason else ""


@dataclass(frozen=True)
class FinalPage(OfPhase):
    """Everything the template of a final board shows."""

    phase: Phase
    data: Json
    view: str
    languages: Sequence[str]
    mine: str = ""
    is_organizer: bool = False

    @property
    def lists(self) -> list[Listing]:
        """The two lists, those that have rows."""
        found = self.data["views"][self.view or finals.FINAL]
        return [Listing(name, found[name], self) for name in FinalList.values if found[name]]

    @property
    def tabs(self) -> list[dict[str, Any]]:
        """The views: each language, then both."""
        views = [(one, language_named(one)) for one in sorted(self.languages, reverse=True)]
        views.append(("", _("bilingual")))
        return [
            {"title": title, "query": f"view={view}", "current": view == self.view}
            for view, title in views
        ]

    def columns(self, listing: str) -> list[tuple[str, str, str]]:
        """Return the columns after the score: key, words, unit."""
        unit = _("0–100")
        ordered = sorted(self.languages, reverse=True)
        parts = [(one, language_named(one), unit) for one in ordered]
        if listing == FinalList.JUDGED:
            return [] if self.view else parts
        judge = [("judge", _("Judge"), unit), ("people", _("People"), unit)]
        papers = [("papers", _("Papers"), _("accepted"))]
        if self.view:
            return [*judge, *((one, one, _("0–1")) for one in "APN"), *papers]
        return [*parts, *judge, ("differs", _("Differs"), _("from 1st")), *papers]

    def score_in(self, language: str, listing: str, submission: str) -> float | None:
        """Return a system's score in one language, None where it has none."""
        rows = self.data["views"][language][listing]
        return next((row["score"] for row in rows if row["submission"] == submission), None)

    @property
    def share(self) -> str:
        """How the two scores are put together, in words."""
        weight = self.data["judge"]["weight"]
        return _("%(judge)s × judge + %(people)s × people") % {
            "judge": shown.number(weight),
            "people": shown.number(1 - weight),
        }

    @property
    def computed_at(self) -> datetime | None:
        """When the snapshot was computed."""
        return _moment(self.data["computed_at"])

    @property
    def is_provisional(self) -> bool:
        """Whether a row has fewer ratings than wanted, or is withheld for want of some."""
        rows = self.data["views"][self.view or finals.FINAL][FinalList.RATED]
        return any(row["is_provisional"] or row["withheld_reason"] for row in rows)

    @property
    def judge_note(self) -> str:
        """What the judge is, where it is not a judge of flesh and model."""
        judge = self.data["judge"]
        if judge["is_stand_in"]:
            return _("The judge is a stand-in, not a model: %(label)s") % {"label": judge["label"]}
        if judge["is_recorded"]:
            return _("The judge's answers are a recording: %(label)s") % {"label": judge["label"]}
        return ""

    @property
    def people_note(self) -> str:
        """That marks were given by nobody, where raters were simulated."""
        rating = self.data.get("rating") or {}
        return people_note(rating.get("simulated_raters", 0), rating.get("raters", 0))

    @property
    def acts(self) -> list[dict[str, Any]]:
        """What organizers did to the final board, newest first."""
        words = dict(BoardAct.choices)
        return [
            {"word": words[one["act"]], "at": _moment(one["at"]), "reason": one["reason"]}
            for one in self.data["acts"]
        ]

    @cached_property
    def stories(self) -> list[Story]:
        """What arrived and who moved, snapshot by snapshot, newest first."""
        return stories_of(self.data)


def _groups(rows: Iterable[Row], rule: str) -> Iterator[Group]:
    for band, members in groupby(_with_band(rows), key=lambda pair: pair[0]):
        found = tuple(row for _band, row in members)
        if band is None:
            title = _("Without a score") if not found[0].has_score else _("Outside the rank")
            yield Group(title, "", "", found)
            continue
        places = [row.place for row in found if row.place]
        css = next(row.css for row in found if row.place).replace(" mine", "")
        yield Group(_("Band %(band)s") % {"band": band}, band_text(places, rule), css, found)


def _with_band(rows: Iterable[Row]) -> Iterator[tuple[int | None, Row]]:
    """Give rows outside the rank the band of the ranked row above; withheld ones have none."""
    band: int | None = None
    for row in rows:
        band = row.band or (band if row.has_score else None)
        yield band, row


def _badges(row: Json, *, mine: bool) -> Iterator[Badge]:
    if mine:
        yield Badge(_("your team"), "you")
    kinds = {EntrantKind.UNOFFICIAL: _("unofficial"), EntrantKind.BASELINE: _("baseline")}
    reasons = {
        SelectionReason.REFERENCE: _("human reference"),
        SelectionReason.ANCHOR: _("low anchor"),
    }
    if row["reason"] in reasons:
        yield Badge(reasons[SelectionReason(row["reason"])])
    elif row["entrant"]["kind"] in kinds:
        is_dashed = row["entrant"]["kind"] == EntrantKind.UNOFFICIAL
        yield Badge(kinds[EntrantKind(row["entrant"]["kind"])], "dash" if is_dashed else "")
    if row["is_provisional"]:
        yield Badge(_("provisional"), "warn")


def _papers(states: Mapping[str, str] | None) -> str:
    if states is None:
        return shown.NONE
    accepted = sum(state == FilingVerdict.ACCEPTED for state in states.values())
    return _("%(accepted)s of %(all)s") % {"accepted": accepted, "all": len(FilingKind.values)}


def _differs(row: Json) -> str:
    if row["place"] == 1:
        return "—"
    differs = row["difference"].get("differs")
    if differs is None:
        return shown.NONE
    return _("yes") if differs else _("no")


def _no_interval(row: Json) -> str:
    return _("no interval") if row["score"] is not None else ""


def _range(places: Sequence[int] | None) -> str:
    if not places:
        return shown.NONE
    first, last = places
    return str(first) if first == last else f"{first}–{last}"


def _span(row: Json) -> Span | None:
    if row["score"] is None:
        return None
    low, high = row["interval"] or (None, None)
    return Span(row["score"], low, high)


def _moment(text: str | None) -> datetime | None:
    return parse_datetime(text) if text else None


def rating_words(rating: Json | None) -> str:
    """Return how many ratings by how many people there are, in words."""
    if not rating or not rating["ratings"]:
        return _("no ratings yet")
    count = ngettext("%(n)s rating", "%(n)s ratings", rating["ratings"]) % {
        "n": shown.grouped(rating["ratings"])
    }
    people = ngettext("%(n)s rater", "%(n)s raters", rating["raters"]) % {"n": rating["raters"]}
    return _("%(ratings)s by %(raters)s") % {"ratings": count, "raters": people}
