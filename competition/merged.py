"""What the database itself keeps of a merge: an entrant that went into another one does not come back."""

from __future__ import annotations

from typing import Final

from accounts.guards import Guard

FAMILY: Final = "merged"

_COMES_BACK: Final = (
    "NEW.state IN ('pending', 'accepted') AND EXISTS"
    " (SELECT 1 FROM competition_entrantmerge m WHERE m.merged_id = NEW.id)"
)

_STANDS: Final = (
    "EXISTS (SELECT 1 FROM competition_entrant e"
    " WHERE e.id = NEW.merged_id AND e.state IN ('pending', 'accepted'))"
)

_HAS_NEW_PEOPLE: Final = (
    "NEW.left_at IS NULL AND EXISTS"
    " (SELECT 1 FROM competition_entrantmerge m WHERE m.merged_id = NEW.entrant_id)"
)

GUARDS: Final = (
    Guard("merged_stays_out", "entrant", ("UPDATE",), _COMES_BACK, FAMILY),
    Guard("merged_is_out", "entrantmerge", ("INSERT",), _STANDS, FAMILY, alone=True),
    Guard("merged_has_nobody", "entrantmember", ("INSERT", "UPDATE"), _HAS_NEW_PEOPLE, FAMILY),
)
