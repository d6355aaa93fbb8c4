"""How the API reads bodies."""

from __future__ import annotations

from rest_framework.parsers import JSONParser


class StrictJSONParser(JSONParser):
    """JSON without NaN and infinities."""

    strict = True
