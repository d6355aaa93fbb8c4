"""What the kinds of events on a timeline mean, in a few words of the console's language."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: Final[dict[str, Promise]] = {
    "deadline.moved": _("a date was moved"),
    "download.begun": _("download begun"),
    "download.denied": _("download denied"),
    "download.whole": _("downloaded whole"),
    "entrant.kind-changed": _("status changed"),
    "entrant.member-added": _("person added"),
    "entrant.member-left": _("person left"),
    "entrant.member-removed": _("person taken out"),
    "entrant.merged": _("went into another team"),
    "entrant.registered": _("registered"),
    "entrant.role-changed": _("captain or member"),
    "entrant.state-changed": _("standing changed"),
    "entrant.took-in": _("took another team in"),
    "evaluation.scored": _("submission scored"),
    "issue.hashed": _("hash of the copy's zip known"),
    "issue.issued": _("copy issued"),
    "issue.refused": _("copy refused"),
    "issue.requested": _("copy asked for"),
    "issue.revoked": _("copy revoked"),
    "link.dismissed": _("hints judged: nothing in them"),
    "link.linked": _("hints judged: the accounts belong together"),
    "question.asked": _("question asked"),
    "role.granted": _("role given"),
    "role.revoked": _("role taken back"),
    "submission.accepted": _("submission accepted"),
    "submission.cancelled": _("submission cancelled"),
    "submission.failed": _("submission failed"),
    "submission.marked": _("submission marked"),
    "submission.received": _("submission received"),
    "submission.rejected": _("submission rejected"),
    "submission.renamed": _("submission renamed"),
    "submission.unmarked": _("mark taken off"),
    "terms.accepted": _("terms accepted"),
    "upload.begun": _("upload begun"),
}


def words_of(kind: str) -> str:
    """Return what a kind of event means; the kind itself where no words are known."""
    return str(WORDS.get(kind, kind))
