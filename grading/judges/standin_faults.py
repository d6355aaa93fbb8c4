"""What goes wrong at a stand-in on purpose: which fault a call gets is drawn from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

FAULTS = (
    "rate-limit",
    "server-error",
    "malformed",
    "out-of-range",
    "slow",
    "truncated",
    "cut",
    "drop-audio",
)
_SPACE = 2**64


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Shares of calls (0 to 1) that get each fault; the rest is answered rightly."""

    shares: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def draw(self, asked: str, time: int) -> str:
        """Return the fault of the `time`-th call that asks the same, empty for none.

        >>> FaultPlan({"server-error": 1.0}).draw("x", 1), FaultPlan().draw("x", 1)
        ('server-error', '')
        """
        drawn = hashlib.sha256(f"{self.seed}:{asked}:{time}".encode()).digest()[:8]
        left = int.from_bytes(drawn, "big") / _SPACE
        for name, share in self.shares.items():
            left -= share
            if left < 0:
                return name
        return ""


def read_plan(text: str, seed: int) -> FaultPlan:
    """Return a plan from `0.1` (all kinds alike, 10 % together) or `malformed=0.1,slow=0.05`.

    Raises ValueError.

    >>> read_plan("malformed=0.1", 1).shares
    {'malformed': 0.1}
    """
    if "=" not in text:
        whole = float(text or 0)
        shares = {name: whole / len(FAULTS) for name in FAULTS} if whole else {}
    else:
        shares = {}
        for part in text.split(","):
            name, _, share = part.partition("=")
            shares[name.strip()] = float(share)
    unknown = set(shares) - set(FAULTS)
    if unknown or not 0 <= sum(shares.values()) <= 1 or any(s < 0 for s in shares.values()):
        raise ValueError(f"faults are among {', '.join(FAULTS)} and add up to at most 1")
    return FaultPlan(shares, seed)
