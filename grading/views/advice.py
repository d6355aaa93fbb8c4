"""What to do about a refusal: one sentence and one link, by the refusal's code."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.refusals import Refusal
from competition.models import Phase


@dataclass(frozen=True, slots=True)
class Advice:
    """A refusal as a page shows it: what happened, what to do, and where."""

    code: str
    message: str
    advice: str = ""
    url: str = ""
    action: str = ""


def advice_for(refusal: Refusal, phase: Phase) -> Advice:
    """Return what a page says about a refusal; nothing that was refused cost quota."""
    text, url, action = _next_step(refusal.code, phase)
    return Advice(refusal.code, refusal.message, text, url, action)


def not_signed_in(phase: Phase, path: str) -> Advice:
    """Return what a reader without a log-in is told."""
    url = f"{reverse('accounts:login')}?next={path}"
    message = _("You are not logged in.")
    return Advice("NOT_LOGGED_IN", message, _("Log in to submit."), url, _("Log in"))


def _next_step(code: str, phase: Phase) -> tuple[str, str, str]:
    competition = phase.track.competition
    slug = competition.slug
    overview = reverse("competition:competition-detail", args=[slug])
    method = reverse("grading:methodology", args=[slug, phase.track.slug])
    mine = reverse("grading:submission-list", args=[slug])
    register = reverse("competition:entrant-register", args=[slug])
    contact = f"mailto:{competition.contact}" if competition.contact else overview
    steps = {
        "WINDOW_CLOSED": (_("See which phases are open."), overview, _("Phases and dates")),
        "CLIPS_NOT_DRAWN": (
            _("The page of draws says when, and how you can make the same list."),
            reverse("grading:draws", args=[slug]),
            _("Draws"),
        ),
        "TOO_MANY_CHECKS": (
            _(
                "“Submit” is not held up by this, and the scorer on your own machine checks as often as you like."
            ),
            method,
            _("Get the scorer"),
        ),
        "QUOTA_EXCEEDED": (
            _("“Check only” still works. The ledger shows each slot and when the day resets."),
            mine,
            _("My submissions and the ledger"),
        ),
        "TOO_MANY_REJECTED": ("", mine, _("My submissions")),
        "EMAIL_NOT_VERIFIED": ("", reverse("accounts:account-detail"), _("Send the mail again")),
        "ENTRANT_NOT_ACCEPTED": (
            _(
                "The organizers decide on each team. A team that waits can use “Check only” already."
            ),
            contact,
            _("Contact the organizers"),
        ),
        "TERMS_NOT_ACCEPTED": (
            "",
            reverse("competition:entrant-detail", args=[slug]),
            _("Read and accept the terms"),
        ),
        "ORGANIZERS_SEND": (
            _("What they send for your team stands among your submissions."),
            mine,
            _("My submissions"),
        ),
        "ENTRANT_UNNAMED": (_("Choose the entrant."), "", ""),
        "NOT_A_MEMBER": (_("Register a team first."), register, _("Register a team")),
        "FILE_TOO_LARGE": (_("Nothing was stored and no quota was used."), "", ""),
        "EMPTY_FILE": ("", "", ""),
        "FILE_MISSING": ("", "", ""),
        "UPLOAD_CUT": (_("Nothing was counted; what you typed is kept."), "", ""),
        "STORAGE_UNAVAILABLE": ("", "", ""),
        "REQUEST_STILL_RUNNING": (_("It will appear among your submissions."), mine, _("See them")),
    }
    return steps.get(code, (_("Nothing was counted; what you typed is kept."), "", ""))
