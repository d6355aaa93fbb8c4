"""Questions: people ask, organizers answer one person or, without the name, everybody."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.refusals import refusals_on
from accounts.views.access import kept, person, signed_in, viewer
from competition.models import Question
from competition.views.frame import find_competition, frame
from grading.console_forms import AnswerForm, QuestionForm
from grading.services import correspondence
from grading.views.lookups import Console, acts_in_console, in_console

PER_PAGE = 30


@require_safe
def question_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what everybody may read, and the reader's own questions; organizers read all in the console."""
    competition = find_competition(request, slug)
    user = viewer(request)
    published = Question.objects.filter(competition=competition).published()
    own = Question.objects.none()
    if user is not None:
        own = Question.objects.visible_to(user).filter(competition=competition)
        own = own.filter(asker=user) | own.filter(entrant__members__user=user)
    context = frame(competition, timezone.now(), "questions") | {
        "page": Paginator(published.order_by("-answered_at"), PER_PAGE).get_page(
            request.GET.get("page")
        ),
        "own": own.distinct().select_related("asker"),
        "person": user,
    }
    return render(request, "grading/question_list.html", context)


@signed_in
def question_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the organizers something."""
    competition = find_competition(request, slug)
    form = QuestionForm(request.POST or None, initial=kept(request))
    if form.is_valid():
        with refusals_on(form):
            correspondence.ask(
                actor=person(request),
                competition=competition,
                text=form.cleaned_data["text"],
                now=timezone.now(),
            )
            messages.success(
                request, _("Your question is sent. The answer comes by mail and stands here.")
            )
            return redirect("grading:question-list", slug)
    context = frame(competition, timezone.now(), "questions") | {"form": form}
    return render(request, "grading/question_create.html", context)


@in_console
@require_safe
def console_questions(request: HttpRequest, place: Console) -> HttpResponse:
    """List every question, those without an answer first."""
    questions = Question.objects.filter(competition=place.competition).select_related(
        "asker", "entrant__team"
    )
    waiting_first = F("answered_at").desc(nulls_first=True)
    page = Paginator(questions.order_by(waiting_first, "asked_at"), PER_PAGE)
    context = _context(place) | {"page": page.get_page(request.GET.get("page"))}
    return render(request, "grading/console_questions.html", context)


@acts_in_console
def question_answer(request: HttpRequest, place: Console, code: str) -> HttpResponse:
    """Answer a question."""
    questions = Question.objects.select_related("asker", "entrant__team", "competition")
    question = get_object_or_404(questions, competition=place.competition, code=code)
    form = AnswerForm(request.POST or None, initial=_initial(question))
    if form.is_valid():
        with refusals_on(form):
            correspondence.answer(
                actor=place.user,
                question=question,
                text=form.cleaned_data["text"],
                shown_text=form.cleaned_data["shown_text"],
                is_public=form.cleaned_data["is_public"],
                now=timezone.now(),
            )
            messages.success(request, _("The answer is sent."))
            return redirect("grading:console-questions", place.competition.slug)
    context = _context(place) | {"form": form, "question": question}
    return render(request, "grading/console_question.html", context)


def _initial(question: Question) -> dict[str, Any]:
    return {
        "text": question.answer,
        "is_public": question.is_public,
        "shown_text": question.shown_text or question.text,
    }


def _context(place: Console) -> dict[str, Any]:
    return {"place": place, "competition": place.competition}
