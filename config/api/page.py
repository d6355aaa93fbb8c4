"""The API's document as a page that people read: docs/openapi.json, call by call."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.api.schema import METHODS

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter of a call or a part of an object."""

    name: str
    kind: str
    is_required: bool
    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A method and a path: what it takes and what it answers."""

    name: str
    method: str
    path: str
    text: str
    parameters: list[Field]
    bodies: list[tuple[str, str]]
    answers: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Thing:
    """An object that calls take or answer with; `values` are the words of one that is a choice."""

    name: str
    text: str
    fields: list[Field]
    values: list[str]


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole document: calls by their first word, and the objects by name."""

    groups: list[tuple[str, list[Call]]]
    things: list[Thing]


@require_safe
def api_page(request: HttpRequest) -> HttpResponse:
    """Show the API's document."""
    return render(request, "api.html", {"reference": reference()})


@cache
def reference() -> Reference:
    """Return what docs/openapi.json says, read once."""
    path = settings.BASE_DIR / "docs" / "openapi.json"
    return described(json.loads(path.read_text(encoding="utf-8")))


def described(document: Json) -> Reference:
    """Return an OpenAPI document as the page lays it out."""
    groups: dict[str, list[Call]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in METHODS:
                call = _call(method, path, operation)
                groups.setdefault(operation["tags"][0], []).append(call)
    schemas = document["components"]["schemas"]
    things = [_thing(name, schema) for name, schema in sorted(schemas.items())]
    return Reference(list(groups.items()), things)


def _call(method: str, path: str, operation: Json) -> Call:
    bodies = operation.get("requestBody", {}).get("content", {})
    return Call(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        text=operation.get("description", ""),
        parameters=[_parameter(one) for one in operation.get("parameters", [])],
        bodies=[(media, kind_of(body["schema"])) for media, body in bodies.items()],
        answers=[
            (status, _answer(answer))
            for status, answer in operation["responses"].items()
            if status != "default"
        ],
    )


def _parameter(given: Json) -> Field:
    text = given.get("description", "")
    is_required = given.get("required", False)
    return Field(given["name"], kind_of(given["schema"]), is_required, text, given["in"])


def _answer(answer: Json) -> str:
    kinds = [kind_of(body.get("schema", {})) for body in answer.get("content", {}).values()]
    return kinds[0] if kinds else answer.get("description", "")


def _thing(name: str, schema: Json) -> Thing:
    required = schema.get("required", [])
    fields = [
        Field(key, kind_of(part), key in required, part.get("description", ""))
        for key, part in schema.get("properties", {}).items()
    ]
    return Thing(name, schema.get("description", ""), fields, _words(schema.get("enum", [])))


def kind_of(schema: Json) -> str:
    """Return the type of a value in one phrase: `integer or null`, `list of Submission`."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return " or ".join(kind_of(part) for part in schema[key])
    if schema.get("type") == "array":
        return f"list of {kind_of(schema.get('items', {}))}"
    named = schema.get("type", "any")
    words = [named] if isinstance(named, str) else named
    if "format" in schema:
        words = [schema["format"] if word == "string" else word for word in words]
    if "enum" in schema:
        words = [json.dumps(value) for value in schema["enum"]]
    return " or ".join(words)


def _words(values: Iterable[Any]) -> list[str]:
    return ["null" if value is None else str(value) for value in values]
