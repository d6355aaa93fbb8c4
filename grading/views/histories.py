"""A team's own submissions with the quota ledger, and the public page of an entrant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.views.access import person, signed_in, viewer
from competition.models import Competition, Entrant, Phase
from competition.queries import entrant_of, may_see_board
from competition.rules import is_member
from competition.templatetags.texts import phase_name
from competition.timeline import PhaseState, phase_state
from grading import queries, shown
from grading.charts.forest import Span
from grading.charts.history import Event, History, draw_history
from grading.enums import EvaluationState, SubmissionState
from grading.models import Evaluation, Standing, Submission
from grading.presentation import Sight, columns_of, judge_of
from grading.scoring.tracks.columns import Column
from grading.services import quota, selection
from grading.services.quota import Ledger
from grading.views import judge_label
from grading.views.lookups import competition_of
from grading.views.parts import (
    PartName,
    columns_of_track,
    part_cells,
    parts_of,
    scaled,
    span,
    written,
)
from grading.views.seen import seen
from grading.views.titles import title_of

PER_PAGE = 25
LEDGER_PER_PAGE = 25
STYLES = {
    SubmissionState.REJECTED: "bad",
    SubmissionState.FAILED: "bad",
    SubmissionState.CANCELLED: "dash",
}


@dataclass(frozen=True, slots=True)
class ListedSubmission:
    """One line of a list of submissions."""

    submission: Submission
    phase_title: str
    track_title: str
    state: str
    style: str
    score: str
    interval: str
    judge: str
    counts: bool

    @property
    def name(self) -> str:
        """The number in its team, four digits."""
        return f"{self.submission.number:04d}"


@dataclass(frozen=True, slots=True)
class PhaseAccount:
    """A phase with the team's account in it."""

    phase: Phase
    name: str
    ledger: Ledger
    entries: Page[Any]
    is_open: bool


@dataclass(frozen=True, slots=True)
class PhaseHistory:
    """An entrant's scores in one phase: the chart and the rows beside it."""

    phase: Phase
    name: str
    chart: History
    rows: list[Mapping[str, Any]]
    standing: Standing | None
    note: str
    parts: list[PartName]
    provisional: str
    provisional_note: str


@signed_in
@require_safe
def submission_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the reader's team its submissions and its quota, phase by phase."""
    competition, user, now = competition_of(request, slug), person(request), timezone.now()
    entrant = entrant_of(user, competition)
    phases = _with(Phase.objects.filter(track__competition=competition), competition)
    mine = Paginator(_submissions(entrant), PER_PAGE)
    page = mine.get_page(request.GET.get("page"))
    context = {
        "competition": competition,
        "entrant": entrant,
        "page": page,
        "submissions": listed(_placed(page, entrant, phases), user, now),
        "accounts": _accounts(request, entrant, phases, now) if entrant else [],
    }
    return render(request, "grading/submission_list.html", context)


def _submissions(entrant: Entrant | None) -> QuerySet[Submission]:
    """Return the entrant's submissions, newest first."""
    own = Submission.objects.filter(entrant=entrant) if entrant else Submission.objects.none()
    return own.select_related("uploader", "quota").order_by("-created_at", "-pk")


def _placed(
    rows: Iterable[Submission], entrant: Entrant | None, phases: list[Phase]
) -> list[Submission]:
    """Return an entrant's submissions with entrant and phase in place, so that nobody asks again."""
    by_key = {phase.pk: phase for phase in phases}
    found = list(rows)
    for one in found:
        one.phase = by_key[one.phase_id]
        if entrant is not None:
            one.entrant = entrant
    return found


