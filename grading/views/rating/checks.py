"""Before the clips: volume, the headphones check, and practice with an answer to each mark."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.refusals import Refusal
from accounts.views.access import person
from competition.texts import Text, pick
from grading.enums import SessionState
from grading.models import Rater, RatingSession, Stimulus
from grading.services.ratings import delivery, sessions
from grading.services.ratings.errors import MarksRefused
from grading.services.ratings.places import settings_of
from grading.services.ratings.sessions import CheckOutcome, Feedback
from grading.views.rating.answers import marks_in, sent
from grading.views.rating.desk_page import Desk, as_read, labels_of
from grading.views.rating.frame import at_place, page, sound_url, step_of, to
from grading.views.rating.scales import scales_of


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Let somebody set the volume, and hear which of three tones is the softest, six times."""
    session = sessions.running(rater=rater)
    if session is None or session.state != SessionState.CHECKS:
        return redirect(step_of(rater))
    trials = sessions.trials(session=session)
    given = [request.POST.get(f"trial{trial.number}", "") for trial in trials]
    if request.method == "POST" and all(given):
        return _judged(request, rater, session, given)
    found = sessions.check_round(session)
    context = {
        "volume_url": sound_url(request, session, check_sound=delivery.VOLUME),
        "trials": [
            {
                "number": trial.number + 1,
                "field": f"trial{trial.number}",
                "given": answer,
                "url": sound_url(
                    request, session, check_sound=delivery.trial_name(found, trial.number)
                ),
            }
            for trial, answer in zip(trials, given, strict=True)
        ],
        "round": found,
        "is_incomplete": request.method == "POST",
        "settings": settings_of(rater.protocol),
    }
    return page(request, rater, "check", context)


def _judged(
    request: HttpRequest, rater: Rater, session: RatingSession, given: list[str]
) -> HttpResponse:
    told = request.POST.get("round", "")
    try:
        outcome = sessions.answer_check(
            actor=person(request),
            session=session,
            answers=[int(one) if one in {"0", "1", "2"} else -1 for one in given],
            round_number=int(told) if told in {"0", "1", "2", "3", "4"} else None,
            now=timezone.now(),
        )
    except Refusal as refusal:
        messages.warning(request, refusal.message)
        return redirect(step_of(rater))
    _tell(request, outcome)
    if not outcome.passed and not outcome.rounds_left:
        return redirect(to("rate-sitting", rater, sitting=session.code))
    return redirect(step_of(rater))


def _tell(request: HttpRequest, outcome: CheckOutcome) -> None:
    if outcome.passed:
        messages.success(request, _("Your headphones are right. Leave the volume as it is now."))
    elif outcome.rounds_left:
        text = _(
            "%(right)d were right, %(needed)d are needed. Put on headphones with both ears, find a "
            "quiet place, and try once more."
        )
        messages.warning(request, text % {"right": outcome.right, "needed": outcome.needed})


@at_place
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Let somebody mark a clip whose marks are known, and say how theirs compare."""
    session = sessions.running(rater=rater)
    if request.method == "POST" and session is not None:
        return _practiced(request, rater, session)
    if session is None or session.state != SessionState.PRACTICE:
        return redirect(step_of(rater))
    items = sessions.practice_items(session=session)
    if not items:
        return redirect(step_of(rater))
    context = _practice_context(request, rater, session, items[0], kept={}, faults={})
    return page(request, rater, "practice", context)


def _practiced(request: HttpRequest, rater: Rater, session: RatingSession) -> HttpResponse:
    kept = sent(request)
    stimulus = Stimulus.objects.filter(protocol=rater.protocol, key=kept.get("item", "")).first()
    if stimulus is None:
        return redirect(step_of(rater))
    try:
        found = sessions.practice_done(
            actor=person(request),
            session=session,
            stimulus=stimulus,
            marks=marks_in(kept, rater.protocol.form),
            now=timezone.now(),
        )
    except MarksRefused as refusal:
        faults = faults_of(refusal)
        context = _practice_context(request, rater, session, stimulus, kept=kept, faults=faults)
        return page(request, rater, "practice", context, status=refusal.status)
    except Refusal as refusal:
        messages.warning(request, refusal.message)
        return redirect(step_of(rater))
    context = _practice_context(request, rater, session, stimulus, kept=kept, faults={})
    return page(request, rater, "practice_answer", context | _compared(rater, stimulus, found))


def faults_of(refusal: MarksRefused) -> dict[str, str]:
    """Return what is wrong by the letter of the mark."""
    faults: Any = refusal.params.get("faults", ())
    return {str(fault["mark"]): str(fault["message"]) for fault in faults}


def _practice_context(
    request: HttpRequest,
    rater: Rater,
    session: RatingSession,
    stimulus: Stimulus,
    *,
    kept: dict[str, str],
    faults: dict[str, str],
) -> dict[str, Any]:
    left = len(sessions.practice_items(session=session))
    done = len(session.practiced)
    return {
        "desk": Desk(
            form=rater.protocol.form,
            labels=labels_of(rater.protocol),
            stimulus=stimulus,
            heard=[
                (sound, sound_url(request, session, stimulus=sound)) for sound in stimulus.sounds()
            ],
            code=stimulus.key,
            action=to("rate-practice", rater),
            kept=kept,
            faults=faults,
            is_practice=True,
        ),
        "done": done,
        "left": left,
        "total": done + left,
        "number": done + 1,
    }


def _compared(rater: Rater, stimulus: Stimulus, found: dict[str, Feedback]) -> dict[str, Any]:
    names = {scale.letter: scale for scale in scales_of(rater.protocol.form)}
    rows = [
        {
            "scale": names[letter],
            "given_shown": as_read(one.given, signed=names[letter].is_signed),
            "given_words": _words(names[letter].levels, one.given),
            "expected_shown": as_read(one.expected, signed=names[letter].is_signed),
            "expected_words": _words(names[letter].levels, one.expected),
            "within": one.within,
        }
        for letter, one in found.items()
    ]
    return {
        "rows": rows,
        "explanation": _explained(stimulus),
        "next_url": step_of(rater),
    }


def _explained(stimulus: Stimulus) -> Text | None:
    """Return why the marks are what they are, in the reader's language where there is one."""
    told = {name: words for name, words in stimulus.explanation.items() if words}
    return pick(told, get_language() or "en") if told else None


def _words(levels: Any, value: int) -> Any:
    return next((level.words for level in levels if level.value == value), "")
