"""Why there is no score or no interval, in the reader's words."""

from __future__ import annotations

from django.utils.translation import gettext as _

from grading.scoring import registry
from grading.scoring.reasons import REASONS
from grading.views.parts import words


def reason(scorer: str, code: str) -> str:
    """Return the sentence of a code: the track's own, else that of every track, else the code."""
    return words(registry.get(scorer).reasons.get(code, REASONS.get(code, ""))) or code


def interval_reason(scorer: str, code: str) -> str:
    """Return why a score has no interval, also where nobody noted a code."""
    return reason(scorer, code) or _("No interval could be computed.")
