"""Whether a text names what is held out: ids and sentences, however they are written. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 4
"""Sentences of fewer letters and digits would be found everywhere."""

_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class Secrets:
    """What must not be named: ids as they are, and sentences by their letters and digits alone."""

    ids: frozenset[str]
    sentences: frozenset[str]

    @classmethod
    def of(cls, ids: Iterable[str], texts: Iterable[str]) -> Secrets:
        """Return the secrets; sentences too short to mean anything are left out."""
        letters = {letters_of(text) for text in texts}
        return cls(
            frozenset(map(_plain, ids)),
            frozenset(one for one in letters if len(one) >= SHORTEST),
        )


def named_in(data: bytes, secrets: Secrets) -> Iterator[str]:
    """Yield `id` or `text` for each sort of secret that bytes name, if they are a text at all."""
    for text in _readings(data):
        found = _plain(text)
        if any(_stands_alone(utt_id, found) for utt_id in secrets.ids):
            yield "id"
        letters = letters_of(found)
        if any(sentence in letters for sentence in secrets.sentences):
            yield "text"


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, without case, width, marks or blanks between them."""
    folded = unicodedata.normalize("NFKC", _unescaped(text)).casefold()
    return "".join(one for one in folded if unicodedata.category(one)[0] in "LN")


def _readings(data: bytes) -> Iterator[str]:
    """Yield the texts that bytes may be: UTF-8, or UTF-16 where a mark says so."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield data.decode("utf-16", "ignore")
    yield data.decode("utf-8", "ignore")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", _unescaped(text)).casefold()


def _unescaped(text: str) -> str:
    """Return a text with JSON's escapes as the characters that they stand for."""
    found = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return _SURROGATES.sub(
        lambda match: match[0].encode("utf-16", "surrogatepass").decode("utf-16"), found
    )


def _stands_alone(utt_id: str, text: str) -> bool:
    """Return whether an id stands in a text and is not a part of a longer one."""
    start = text.find(utt_id)
    while start >= 0:
        end = start + len(utt_id)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_is_of_id(before) or _is_of_id(after)):
            return True
        start = text.find(utt_id, start + 1)
    return False


def _is_of_id(character: str) -> bool:
    return character == "_" or character.isalnum()
