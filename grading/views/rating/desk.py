"""The form: one clip at a time, saved while it is marked, sent once, changed for a while."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusals import Refusal
from accounts.views.access import person
from grading.enums import SessionState, TaskState
from grading.models import Rater, RatingSession, RatingTask
from grading.services.ratings import answers, delivery, queue, sessions
from grading.services.ratings.delivery import Served
from grading.services.ratings.errors import MarksRefused
from grading.views.rating.answers import PLAYS, answer_in, draft_in, sent
from grading.views.rating.checks import faults_of
from grading.views.rating.desk_page import (
    Desk,
    Head,
    asked_targets,
    kept_of_rating,
    labels_of,
    task_desk,
)
from grading.views.rating.frame import (
    address_of,
    at_place,
    go,
    is_script,
    page,
    sound_url,
    step_of,
    to,
    told,
)

ENDED = (TaskState.ANSWERED, TaskState.LATE, TaskState.BROKEN)
ELSEWHERE = "TASK_ENDED"
REPORT_LIMIT = 300


@at_place
@require_safe
def desk(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show the clip that is open; to the form's script only what changes between clips."""
    session = sessions.running(rater=rater)
    if session is None or session.state != SessionState.RATING:
        return go(request, step_of(rater))
    return _shown(request, rater, session)


def _shown(
    request: HttpRequest, rater: Rater, session: RatingSession, status: int = 200, **more: Any
) -> HttpResponse:
    try:
        served = delivery.serve(
            actor=person(request),
            session=session,
            login=request.session.session_key or "",
            now=timezone.now(),
        )
    except Refusal as refusal:
        messages.warning(request, refusal.message)
        return go(request, to("rate-place", rater))
    if served.claimed.open is None:
        return go(request, to("rate-sitting", rater, sitting=session.code))
    context = _context(rater, served, **more)
    name = "partials/live" if is_script(request) else "desk"
    return page(request, rater, name, context, status=status)


def _context(rater: Rater, served: Served, **more: Any) -> dict[str, Any]:
    """Return what the form shows; `more` is of the open clip alone."""
    labels = labels_of(rater.protocol)

    def shown(task: RatingTask | None, **of_it: Any) -> Desk | None:
        if task is None:
            return None
        return task_desk(
            place=rater.code,
            form=rater.protocol.form,
            labels=labels,
            task=task,
            urls=[address_of(token) for token in served.tokens[task.pk]],
            **of_it,
        )

    return {
        "desk": shown(served.claimed.open, **more),
        "ahead": shown(served.claimed.ahead),
        "head": Head(served.claimed.progress, rater.protocol.form),
        "recent": answers.revisable(rater=rater, now=timezone.now()),
    }


@at_place
@require_POST
def answer(request: HttpRequest, rater: Rater, task: str) -> HttpResponse:
    """Take an answer; to the script it says in data what became of it."""
    found = _own_task(rater, task)
    try:
        rating = answers.submit(
            actor=person(request),
            task=found,
            answer=answer_in(sent(request), rater.protocol.form, target_count(rater, found)),
            now=timezone.now(),
        )
    except Refusal as refusal:
        return _refused(request, rater, found, refusal)
    if is_script(request):
        return JsonResponse({"late": rating.is_late})
    if rating.is_late:
        messages.info(request, _("The answer came late. It is kept, and marked as late."))
    return redirect(to("rate-desk", rater))


def _refused(
    request: HttpRequest, rater: Rater, task: RatingTask, refusal: Refusal
) -> HttpResponse:
    if is_script(request):
        return told(refusal)
    session = sessions.running(rater=rater)
    if session is None or task.state != TaskState.OPEN:
        messages.warning(request, refusal.message)
        return redirect(step_of(rater))
    kept = sent(request)
    return _shown(request, rater, session, refusal.status, kept=kept, faults=_faults(refusal))


