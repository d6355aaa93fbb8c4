"""Text of the methodology page: English sentences that a page can also show in other languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


class Phrase(str):
    """A finished English text that remembers its template and values.

    It is a plain string to anyone who only shows it; a page in another language renders
    `translate(phrase.template) % phrase.values`, or the translation alone without values.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        text = template % values if values else template
        phrase = super().__new__(cls, text)
        phrase.template = template
        phrase.values = values
        return phrase


class Tongue(str):
    """The code of a language among the values of a phrase; a page may show the language's name."""

    __slots__ = ()


class Term(str):
    """A term of a track among the values of a phrase; a page shows it in the reader's language."""

    __slots__ = ()


def N_(template: str) -> str:  # noqa: N802 - the marker that gettext's extractor looks for
    """Mark a template for translation; returns it as it is."""
    return template
