"""How the web server reaches PostgreSQL: its threads hand connections on to each other."""

from __future__ import annotations

from typing import Any

from django.conf import settings


def share_connections() -> None:
    """Let this process keep up to DATABASE_POOL idle connections; called before the first query.

    Workers do not: their tasks are few and long.
    """
    database: dict[str, Any] = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.postgresql" and settings.DATABASE_POOL:
        database["ENGINE"] = "config.shared_postgresql"
