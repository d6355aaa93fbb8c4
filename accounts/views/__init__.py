from __future__ import annotations

from accounts.views.entry import lockout

__all__ = ["lockout"]
