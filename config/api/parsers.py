"""How the API reads bodies: strict JSON objects."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

MAX_DEPTH = 32
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class StrictJSONParser(BaseParser):
    """A UTF-8 JSON object: no repeated key, no NaN, no number beyond what a float holds, no deep
    nesting, no NUL or lone surrogate in any string."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the object; raises ParseError (400) with the reason."""
        return parse_object(stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1))


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in `body`; raises ParseError for anything else."""
    if len(body) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        raise ParseError(_("The body is too large for this request."))
    try:
        value = json.loads(
            body.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_without_repeats,
        )
    except UnicodeDecodeError as error:
        raise ParseError(_("The body is not UTF-8 JSON.")) from error
    except (ValueError, RecursionError) as error:
        raise ParseError(_("The body is not JSON that can be read.")) from error
    if not isinstance(value, dict):
        raise ParseError(_('The body must be a JSON object, like {"name": "value"}.'))
    _check_strings(value, MAX_DEPTH)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):  # no database holds what 1e999 becomes
        raise ValueError(text)
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object; whoever checks it and whoever reads it must see the same value of a key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ParseError(_("A key stands twice in one object."))
    return found


def _check_strings(value: object, depth: int) -> None:
    if depth == 0:
        raise ParseError(_("The body is nested too deeply."))
    if isinstance(value, str) and UNSTORABLE.search(value):
        raise ParseError(_("A text holds a NUL or a lone surrogate, which cannot be stored."))
    if isinstance(value, dict):
        for key, item in value.items():
            _check_strings(key, depth - 1)
            _check_strings(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check_strings(item, depth - 1)
