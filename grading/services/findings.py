"""What a look at one part of an installation finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look found. `remedy` says what to do; it is empty when there is nothing to do."""

    part: str
    said: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is nothing to do."""
        return not self.remedy
