"""Values that are dear to make and never change once made, kept in the memory of a process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Slot(Generic[T]):
    __slots__ = ("lock", "made")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: tuple[T] | None = None


class Kept(Generic[T]):
    """The values asked for last, at most `size` of them; safe with threads.

    A key names everything that its value depends on, so nothing kept is ever stale. Of many who
    ask for a new key at once one makes it and the others wait: a board that changes under a
    thousand open pages is rendered once.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot[T]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of the key, made now if it is not there; an error of `make` is not kept."""
        slot = self._slot(key)
        with slot.lock:
            if slot.made is None:
                slot.made = (make(),)
            return slot.made[0]

    def _slot(self, key: Hashable) -> _Slot[T]:
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > self._size:
                self._slots.popitem(last=False)
            return slot
