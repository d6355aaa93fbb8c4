"""The board page of a phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.models import AuditChain, User
from accounts.views.access import viewer
from competition.enums import BandRule
from competition.models import Competition, Phase
from grading.charts.forest import Forest
from grading.kept import Kept
from grading.scoring import registry
from grading.scoring.recipe import seed as seed_of
from grading.shown import grouped
from grading.views.board_page import (
    BoardChoice,
    Group,
    Head,
    groups_of,
    heads,
    page_of,
    plot_of,
)
from grading.views.board_rows import BoardRow, Columns, columns_of
from grading.views.board_source import BoardSource, board_source
from grading.views.board_tags import board_etag, has_tag, poll_seconds, tagged
from grading.views.lookups import phase_of
from grading.views.titles import OfPhase, title_of

NOT_MODIFIED = 304
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
    languages: Sequence[str]
    log_head: str

    @property
    def utterances(self) -> str:
        """How many utterances each language has, in words."""
        counts = sorted(self.phase.references.counts.items(), reverse=True)
        if not counts:
            return ""
        parts = [f"{grouped(count)} {language}" for language, count in counts]
        return _("%(counts)s utterances") % {"counts": _(" and ").join(parts)}

    @property
    def is_small(self) -> bool:
        """True when the interval is known to be optimistic."""
        return any(count < SMALL for count in self.phase.references.counts.values())

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
    def tabs(self) -> list[dict[str, Any]]:
        """The views of the board: each language, then both."""
        views = [(language, language) for language in sorted(self.languages, reverse=True)]
        views.append(("", _("bilingual")))
        return [
            {
                "title": title,
                "query": self.choice.query(view=view, sort="", order=""),
                "current": view == self.choice.view,
            }
            for view, title in views
        ]

    @cached_property
    def forest(self) -> Forest:
        """The plot that holds every row of the board."""
        return plot_of(self.source.rows)

    @cached_property
    def groups(self) -> Sequence[Group]:
        """The rows of this page in bands, every text ready."""
        return groups_of(
            self.rows, self.columns, self.forest, self.phase, self.choice, mine=self.source.mine
        )

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
    def heads(self) -> list[Head]:
        """The heads of the columns."""
        return heads(self.columns, self.choice)

    @property
    def width(self) -> int:
        """How many columns the table has: place, range, team, plot, difference and the numbers."""
        return len(self.columns) + 5

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
        if self.source.recipe is None:
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
    choice = board_choice(request, registry.get(found.track.kind).languages)
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
    languages = registry.get(phase.track.kind).languages
    source = board_source(user, phase, choice.view, now)
    columns = columns_of(languages, choice.view)
    rows = page_of(source.rows, columns, choice)
    phases = list(Phase.objects.filter(track=phase.track_id))
    return BoardPage(
        phase=phase,
        source=source,
        choice=choice,
        columns=columns,
        rows=rows,
        phases=phases,
        languages=languages,
        log_head=_log_head(phase.track.competition),
    )


def _log_head(competition: Competition) -> str:
    """Return the hash that ends the competition's log, so that anyone can pin it."""
    chains = AuditChain.objects.filter(scope=competition.audit_scope)
    return chains.values_list("head", flat=True).first() or ""


def board_choice(request: HttpRequest, languages: Sequence[str]) -> BoardChoice:
    """Return the view, rows and order that a query names."""
    view = request.GET.get("view", "")
    keys = [column.key for column in columns_of(languages, view if view in languages else "")]
    return BoardChoice.from_query(request.GET, languages, keys)
