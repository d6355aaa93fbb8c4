"""What a page is made of, read with the standard parser: for rules that every page must keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNLABELLED = {"hidden", "submit", "button"}


@dataclass
class Element:
    """A start tag."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]


@dataclass
class Markup(HTMLParser):
    """All start tags of a page, and the text outside of tags."""

    elements: list[Element] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)
    misnested: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(
            Element(tag, {name: value or "" for name, value in attrs}, tuple(self.open_tags))
        )
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open_tags.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open_tags and self.open_tags[-1] == tag:
            self.open_tags.pop()
        elif tag not in VOID:
            self.misnested.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[Element]:
        """Return the elements of one kind."""
        return [element for element in self.elements if element.tag == tag]

    @property
    def text(self) -> str:
        """The page's words, separated by single spaces."""
        return " ".join(" ".join(self.words).split())


def read(html: str) -> Markup:
    """Return the markup of a page."""
    page = Markup()
    page.feed(html)
    page.close()
    return page


def faults(html: str) -> list[str]:
    """Return every rule that a page breaks: code, headings, labels, ids, nesting, tables, refreshing."""
    page = read(html)
    return [
        *_inline_code(page),
        *_structure(page),
        *_labels(page),
        *_tables(page),
        *_refreshing(page),
    ]


def _inline_code(page: Markup) -> list[str]:
    found = [
        f"<{e.tag} {name}>" for e in page.elements for name in e.attributes if name[:2] == "on"
    ]
    found += [f"style on <{e.tag}>" for e in page.elements if "style" in e.attributes]
    found += ["<style>" for _ in page.all("style")]
    found += ["<script> without src" for e in page.all("script") if "src" not in e.attributes]
    found += [
        f"javascript: in {name}"
        for e in page.elements
        for name, value in e.attributes.items()
        if value.strip().lower().startswith("javascript:")
    ]
    return found


def _structure(page: Markup) -> list[str]:
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    found = [f"id {name} twice" for name in sorted({i for i in ids if ids.count(i) > 1})]
    for tag in ("h1", "main", "title"):
        count = len([e for e in page.all(tag) if "svg" not in e.inside])
        found += [f"{count} × <{tag}>"] if count != 1 else []
    if not page.all("html")[0].attributes.get("lang"):
        found.append("no language")
    found += [f"</{tag}> does not fit" for tag in page.misnested]
    found += [f"<{tag}> stays open" for tag in page.open_tags]
    targets = {e.attributes.get("for") for e in page.all("label")}
    found += [f"label for nothing: {target}" for target in targets - {None} - set(ids)]
    return found


def _labels(page: Markup) -> list[str]:
    targets = {e.attributes.get("for") for e in page.all("label")}
    ids = {e.attributes.get("id") for e in page.elements}
    found = []
    for element in page.elements:
        if element.tag not in {"input", "select", "textarea"}:
            continue
        given = element.attributes
        if given.get("type") in UNLABELLED or "aria-label" in given or "label" in element.inside:
            continue
        if given.get("id") not in targets:
            found.append(f"no label: {given.get('name')}")
        described = given.get("aria-describedby", "").split()
        found += [f"described by nothing: {name}" for name in described if name not in ids]
    return found


def _tables(page: Markup) -> list[str]:
    tables, captions = len(page.all("table")), len(page.all("caption"))
    found = [f"{tables} tables, {captions} captions"] if captions < tables else []
    bare = [e for e in page.all("th") if "scope" not in e.attributes and "table" in e.inside]
    return [*found, f"{len(bare)} <th> without scope"] if bare else found


def _refreshing(page: Markup) -> list[str]:
    asks = any("hx-trigger" in e.attributes for e in page.elements)
    loads = any("htmx" in e.attributes.get("src", "") for e in page.all("script"))
    return ["asks again, but does not load htmx"] if asks and not loads else []
