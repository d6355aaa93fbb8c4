"""How the API pages lists."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    """Cursor pages, newest first."""

    ordering = "-id"
