"""The console's pages of the judge: every run, one run, letting it go on, its raw answers."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Case, IntegerField, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from competition.streaming import PartResponse
from grading.enums import JudgeRunState
from grading.judging_forms import ResumeForm
from grading.models import JudgeRun
from grading.services import judging_acts, judging_export
from grading.services.judging_acts import RaisedBudget
from grading.views.judging_page import RunLine, lines_of, runs_of
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 50
SPOOLED_BYTES = 1024 * 1024
PIECE_BYTES = 64 * 1024


class Lines:
    """The raw answers of a run in pieces: rows are read at once, in this thread, and sent from a file."""

    def __init__(self, run: JudgeRun) -> None:
        self._file = SpooledTemporaryFile(max_size=SPOOLED_BYTES)  # noqa: SIM115  see close()
        self._file.writelines(judging_export.answer_lines(run))
        self._file.seek(0)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._file.read(PIECE_BYTES)
        if not piece:
            raise StopIteration
        return piece

    def close(self) -> None:
        """Let go of the file; the answer does it when it is sent or broken off."""
        self._file.close()


@in_console
@require_safe
def judging_list(request: HttpRequest, place: Console) -> HttpResponse:
    """List the judge's runs, those that stopped first; the table asks for itself again."""
    stopped_first = Case(
        When(state=JudgeRunState.STOPPED, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    runs = _runs(place).order_by(stopped_first, "-created_at", "-pk")
    page = Paginator(runs, PER_PAGE).get_page(request.GET.get("page"))
    lines = lines_of(list(page))
    context = _context(place) | {
        "page": page,
        "lines": lines,
        "is_moving": any(line.is_moving for line in lines),
        "now": timezone.now(),
    }
    return render(request, f"grading/{_template(request, 'console_judging', 'list')}", context)


@in_console
@require_safe
def judging_detail(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Show one run: how far it is, what it cost, what failed, and why it stopped."""
    line = RunLine(_run(place, code))
    now = timezone.now()
    context = _context(place) | {"line": line, "now": now, "took": line.took(now)}
    return render(request, f"grading/{_template(request, 'console_judging_run', 'run')}", context)


@acts_in_console
def judging_resume(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Let a stopped run go on, with a larger budget where that is what stopped it."""
    run = _run(place, code)
    form = ResumeForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            judging_acts.resume(
                actor=place.user,
                run=run,
                reason=form.cleaned_data["reason"],
                budget=RaisedBudget(**form.bounds()),
                now=timezone.now(),
            )
            messages.success(request, _("The judging goes on."))
            return redirect("grading:judging-run", place.competition.slug, code)
    line = RunLine(run)
    context = _context(place) | {
        "form": form,
        "title": _("Let the judging go on"),
        "meaning": " ".join([line.why, _("What failed is asked again.")]).strip(),
        "back": "grading:console-judging",
    }
    return render(request, "grading/console_reason.html", context)


@acts_in_console
@require_safe
def judging_answers(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Give the raw answers of a run as JSON lines; a recorded judge reads them."""
    run = _run(place, code)
    response = PartResponse(Lines(run), content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="judge-{run.code}.jsonl"'
    response["Cache-Control"] = "no-store"
    return cast("HttpResponse", response)


def _runs(place: Console) -> Any:
    return runs_of(place.competition)


def _run(place: Console, code: str) -> JudgeRun:
    found: JudgeRun = get_object_or_404(_runs(place), code=code)
    return found


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}


def _template(request: HttpRequest, page: str, part: str) -> str:
    return f"partials/judging_{part}.html" if "live" in request.GET else f"{page}.html"
