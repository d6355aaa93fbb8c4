"""What the database itself keeps of what was promised: copies that were issued, windows that were committed to.

A copy that was taken back does not come back, what its ISSUE.json says stays as it was written, and a window's
public value and reveal are written once.
"""

from __future__ import annotations

from typing import Final

from accounts.guards import Guard

FAMILY: Final = "given"

_COPY_COMES_BACK: Final = (
    "OLD.state IN ('revoked', 'refused') AND NEW.state <> OLD.state"
    " OR OLD.state = 'expired' AND NEW.state NOT IN ('expired', 'revoked')"
)

_NOTE_CHANGES: Final = "LENGTH(OLD.note) > 0 AND NEW.note <> OLD.note"
"""The hash of the person's zip follows from these bytes."""

_WINDOW_CHANGES: Final = (
    "OLD.public_value <> '' AND NEW.public_value <> OLD.public_value"
    " OR OLD.revealed_at IS NOT NULL"
    " AND (NEW.revealed_at IS NULL OR NEW.revealed_at <> OLD.revealed_at)"
)

_VALUE_AFTER_DRAW: Final = (
    "NEW.public_value <> OLD.public_value"
    " AND EXISTS (SELECT 1 FROM competition_draw d WHERE d.window_id = NEW.id)"
)
"""Whoever could write the value down after a draw could choose among lists."""

GUARDS: Final = (
    Guard("copy_stays_out", "packissue", ("UPDATE",), _COPY_COMES_BACK, FAMILY),
    Guard("copy_note_stays", "packissue", ("UPDATE",), _NOTE_CHANGES, FAMILY),
    Guard("window_stays", "drawwindow", ("UPDATE",), _WINDOW_CHANGES, FAMILY),
    Guard("value_before_draw", "drawwindow", ("UPDATE",), _VALUE_AFTER_DRAW, FAMILY),
)
