"""How dates are written in English: the day first, the month in letters, 24 hours."""

from __future__ import annotations

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j M Y, H:i"
SHORT_DATE_FORMAT = "j M Y"
MONTH_DAY_FORMAT = "j M"
