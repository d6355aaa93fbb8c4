"""The board page of a phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.paginator import Page
from django.db.models import Exists, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.models import AuditChain, AuditCheckpoint, User
from accounts.views.access import viewer
from competition.enums import BandRule
from competition.languages import language_named
from competition.models import Competition, Phase
from grading.charts.forest import Forest
from grading.kept import Kept
from grading.models import Board, VerificationPublication
from grading.scoring import registry
from grading.scoring.reasons import REASONS
from grading.scoring.recipe import seed as seed_of
from grading.shown import grouped
from grading.views import judge_label
from grading.views.board_figures import (
    Provenance,
    ScatterFigure,
    provenance_of,
    scatter_figure,
)
from grading.views.board_page import (
    BoardChoice,
    Drawing,
    Group,
    Head,
    groups_of,
    heads,
    page_of,
    plot_of,
    sentences,
)
from grading.views.board_rows import (
    BoardColumn,
    BoardRow,
    Columns,
    columns_of,
    in_table,
    tab_title,
)
from grading.views.board_source import BoardSource, board_source
from grading.views.board_tags import board_etag, has_tag, poll_seconds, tagged
from grading.views.lookups import phase_of
from grading.views.titles import OfPhase, title_of

NOT_MODIFIED = 304
LONG_LABEL = 16
MOST_COLUMNS = 8
"""So many columns of numbers have room beside team and plot on a common screen."""
SMALL = 200
"""Under this many utterances in a language the interval is known to be optimistic."""


TABLES: Kept[SafeString] = Kept(96)
"""Tables of at most 100 rows, rendered: about 130 kB each."""


@dataclass(frozen=True)
class BoardPage(OfPhase):
    """Everything the template shows; it asks the database nothing more."""

    phase: Phase
    source: BoardSource
    choice: BoardChoice
    columns: Columns
    rows: Page[BoardRow]
    phases: Sequence[Phase]
    log_head: dict[str, Any] | None

    @property
    def utterances(self) -> str:
        """How many utterances each language has, in words; in the order of the board's parts."""
        told = [tab["key"] for tab in self.source.head.get("tabs", ())]
        counts = sorted(self.phase.references.counts.items(), reverse=True)
        counts.sort(key=lambda one: told.index(one[0]) if one[0] in told else len(told))
        if not counts:
            return ""
        parts = [
            _("%(count)s %(language)s")
            % {"count": grouped(count), "language": language_named(code)}
            for code, count in counts
        ]
        joined = _(" and ") if len(parts) == 2 else pgettext("between names", ", ")  # noqa: PLR2004
        return _("%(counts)s utterances") % {"counts": joined.join(parts)}

    @property
    def is_small(self) -> bool:
        """True when the interval is known to be optimistic."""
        counts = self.phase.references.counts.values()
        return self.has_intervals and any(count < SMALL for count in counts)

    @property
    def other_phases(self) -> list[dict[str, Any]]:
        """Links to the boards of the track's phases, when there are several."""
        if len(self.phases) < 2:  # noqa: PLR2004  one phase needs no links
            return []
        return [
            {"slug": phase.slug, "title": title_of(phase), "current": phase.pk == self.phase.pk}
            for phase in self.phases
        ]

    @property
    def has_final(self) -> bool:
        """Whether people rate the best systems, so that a final board follows this one."""
        return registry.get(self.track.kind).has_final

    @property
    def is_verified(self) -> bool:
        """Whether the standing was tried on held-out clips, and the outcome is published."""
        return any(
            one.pk == self.phase.pk and getattr(one, "is_verified", False) for one in self.phases
        )

    @property
    def tabs(self) -> list[dict[str, Any]]:
        """The views of the board: each part, then the whole; none where there is one alone."""
        return [
            {
                "title": tab_title(tab),
                "query": self.choice.query(view=tab["key"], sort="", order=""),
                "current": tab["key"] == self.choice.view,
            }
            for tab in self.source.head.get("tabs", ())
        ]

    @cached_property
    def forest(self) -> Forest:
        """The plot that holds every row of the board."""
        return plot_of(self.source.rows, self.columns[0])

    @cached_property
    def groups(self) -> Sequence[Group]:
        """The rows of this page in bands, every text ready."""
        drawing = Drawing(
            columns=self.shown_columns,
            forest=self.forest,
            phase=self.phase,
            mine=self.source.mine,
            reasons=self.reasons,
        )
        return groups_of(self.rows, drawing, self.choice)

    @property
    def table(self) -> SafeString:
        """The table, rendered once for all readers who see the same."""
        if self.source.version is None:
            return self._rendered_table()
        mine = self.source.mine if any(row.code == self.source.mine for row in self.rows) else ""
        choice = replace(self.choice, page=str(self.rows.number))
        key = (self.source.version, choice, mine, self.phase.band_rule, get_language())
        return TABLES.get(key, self._rendered_table)

    def _rendered_table(self) -> SafeString:
        return render_to_string("grading/partials/board_table.html", {"page": self})

    @property
    def scatter(self) -> ScatterFigure | None:
        """Two columns against each other, on the board of everything alone."""
        if self.choice.view:
            return None
        return scatter_figure(self.source.head.get("scatter"))

    @property
    def provenance(self) -> Provenance | None:
        """Where the rows of this page come from."""
        return provenance_of(list(self.rows), self.columns)

    @cached_property
    def shown_columns(self) -> list[BoardColumn]:
        """The columns of the table; a board that has one part alone is that part."""
        is_part = bool(self.choice.view) or not self.tabs
        return in_table(self.columns, self.source.rows, is_part=is_part)

    @property
    def is_wide(self) -> bool:
        """Whether the table may be wider than a page."""
        longest = max((len(one.label) for one in self.shown_columns), default=0)
        return len(self.shown_columns) > MOST_COLUMNS or longest > LONG_LABEL

    @property
    def is_compared(self) -> bool:
        """Whether it is told which teams differ from place 1."""
        if registry.get(self.track.kind).is_composed:
            return False
        ranked = sum(row.place is not None for row in self.source.rows)
        told = any(row.difference.get("differs") is not None for row in self.source.rows)
        return told or ranked < 2  # noqa: PLR2004  nobody to compare with

    @property
    def heads(self) -> list[Head]:
        """The heads of the columns."""
        return heads(self.shown_columns, self.choice)

    @property
    def width(self) -> int:
        """How many columns the table has: place, range, team, plot, difference and the numbers."""
        return len(self.heads) + 4 + self.is_compared

    @property
    def caption(self) -> str:
        """What decides the order, and what is rounded."""
        official = _(
            "Official order: score, then the tie-breaks. Sorting by another column keeps the places."
        )
        if self.source.is_rounded:
            return f"{official} {_('Shown with two decimals until the phase closes.')}"
        return official

    @property
    def plot_title(self) -> str:
        """The plot's scale in words."""
        axis = self.forest.axis
        return _("Interval of the score, scale %(low).1f to %(high).1f") % {
            "low": axis.low,
            "high": axis.high,
        }

    @property
    def is_provisional(self) -> bool:
        """Whether the judge's marks alone make the scores, until people have rated."""
        return judge_label.is_provisional(self.track.kind, self._recipe_params)

    @property
    def provisional(self) -> str:
        """What the scores are made of where they are not the last word, or no judge's; else empty."""
        return judge_label.provisional(self.track.kind, self._recipe_params)

    @property
    def provisional_note(self) -> str:
        """What a reader has to know about a judge that is none; empty for a real one."""
        return judge_label.provisional_note(self.track.kind, self._recipe_params)

    @property
    def _recipe_params(self) -> dict[str, Any]:
        return (self.source.recipe or {}).get("params") or {}

    @property
    def has_falling(self) -> bool:
        """Whether a column is better when lower."""
        return any(column.lower_is_better for column in self.shown_columns)

    @property
    def meanings(self) -> list[BoardColumn]:
        """The columns that say what they are, where their names do not; twins of two groups once."""
        told = [one for one in self.shown_columns if one.meaning and not one.is_share]
        return list({(one.label, one.meaning): one for one in told}.values())

    @property
    def has_intervals(self) -> bool:
        """Whether a row of this board has an interval."""
        return any(row.low is not None for row in self.source.rows)

    @property
    def intervals_missing(self) -> list[str]:
        """Why scores of this board have no interval, a sentence for each cause."""
        codes = {one.interval_reason for one in self.source.rows if one.score is not None}
        return sentences(codes, self.reasons)

    @property
    def reasons(self) -> dict[str, str]:
        """Why scores and intervals are missing, by code; a board may be older than a sentence."""
        known = registry.get(self.track.kind).reasons
        return {**REASONS, **known, **self.source.head.get("reasons", {})}

    @property
    def shares(self) -> str:
        """What the letters of a judge's columns stand for, empty where there are none."""
        told = [one for one in self.shown_columns if one.meaning and one.is_share]
        return " · ".join(f"{one.label} {one.meaning}" for one in told)

    @property
    def band_rule_text(self) -> str:
        """What a band is on this board."""
        if self.phase.band_rule == BandRule.COMPONENTS:
            return _(
                "Teams linked by overlapping intervals; its number is the place it begins at. Named above its rows and tinted; the pale column in the plot is the interval of place 1."
            )
        return _(
            "Teams whose interval overlaps that of the best in the band; its number is the place it begins at. Named above its rows and tinted; the pale column in the plot is the interval of place 1."
        )

    @property
    def counted(self) -> str:
        """How many rows fit the choice."""
        total = self.rows.paginator.count
        return ngettext("%(n)s row", "%(n)s rows", total) % {"n": grouped(total)}

    @property
    def sort_options(self) -> Sequence[Head]:
        """The columns that the sort menu offers."""
        return self.heads

    @property
    def seed(self) -> int | None:
        """The seed of every interval on the board."""
        if self.source.recipe is None or registry.get(self.track.kind).is_composed:
            return None
        return seed_of(self.source.recipe["digest"], self.phase.code)

    @property
    def place_query(self) -> str:
        """The query that shows the official order again."""
        return self.choice.query(sort="", order="")

    @property
    def all_rows_url(self) -> str:
        """Where all rows are shown."""
        return f"?{self.choice.query(rows='')}"

    @property
    def query(self) -> str:
        """The choice as a query string, for exports."""
        return self.choice.query()

    @property
    def shape(self) -> str:
        """What the page consists of; a refresh in place replaces rows, not the page around them."""
        if self.source.hidden_reason:
            return "hidden"
        return "rows" if self.rows.paginator.count else "empty"

    @property
    def live_query(self) -> str:
        """The query that asks for the changing part in the same choice."""
        return self.choice.query(page=str(self.rows.number), live=self.shape)

    @property
    def spoken(self) -> str:
        """What a screen reader hears after a refresh in place."""
        return _("The board has changed: %(rows)s.") % {"rows": self.counted}