@require_safe
def entrant_history(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show everybody an entrant's scores over time, as far as boards show them."""
    competition, now = competition_of(request, slug), timezone.now()
    visible = Entrant.objects.visible_to(viewer(request)).select_related("team")
    entrant = get_object_or_404(visible, competition=competition, code=code)
    user = viewer(request)
    own = entrant_of(user, competition)
    phases = _with(Phase.objects.filter(track__competition=competition), competition)
    histories = [_history(entrant, phase, user, now) for phase in phases]
    context = {
        "competition": competition,
        "entrant": entrant,
        "is_own": own is not None and own.pk == entrant.pk,
        "histories": [one for one in histories if one is not None],
        "changes": entrant.changes.exclude(field="member"),
    }
    return render(request, "grading/entrant_history.html", context)


def listed(
    submissions: list[Submission], user: User, now: datetime, *, counted: bool = True
) -> list[ListedSubmission]:
    """Return the lines of a list of submissions, with a bounded number of queries."""
    evaluations = queries.live_evaluations(submissions)
    phases = {one.phase_id: one.phase for one in submissions}
    sights = {key: queries.sight_for(user, phase, now) for key, phase in phases.items()}
    pairs = {(one.entrant_id, one.phase_id): one for one in submissions} if counted else {}
    chosen = {_counted(one) for one in pairs.values()}
    return [
        _listed(one, evaluations.get(one.pk), sights[one.phase_id], counts=one.pk in chosen)
        for one in submissions
    ]


def _counted(submission: Submission) -> int | None:
    """Return the key of the submission that counts of the same entrant in the same phase."""
    entrant = submission.entrant_id
    line = selection.counted_lines(submission.phase, entrant_id=entrant).get(entrant)
    return line.submission_id if line is not None else None


def _listed(
    submission: Submission, evaluation: Evaluation | None, sight: Sight, *, counts: bool
) -> ListedSubmission:
    score, interval, judge = shown.NONE, "", ""
    if evaluation is not None and evaluation.state == EvaluationState.SCORED:
        found = seen(evaluation, sight)
        head = columns_of(evaluation.recipe)[0]
        score = _("hidden") if found.is_hidden else written(head, found.score)
        interval = "" if found.low is None else span(head, found.low, found.high)
        judge = "" if found.is_hidden else judge_label.row_word(judge_of(evaluation.recipe))
    state, style = state_of(submission, evaluation)
    title, track = title_of(submission.phase), title_of(submission.phase.track)
    return ListedSubmission(submission, title, track, state, style, score, interval, judge, counts)


def state_of(submission: Submission, evaluation: Evaluation | None) -> tuple[str, str]:
    """Return a submission's state in a word, and its badge's style."""
    if submission.state == SubmissionState.ACCEPTED and evaluation is not None:
        style = {EvaluationState.SCORED: "ok", EvaluationState.FAILED: "bad"}
        state = EvaluationState(evaluation.state)
        return str(state.label), style.get(state, "")
    found = SubmissionState(submission.state)
    return str(found.label), STYLES.get(found, "")


def _with(phases: QuerySet[Phase], competition: Competition) -> list[Phase]:
    """Return the phases with the competition in place, so that nobody asks for it again."""
    found = list(phases.select_related("track"))
    for phase in found:
        phase.track.competition = competition
    return found


def _accounts(
    request: HttpRequest, entrant: Entrant, phases: list[Phase], now: datetime
) -> list[PhaseAccount]:
    accounts = []
    for phase in phases:
        ledger = quota.ledger(entrant=entrant, phase=phase, now=now)
        pages = Paginator(ledger.entries.select_related("submission"), LEDGER_PER_PAGE)
        entries = pages.get_page(request.GET.get(f"ledger-{phase.code}"))
        is_open = phase_state(phase, now) == PhaseState.OPEN
        accounts.append(PhaseAccount(phase, phase_name(phase), ledger, entries, is_open))
    return accounts


def _history(
    entrant: Entrant, phase: Phase, user: User | None, now: datetime
) -> PhaseHistory | None:
    """Return an entrant's scores in a phase; None where the reader may not see the board."""
    is_own = is_member(user, entrant)
    if not is_own and not may_see_board(user, phase, now):
        return None
    rows = queries.history(entrant, phase, user, now)
    columns = columns_of_track(phase.track)
    events = [_event(row, columns[0]) for row in rows if row["score"] is not None]
    standing = (
        Standing.objects.filter(board__phase=phase, entrant=entrant, audience="public", view="")
        .select_related("evaluation__submission")
        .first()
    )
    hidden = rows and all(row["hidden"] for row in rows)
    note = _("Scores of this phase are shown when it closes.") if hidden else ""
    visible = [] if hidden else [_shown(row, standing, columns) for row in reversed(rows)]
    chart = draw_history(events, lower_is_better=bool(columns[0].lower_is_better))
    # All are under the phase's live recipe, which names one judge.
    judge = visible[0]["judge"] if visible else None
    return PhaseHistory(
        phase,
        phase_name(phase),
        chart,
        visible,
        standing,
        note,
        parts_of(columns),
        judge_label.heading(judge),
        judge_label.note(judge),
    )


def _event(row: Mapping[str, Any], head: Column) -> Event:
    low, high = row["interval"] or (None, None)
    words = [
        f"{row['number']:04d}: {written(head, row['score'])}",
        judge_label.row_word(row["judge"]),
    ]
    label = " · ".join(filter(None, words))
    return Event(
        _at(row),
        Span(*(scaled(head, value) for value in (row["score"], low, high))),
        label,
        row["marked"],
    )


def _shown(
    row: Mapping[str, Any], standing: Standing | None, columns: Sequence[Column]
) -> Mapping[str, Any]:
    low, high = row["interval"] or (None, None)
    counts = standing is not None and standing.evaluation.submission.code == row["submission"]
    return {
        **row,
        "name": f"{row['number']:04d}",
        "at": _at(row),
        "score_text": written(columns[0], row["score"]),
        "judge_word": judge_label.row_word(row["judge"]),
        "interval_text": span(columns[0], low, high),
        "parts": part_cells(columns, row["components"]),
        "counts": counts,
    }


def _at(row: Mapping[str, Any]) -> datetime:
    found = parse_datetime(row["submitted_at"])
    if found is None:
        raise ValueError("a history row has no time")
    return found