@at_place
@require_POST
def draft(request: HttpRequest, rater: Rater, task: str) -> HttpResponse:
    """Keep what is marked so far; it is no answer yet."""
    found = _own_task(rater, task)
    kept = draft_in(sent(request), rater.protocol.form, target_count(rater, found))
    try:
        answers.save_draft(actor=person(request), task=found, draft=kept, now=timezone.now())
    except Refusal as refusal:
        return told(refusal, answered=found.state in ENDED)
    return HttpResponse(status=204)


@at_place
@require_POST
def beat(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Hold the clips that somebody sits before, and say when the one on the page is over."""
    code = sent(request).get("task", "")
    over = rater.tasks.filter(code=code, state__in=ENDED).exists()
    if over:
        return JsonResponse({"code": ELSEWHERE, "answered": True}, status=409)
    session = sessions.running(rater=rater)
    if session is None:
        return JsonResponse({"code": "SESSION_ENDED"}, status=409)
    try:
        queue.heartbeat(actor=person(request), session=session, now=timezone.now())
    except Refusal as refusal:
        return told(refusal, answered=False)
    return HttpResponse(status=204)


@at_place
@require_POST
def broken(request: HttpRequest, rater: Rater, task: str) -> HttpResponse:
    """Take a report that a sound is broken, after asking whether it is."""
    found = _own_task(rater, task)
    if "sure" not in request.POST:
        return page(
            request, rater, "broken", {"task": found, "note": sent(request).get("note", "")}
        )
    try:
        answers.report_broken(
            actor=person(request),
            task=found,
            note=sent(request).get("note", "").strip()[:REPORT_LIMIT],
            now=timezone.now(),
        )
    except Refusal as refusal:
        if is_script(request):
            return told(refusal)
        messages.warning(request, refusal.message)
        return redirect(step_of(rater))
    if is_script(request):
        return JsonResponse({})
    messages.success(request, _("Thank you; the organizers look into it. Here is the next clip."))
    return redirect(to("rate-desk", rater))


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def revise(request: HttpRequest, rater: Rater, task: str) -> HttpResponse:
    """Change one of the last answers: a new one beside the old, which stays on record."""
    _own_task(rater, task)
    offered = answers.revisable(rater=rater, now=timezone.now())
    found = next((one for one in offered if one.task.code == task), None)
    if found is None:
        messages.warning(request, _("This answer can no longer be changed."))
        return redirect(step_of(rater))
    if request.method != "POST":
        return _revision(request, rater, found.task, kept_of_rating(found.current))
    kept = sent(request)
    given = answer_in(sent(request), rater.protocol.form, target_count(rater, found.task))
    try:
        answers.revise(actor=person(request), task=found.task, answer=given, now=timezone.now())
    except Refusal as refusal:
        return _revision(request, rater, found.task, kept, refusal)
    messages.success(request, _("Your answer is changed."))
    return redirect(step_of(rater))


def _revision(
    request: HttpRequest,
    rater: Rater,
    task: RatingTask,
    kept: dict[str, str],
    refusal: Refusal | None = None,
) -> HttpResponse:
    shown = task_desk(
        place=rater.code,
        form=rater.protocol.form,
        labels=labels_of(rater.protocol),
        task=task,
        urls=[
            sound_url(request, task.session, task=task, part=part)
            for part in range(len(task.sounds))
        ],
        action=to("rate-revise", rater, task=task.code),
        kept={**dict.fromkeys(PLAYS, "1"), **kept},
        faults=_faults(refusal),
        is_revision=True,
    )
    status = refusal.status if refusal else 200
    return page(request, rater, "revise", {"desk": shown}, status=status)


def _faults(refusal: Refusal | None) -> dict[str, str]:
    if refusal is None:
        return {}
    return faults_of(refusal) if isinstance(refusal, MarksRefused) else {"": refusal.message}


def target_count(rater: Rater, task: RatingTask) -> int:
    """Return of how many vocalizations the form asks whether they were heard."""
    labels = labels_of(rater.protocol)
    return len(asked_targets(rater.protocol.form, task.stimulus.text, labels))


def _own_task(rater: Rater, code: str) -> RatingTask:
    """Return a task of this place; 404 for any other."""
    return queue.task_at(rater=rater, code=code)
