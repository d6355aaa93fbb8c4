"""Takes typed values out of a mapping, noting every fault; what was never asked for is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Final, TypeVar

from competition.definition.faults import Fault
from competition.definition.tree import Leaf, Listing, Node, Table
from competition.timeline import MomentFault, parse_moment

T = TypeVar("T")

SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SLUG_LIMIT: Final = 64
HINTED: Final = 100
"""Beyond so many faults nobody is told what was probably meant: comparing words takes long."""
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class Section:
    """One mapping of the file. Getters return the value, or a stand-in when there is a fault."""

    def __init__(self, node: Node, path: str, faults: list[Fault]) -> None:
        self.node = node
        self.path = path
        self.faults = faults
        self._asked: list[str] = []
        self._entries: Mapping[str, tuple[Node, Node]] = {}
        if isinstance(node, Table):
            self._entries = node.entries
        else:
            self.fault(node, "expected a mapping of keys to values")

    def fault(self, node: Node, message: str, key: str = "") -> None:
        """Note a fault at a node, under this section's path and the key."""
        self.faults.append(Fault(node.line, node.column, self.join(key), message))

    def join(self, key: str) -> str:
        """Return the path of a key."""
        return f"{self.path}.{key}" if self.path and key else self.path or key

    def get(self, key: str, *, required: bool = False) -> Node | None:
        """Return the node under the key; None when it is missing, which may be a fault."""
        self._asked.append(key)
        entry = self._entries.get(key)
        if entry is None and required and isinstance(self.node, Table):
            self.fault(self.node, f"{key} is missing", key)
        return entry[1] if entry else None

    def place_of(self, key: str) -> Node:
        """Return the node under the key, else the section's own, for a fault's place."""
        entry = self._entries.get(key)
        return entry[1] if entry else self.node

    def text(self, key: str, *, limit: int, default: str | None = None) -> str:
        """Return a text of 1 to `limit` characters; without a default it is required."""
        node = self.get(key, required=default is None)
        if node is None:
            return default or ""
        return self.checked_text(node, key, limit=limit)

    def checked_text(self, node: Node, key: str, *, limit: int) -> str:
        """Return a leaf's text, noting what is wrong with it."""
        if not isinstance(node, Leaf) or node.value is None or isinstance(node.value, bool):
            self.fault(node, "expected a text", key)
            return ""
        text = node.text.strip()
        if not text:
            self.fault(node, "the text is empty", key)
        elif len(text) > limit:
            self.fault(node, f"longer than {limit} characters", key)
        elif _UNSTORABLE.search(text):
            self.fault(node, "holds a character that cannot be stored", key)
        return text

    def slug(self, key: str) -> str:
        """Return a short name of lower-case letters, digits and single hyphens."""
        text = self.text(key, limit=SLUG_LIMIT)
        if text and not SLUG.fullmatch(text):
            self.fault(self.place_of(key), "use lower-case letters, digits and hyphens", key)
        return text

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return one of the choices."""
        text = self.text(key, limit=SLUG_LIMIT, default=default)
        known = list(choices)
        if text and text not in known:
            message = f"{text} is none of {', '.join(known)}{self._hint(text, known)}"
            self.fault(self.place_of(key), message, key)
        return text

    def boolean(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        node = self.get(key)
        if node is None:
            return default
        if isinstance(node, Leaf) and isinstance(node.value, bool):
            return node.value
        self.fault(node, "expected true or false", key)
        return default

    def integer(self, key: str, *, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number in low..high; without a default it is required."""
        node = self.get(key, required=default is None)
        number = self._number(node, key, low, high) if node else default
        return low if number is None else number

    def optional_integer(self, key: str, *, low: int, high: int) -> int | None:
        """Return a whole number in low..high, None when it is missing or null."""
        node = self.get(key)
        if node is None or _is_null(node):
            return None
        return self._number(node, key, low, high)

    def moment(self, key: str, *, closing: bool = False) -> datetime | None:
        """Return a moment in UTC, None when there is a fault."""
        node = self.get(key, required=True)
        return self._moment(node, key, closing=closing) if node else None

    def optional_moment(self, key: str) -> datetime | None:
        """Return a moment in UTC, None when it is missing or null."""
        node = self.get(key)
        return None if node is None or _is_null(node) else self._moment(node, key)

    def section(self, key: str, *, required: bool = False) -> Section | None:
        """Return the mapping under the key."""
        node = self.get(key, required=required)
        return Section(node, self.join(key), self.faults) if node else None

    def sections(self, key: str, *, required: bool = False) -> list[Section]:
        """Return the mappings of the list under the key."""
        path = self.join(key)
        return [
            Section(item, f"{path}[{index}]", self.faults)
            for index, item in enumerate(self.items(key, required=required))
        ]

    def items(self, key: str, *, required: bool = False) -> list[Node]:
        """Return the nodes of the list under the key; when it is required it may not be empty."""
        node = self.get(key, required=required)
        if node is None:
            return []
        if not isinstance(node, Listing):
            self.fault(node, "expected a list", key)
            return []
        if required and not node.items:
            self.fault(node, "the list is empty", key)
        return node.items

    def entries(self) -> Mapping[str, tuple[Node, Node]]:
        """Return all keys with their places and values, and ask for none of them any more."""
        self._asked.extend(self._entries)
        return self._entries

    def finish(self) -> None:
        """Note every key that nobody asked for, with the one that was probably meant."""
        for key, (place, _) in self._entries.items():
            if key not in self._asked:
                known = [name for name in self._asked if name not in self._entries]
                message = f"{key} is not known here{self._hint(key, known or self._asked)}"
                self.faults.append(Fault(place.line, place.column, self.join(key), message))

    def _hint(self, word: str, known: Iterable[str]) -> str:
        return _suggestion(word, known) if len(self.faults) < HINTED else ""

    def _number(self, node: Node, key: str, low: int, high: int) -> int | None:
        value = node.value if isinstance(node, Leaf) else None
        if not isinstance(value, int) or isinstance(value, bool):
            self.fault(node, "expected a whole number", key)
            return None
        if not low <= value <= high:
            self.fault(node, f"{value} is not between {low} and {high}", key)
            return None
        return value

    def _moment(self, node: Node, key: str, *, closing: bool = False) -> datetime | None:
        try:
            return parse_moment(node.text if isinstance(node, Leaf) else "", closing=closing)
        except MomentFault as error:
            self.fault(node, str(error), key)
            return None


def _is_null(node: Node) -> bool:
    return isinstance(node, Leaf) and node.value is None


def _suggestion(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
