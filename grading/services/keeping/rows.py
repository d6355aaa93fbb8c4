"""Rows as lines of JSON and back, exactly: moments to the microsecond, bytes in base64, floats as they are."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import (
    BinaryField,
    DateField,
    DateTimeField,
    Field,
    Model,
    QuerySet,
    UUIDField,
)
from django.utils.translation import gettext as _

from accounts.chain import instant
from grading.services.keeping.archives import Reader
from grading.services.keeping.errors import ArchiveBroken

BATCH = 500

Json = dict[str, Any]


def columns(model: type[Model]) -> list[Field[Any, Any]]:
    """Return the fields of a model that have a column."""
    return [field for field in model._meta.concrete_fields if isinstance(field, Field)]


def records(rows: QuerySet[Any]) -> Iterator[Json]:
    """Yield rows as JSON objects, column by column, in the order of their keys."""
    names = [str(field.attname) for field in columns(rows.model)]
    found = rows.order_by("pk").values_list(*names).iterator(chunk_size=BATCH)
    for values in found:
        yield {name: _encoded(value) for name, value in zip(names, values, strict=True)}


def lines(found: Iterable[Json]) -> Iterator[bytes]:
    """Yield JSON objects as lines."""
    for record in found:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        yield text.encode("utf-8", "strict") + b"\n"


def read(reader: Reader, member: str) -> Iterator[Json]:
    """Yield the JSON objects of a member's lines. Raises ArchiveBroken."""
    for line in reader.lines(member):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise ArchiveBroken(_("%(name)s holds no rows.") % {"name": member}) from error
        yield record


def values(model: type[Model], record: Json) -> Json:
    """Return a record's values as the model takes them. Raises ArchiveBroken."""
    fields = {str(field.attname): field for field in columns(model)}
    try:
        # A column that is missing or unknown ends here as well.
        return {name: _decoded(fields[name], record[name]) for name in fields.keys() | record}
    except (KeyError, TypeError, ValueError) as error:
        name = model._meta.label
        raise ArchiveBroken(_("A row of %(name)s cannot be read.") % {"name": name}) from error


def moment(text: str) -> datetime:
    """Return the moment that `accounts.chain.instant` wrote. Raises ValueError."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def _encoded(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    return value


def _decoded(field: Field[Any, Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(field, DateTimeField):
        return moment(value)
    if isinstance(field, DateField):
        return date.fromisoformat(value)
    if isinstance(field, UUIDField):
        return uuid.UUID(value)
    if isinstance(field, BinaryField):
        return base64.b64decode(value, validate=True)
    return value
