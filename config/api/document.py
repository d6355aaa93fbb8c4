"""The API's document, in one language whatever the reader's: names of schemas come from its texts."""

from __future__ import annotations

from typing import Any

from django.utils import translation
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.request import Request
from rest_framework.response import Response


class Document(SpectacularJSONAPIView):
    """The OpenAPI document of this API; docs/openapi.json is the same."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the document in English."""
        with translation.override("en"):
            response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return response
