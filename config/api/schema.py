"""What the API's document says beside the endpoints: how every call may be refused."""

from __future__ import annotations

from typing import Any

METHODS = ("get", "put", "post", "delete", "patch")
PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "Why a call was refused (RFC 9457). Programs go by `code`; `detail` is for people.",
    "properties": {
        "type": {"type": "string", "description": "names the code"},
        "title": {"type": "string", "description": "the status in words"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "a sentence in the language asked for"},
        "code": {"type": "string", "description": "stable"},
        "params": {"type": "object", "additionalProperties": True},
        "errors": {
            "type": "object",
            "additionalProperties": True,
            "description": "what does not fit, by field",
        },
    },
    "required": ["type", "title", "status", "detail", "code", "params"],
}
REFUSED: dict[str, Any] = {
    "description": "Refused: 401 without a token, 403 for what the person or the token may not do, "
    "404 for what is not there or not to be seen, 4xx for what the code says.",
    "content": {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
    },
}


WIDEST = {2**15 - 1, 2**31 - 1, 2**63 - 1}
"""The largest whole number of a column, which differs from database to database."""


def without_bounds_of_columns(result: dict[str, Any], **_given: object) -> dict[str, Any]:
    """Return the document without what only the database in use says: it is the same on any."""
    result["components"]["schemas"] = _without_bounds(result["components"]["schemas"])
    return result


def _without_bounds(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_bounds(part) for part in node]
    if not isinstance(node, dict):
        return node
    highest, lowest = node.get("maximum"), node.get("minimum")
    dropped = {"maximum", "format"} if isinstance(highest, int) and highest in WIDEST else set()
    dropped |= {"minimum"} if isinstance(lowest, int) and -lowest - 1 in WIDEST else set()
    return {name: _without_bounds(part) for name, part in node.items() if name not in dropped}


def with_problems(result: dict[str, Any], **_given: object) -> dict[str, Any]:
    """Return the document with the refusal that any operation may answer, in the words of 3.1."""
    result["components"]["schemas"] = _with_nulls(result["components"]["schemas"])
    result["components"]["schemas"]["ProblemDocument"] = PROBLEM
    for operations in result["paths"].values():
        for method, operation in operations.items():
            if method in METHODS:
                operation["responses"]["default"] = REFUSED
    return result


def _with_nulls(node: Any) -> Any:
    """Return a schema that says null as OpenAPI 3.1 does; pages of lists say it as 3.0 did."""
    if isinstance(node, list):
        return [_with_nulls(part) for part in node]
    if not isinstance(node, dict):
        return node
    kept = {name: _with_nulls(part) for name, part in node.items() if name != "nullable"}
    if node.get("nullable") is True and isinstance(node.get("type"), str):
        kept["type"] = [node["type"], "null"]
    return kept
