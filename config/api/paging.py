"""How the API pages lists."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from django.core.exceptions import ValidationError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class CursorPages(CursorPagination):
    """Cursor pages. A cursor whose place is no value of the column they go by is refused (404)."""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """Return a page of the rows; raises NotFound for a cursor that was made up."""
        cursor = self.decode_cursor(request)
        if cursor is not None and cursor.position is not None:
            name = self.get_ordering(request, queryset, cast("APIView", view))[0].lstrip("-")
            if not _fits(queryset.model._meta.get_field(name), str(cursor.position)):
                raise NotFound(self.invalid_cursor_message)
        page: list[Any] | None = super().paginate_queryset(queryset, request, view=view)
        return page


class NewestFirst(CursorPages):
    """Cursor pages, newest first."""

    ordering = "-id"


def _fits(field: Any, position: str) -> bool:
    """Return whether a text is a value of a column; a moment has its zone, and is one in UTC too."""
    if "\0" in position:
        return False
    try:
        value = field.to_python(position)
        if isinstance(value, datetime):
            value.astimezone(UTC)
    except (ValidationError, OverflowError):
        return False
    return not isinstance(value, datetime) or value.tzinfo is not None
