"""Reproducible choices: every number follows from the names it is asked for, on any Python."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256


def fraction(*names: str | int) -> float:
    """Return a number in [0, 1) fixed by the names alone, uniform over them.

    The first 53 bits of the SHA-256 of the names, so that neither the order of the calls nor
    the version of Python changes it.
    """
    digest = sha256("\x1f".join(map(str, names)).encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def pick(options: Sequence[str], *names: str | int) -> str:
    """Return one of the options, fixed by the names; every option is equally likely."""
    return options[int(fraction(*names) * len(options))]
