"""YAML 1.2 as a tree of values that know their place; what a definition may not use is a fault.

Built from the parser's events, never by constructing objects: anchors, aliases, tags, repeated keys,
several documents and deep nesting are refused where they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from competition.definition.faults import Fault

SIZE_LIMIT: Final = 1024 * 1024
DEPTH_LIMIT: Final = 16

Value: TypeAlias = str | int | float | bool | None

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,4})?")
_WORDS: Final[dict[str, Value]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(slots=True)
class Node:
    """A value and where it stands; line and column from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Leaf(Node):
    """A single value; `text` is what was written."""

    value: Value
    text: str


@dataclass(slots=True)
class Listing(Node):
    """A sequence."""

    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Table(Node):
    """A mapping: key -> (place of the key, value)."""

    entries: dict[str, tuple[Node, Node]] = field(default_factory=dict)


def read_tree(data: bytes) -> tuple[Node | None, list[Fault]]:
    """Return the document's tree, None when it cannot be read at all, and the faults of its form."""
    if len(data) > SIZE_LIMIT:
        return None, [Fault(1, 1, "", f"the file is larger than {SIZE_LIMIT} bytes")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [Fault(line, 1, "", f"byte {error.start} is not UTF-8")]
    builder = _Builder()
    try:
        for event in YAML(typ="rt", pure=True).parse(text):
            builder.take(event)
    except _TooDeepError:
        return None, builder.faults
    except YAMLError as error:
        return None, [*builder.faults, _syntax(error, text)]
    if builder.root is None and not builder.faults:
        builder.faults.append(Fault(1, 1, "", "the file is empty"))
    return builder.root, builder.faults


def plain(node: Node) -> Any:
    """Return the values without their places."""
    if isinstance(node, Table):
        return {key: plain(value) for key, (_, value) in node.entries.items()}
    if isinstance(node, Listing):
        return [plain(item) for item in node.items]
    return node.value if isinstance(node, Leaf) else None


def walk(node: Node, path: tuple[str | int, ...]) -> Node:
    """Return the node at the path, or the nearest one above it."""
    for step in path:
        below = _below(node, step)
        if below is None:
            return node
        node = below
    return node


def _below(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Table) and isinstance(step, str) and step in node.entries:
        return node.entries[step][1]
    if isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
        return node.items[step]
    return None


class _TooDeepError(Exception):
    """Nothing below is read: the depth itself is the fault."""


class _Builder:
    """Takes events one by one; keeps the open collections on a stack of its own."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self._open: list[Node] = []
        self._keys: list[Leaf | None] = []
        self._documents = 0

    def take(self, event: Event) -> None:
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents == 2:  # noqa: PLR2004  the second one
                self._fault(event, "only one document is allowed")
        elif isinstance(event, NodeEvent) and self._documents == 1:
            self._refuse_tricks(event)
            self._place(event)
        elif isinstance(event, CollectionEndEvent) and self._documents == 1:
            self._open.pop()
            self._keys.pop()

    def _refuse_tricks(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent):
            self._fault(event, f"an alias (*{event.anchor}) is not allowed; write the value out")
        elif event.anchor:
            self._fault(event, f"an anchor (&{event.anchor}) is not allowed")
        tag = getattr(event, "tag", None)
        if tag:
            self._fault(event, f"a tag ({tag}) is not allowed")

    def _place(self, event: NodeEvent) -> None:
        node = self._node(event)
        if self._open:
            self._attach(self._open[-1], node)
        else:
            self.root = node
        if isinstance(event, CollectionStartEvent):
            if len(self._open) == DEPTH_LIMIT:
                self._fault(event, f"nested deeper than {DEPTH_LIMIT} levels")
                raise _TooDeepError
            self._open.append(node)
            self._keys.append(None)

    def _attach(self, parent: Node, node: Node) -> None:
        if isinstance(parent, Listing):
            parent.items.append(node)
        elif isinstance(parent, Table):
            key = self._keys[-1]
            if key is None:
                self._keys[-1] = self._key(parent, node)
            else:
                parent.entries.setdefault(key.text, (key, node))
                self._keys[-1] = None

    def _key(self, table: Table, node: Node) -> Leaf:
        if not isinstance(node, Leaf):
            self.faults.append(Fault(node.line, node.column, "", "a key must be a plain word"))
            return Leaf(node.line, node.column, None, "")
        if node.text in table.entries:
            first = table.entries[node.text][0].line
            message = f"the key {node.text} stands here again; it was given in line {first}"
            self.faults.append(Fault(node.line, node.column, "", message))
        return node

    def _node(self, event: NodeEvent) -> Node:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, MappingStartEvent):
            return Table(line, column)
        if isinstance(event, CollectionStartEvent):
            return Listing(line, column)
        if isinstance(event, ScalarEvent):
            is_plain = event.style is None
            value = _resolve(event.value) if is_plain else event.value
            return Leaf(line, column, value, event.value)
        return Leaf(line, column, None, "")

    def _fault(self, event: Event, message: str) -> None:
        mark = event.start_mark
        self.faults.append(Fault(mark.line + 1, mark.column + 1, "", message))


def _resolve(text: str) -> Value:
    """Return the value of a plain scalar by the core schema of YAML 1.2: `no` is a text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _syntax(error: YAMLError, text: str) -> Fault:
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        reason = " ".join(part for part in (error.context, error.problem) if part)
        return Fault(line, column, "", f"this is not YAML: {reason}")
    before = text[: getattr(error, "position", 0)]
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Fault(before.count("\n") + 1, column, "", "a character that YAML does not allow")