@require_safe
def board(request: HttpRequest, slug: str, track: str, phase: str) -> HttpResponse:
    """Show a phase's board in the chosen view, rows and order.

    A polling request (`live`) gets the changing part alone: 304 while it is as it was.
    """
    found = phase_of(request, slug, track, phase)
    user, now = viewer(request), timezone.now()
    choice = board_choice(request, found)
    # Taken before the rows are read: rows newer than their tag are fetched once more, not missed.
    etag = board_etag(user, found, choice, now)
    if "live" in request.GET and has_tag(request, etag):
        return tagged(HttpResponse(status=NOT_MODIFIED), etag)
    page = board_page(user, found, choice, now)
    context = {"page": page, "etag": etag, "poll_seconds": poll_seconds(found, now)}
    if "live" not in request.GET:
        return render(request, "grading/board.html", context)
    if page.shape == "hidden" or page.shape != request.GET["live"]:
        return HttpResponseClientRefresh()
    return tagged(render(request, "grading/partials/board_polled.html", context), etag)


def board_page(user: User | None, phase: Phase, choice: BoardChoice, now: datetime) -> BoardPage:
    """Return the board as the reader may see it, in their choice."""
    source = board_source(user, phase, choice.view, now)
    columns = columns_of(source.head, choice.view)
    rows = page_of(source.rows, columns, choice)
    published = VerificationPublication.objects.filter(verification__phase=OuterRef("pk"))
    phases = Phase.objects.filter(track=phase.track_id).annotate(is_verified=Exists(published))
    return BoardPage(
        phase=phase,
        source=source,
        choice=choice,
        columns=columns,
        rows=rows,
        phases=list(phases),
        log_head=_log_head(phase.track.competition),
    )


