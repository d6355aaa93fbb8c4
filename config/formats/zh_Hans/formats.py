"""How dates are written in Chinese, simplified characters."""

from __future__ import annotations

DATE_FORMAT = "Y年n月j日"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "Y年n月j日 H:i"
SHORT_DATE_FORMAT = "Y/n/j"
MONTH_DAY_FORMAT = "n月j日"
