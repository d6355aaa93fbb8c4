"""The API's committed document as a judge: of every call that the client makes, and of what it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import httpx
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from tests.architecture.sources import ROOT
from tests.wsgi import Site

DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))
PREFIX = "/api/v1/"
EVERYWHERE = {
    "host", "accept", "accept-encoding", "connection", "user-agent", "authorization",
    "content-type", "content-length", "transfer-encoding",
}  # fmt: skip
"""Headers that HTTP itself and the security scheme know."""
Operation = Mapping[str, Any]


def resolved(schema: Any) -> Any:
    """Return a schema behind its references."""
    while isinstance(schema, Mapping) and "$ref" in schema:
        target: Any = DOCUMENT
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    return schema


def branches(schema: Any) -> list[Any]:
    """Return the object schemas that a value may have."""
    schema = resolved(schema)
    parts = [part for key in ("oneOf", "anyOf", "allOf") for part in schema.get(key, [])]
    return [found for part in parts for found in branches(part)] or [schema]


def operation_of(request: httpx.Request) -> tuple[str, Operation]:
    """Return the name and the operation of a request; a path or method of none fails."""
    method = request.method.lower()
    for template, operations in DOCUMENT["paths"].items():
        pattern = re.sub(r"\{\w+\}", "[^/]+", template)
        if method in operations and re.fullmatch(pattern, request.url.path):
            return f"{request.method} {template}", operations[method]
    raise AssertionError(f"the document knows no {request.method} {request.url.path}")


def faults_of_request(request: httpx.Request, operation: Operation) -> list[str]:
    """Return the parameters, headers and types of body that the operation does not name."""
    named = [resolved(parameter) for parameter in operation.get("parameters", [])]
    query = {one["name"] for one in named if one["in"] == "query"}
    headers = {one["name"].lower() for one in named if one["in"] == "header"} | EVERYWHERE
    sent = set(parse_qs(request.url.query.decode(), keep_blank_values=True))
    faults = [f"?{name}" for name in sent - query]
    faults += [f"header {name}" for name in set(request.headers) - headers]
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind and kind not in operation.get("requestBody", {}).get("content", {}):
        faults.append(f"body of {kind}")
    return faults


def schema_of_answer(response: httpx.Response, operation: Operation) -> Any:
    """Return the schema of an answer; a status or type that the operation does not name fails."""
    found = operation["responses"].get(str(response.status_code))
    if found is None and response.is_error:
        found = operation["responses"]["default"]
    assert found is not None, f"{response.status_code} is not an answer that the document names"
    kind = response.headers["content-type"].partition(";")[0]
    return found["content"][kind]["schema"]


def faults_of_answer(body: Any, schema: Any) -> list[str]:
    """Return what of an answer does not fit its schema."""
    whole = {**schema, "components": DOCUMENT["components"]}
    assert validator_for(whole, Draft202012Validator) is Draft202012Validator
    found = Draft202012Validator(whole).iter_errors(body)
    return [f"{error.json_path}: {error.message}" for error in found]


class Watched(dict[str, Any]):
    """An answer that minds which of its fields are read: each must be one that the document names."""

    def __init__(self, values: Mapping[str, Any], schema: Any, read: set[str]) -> None:
        super().__init__(values)
        self.schema = schema
        self.read = read

    def __getitem__(self, key: str) -> Any:
        return self._minded(key, super().__getitem__(key))

    def get(self, key: str, default: Any = None) -> Any:
        return self._minded(key, super().get(key, default))

    def _minded(self, key: str, value: Any) -> Any:
        for branch in branches(self.schema):
            if key in branch.get("properties", {}):
                self.read.add(key)
                return watched(value, branch["properties"][key], self.read)
            if branch.get("additionalProperties"):
                return watched(value, branch["additionalProperties"], self.read)
        raise AssertionError(f"the document names no field {key!r}")


def watched(value: Any, schema: Any, read: set[str]) -> Any:
    """Return a value whose objects are watched."""
    if isinstance(value, dict):
        return Watched(value, schema, read)
    if isinstance(value, list):
        inner = next((one["items"] for one in branches(schema) if "items" in one), {})
        return [watched(one, inner, read) for one in value]
    return value


class DocumentedSite(httpx.BaseTransport):
    """The site itself behind httpx; what is not as the document says is collected in `faults`."""

    def __init__(self) -> None:
        self.site = Site()
        self.faults: list[str] = []
        self.used: set[str] = set()
        self.read: set[str] = set()
        self.schema: Any = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self.site.handle_request(request)
        response.read()
        if request.url.path.startswith(PREFIX):
            self._judge(request, response)
        return response

    def _judge(self, request: httpx.Request, response: httpx.Response) -> None:
        name, operation = operation_of(request)
        self.used.add(name)
        self.schema = schema_of_answer(response, operation)
        found = faults_of_request(request, operation)
        found += faults_of_answer(response.json(), self.schema)
        self.faults += [f"{name}: {fault}" for fault in found]