def _log_head(competition: Competition) -> dict[str, Any] | None:
    """Return count and hash that end the competition's log, and the newest signed ones: to be pinned."""
    signed = AuditCheckpoint.objects.filter(chain=OuterRef("pk")).order_by("-count")
    chains = AuditChain.objects.filter(scope=competition.audit_scope, count__gte=1).annotate(
        signed_count=Subquery(signed.values("count")[:1]),
        signed_head=Subquery(signed.values("head")[:1]),
    )
    found = chains.values("count", "head", "signed_count", "signed_head").first()
    return dict(found) if found else None


def board_choice(request: HttpRequest, phase: Phase) -> BoardChoice:
    """Return the view, rows and order that a query names, on the board of a phase."""
    track = registry.get(phase.track.kind)
    if track.is_composed:
        return BoardChoice.from_query(request.GET, *_composed_choices(phase))
    params = track.params(phase.track.params)
    views = [view.key for view in track.views(params)]
    keys = [*views, *(column.key for column in track.columns_of(params))]
    return BoardChoice.from_query(request.GET, views, keys)


def _composed_choices(phase: Phase) -> tuple[list[str], list[str]]:
    """Return the tables of a composed board and the keys of all their columns."""
    found = (
        Board.objects.filter(phase=phase).values_list("data__tabs", "data__view_columns").first()
    )
    tabs, columns = found or (None, None)
    keys = {one["key"] for told in (columns or {}).values() for one in told}
    return [tab["key"] for tab in tabs or ()], sorted(keys)
