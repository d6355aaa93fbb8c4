"""What a phase whose clips are drawn refuses until the draw is made."""

from __future__ import annotations

from django.utils.translation import gettext as _

from competition.models import Phase
from competition.queries import awaits_draw
from competition.services.errors import ClipsNotDrawn


def require_clips(phase: Phase) -> None:
    """Raise ClipsNotDrawn while the phase's clips are yet to be drawn."""
    if awaits_draw(phase):
        raise ClipsNotDrawn(
            _("The clips of this phase have not been drawn yet. It opens as soon as they are.")
        )
