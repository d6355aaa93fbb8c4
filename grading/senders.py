"""Who sends files to a phase, as the database itself keeps it."""

from __future__ import annotations

from typing import Final

NOT_THEIRS_TO_SEND: Final = (
    "NOT NEW.by_organizer AND EXISTS (SELECT 1 FROM competition_phase p"
    " WHERE p.id = NEW.phase_id AND p.senders = 'organizers')"
)
"""A submission that no organizer sent, in a phase to which organizers alone send."""
