"""The competition's own texts in the reader's language, and Markdown made safe. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

FALLBACK = "en"
HEADING_SHIFT = 2
"""A page has its own h1 and h2: a text's first heading becomes an h3."""

TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
SCHEMES = {"http", "https", "mailto"}

MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(
    ["table", "strikethrough"]
)


class Text(str):
    """A text that knows the language it is written in."""

    __slots__ = ("language",)
    language: str

    def __new__(cls, text: str, language: str) -> Text:
        made = super().__new__(cls, text)
        made.language = language
        return made


class HasTexts(Protocol):
    """Competitions, tracks, phases, announcements: `texts` maps language -> {key: text}."""

    texts: Any


def text_of(thing: HasTexts, key: str, language: str) -> Text:
    """Return one text of a thing, in the language or the best substitute; empty when there is none."""
    by_language = {
        code: values[key] for code, values in thing.texts.items() if values and values.get(key)
    }
    return pick(by_language, language)


def pick(by_language: Mapping[str, str], language: str) -> Text:
    """Return the text in the language, else in English, else in the first language that has one."""
    for code in _candidates(by_language, language):
        if by_language[code]:
            return Text(by_language[code], code)
    return Text("", language)


def _candidates(by_language: Mapping[str, str], language: str) -> Iterator[str]:
    wanted = language.lower()
    yield from (code for code in by_language if code.lower() == wanted)
    yield from (code for code in by_language if _primary(code) == _primary(wanted))
    yield from (code for code in by_language if code.lower() == FALLBACK)
    yield from by_language


def _primary(code: str) -> str:
    return code.lower().split("-")[0]


@lru_cache(maxsize=256)
def markdown_html(text: str) -> str:
    """Return Markdown as HTML with known tags only: raw HTML is shown as text, never run."""
    tokens = MARKDOWN.parse(text)
    for token in tokens:
        _shift(token)
        _join_han(token.children or [])
    html = str(MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}))
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="nofollow noopener",
    )


def _shift(token: Token) -> None:
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{min(6, int(token.tag[1:]) + HEADING_SHIFT)}"


def _join_han(children: list[Token]) -> None:
    # A line break inside a Chinese sentence is no space.
    for before, token, after in zip(children, children[1:], children[2:], strict=False):
        if (
            token.type == "softbreak"
            and _is_han(before.content[-1:])
            and _is_han(after.content[:1])
        ):
            token.type = "text"


def _is_han(character: str) -> bool:
    return "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
