from __future__ import annotations

import ast
import re
from html.parser import HTMLParser

from tests.architecture.sources import modules, name, templates

TRANSLATED = re.compile(
    r"{%-?\s*blocktrans(?:late)?\b.*?%}.*?{%-?\s*endblocktrans(?:late)?\s*%}"
    r"|{%\s*comment\b.*?%}.*?{%\s*endcomment\s*%}|{#.*?#}",
    re.DOTALL,
)
CODE = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
SPOKEN = ("alt", "title", "placeholder", "aria-label", "aria-description", "label")
WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = {"Plaudit", "AoE", "MiB", "kB", "mNTD", "data", "json", "nbsp", "utt", "id"}
ACRONYM = re.compile(r"[A-Z]{2,4}")
SILENT = {"script", "style", "code", "pre", "samp", "kbd"}
SAID_BY = {"success", "error", "warning", "info", "add_error"}
SAID_AS = {"label", "help_text", "empty_label", "verbose_name", "short_description"}


class Texts(HTMLParser):
    """Collects the texts of a page that a person reads and that are not translated."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in SILENT
        for key, value in attrs:
            if key in SPOKEN and value:
                self.note(value)

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in SILENT

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.note(data)

    def note(self, text: str) -> None:
        words = [w for w in WORD.findall(text) if w not in NAMES and not ACRONYM.fullmatch(w)]
        if words:
            self.found.append(" ".join(text.split()))


def untranslated(source: str) -> list[str]:
    texts = Texts()
    texts.feed(CODE.sub("", TRANSLATED.sub("", source)))
    return texts.found


def test_a_text_outside_gettext_is_found() -> None:
    source = '{% translate "Hi" %}<p title="There">{{ x }} <b>you</b></p><code>a b</code>'
    assert untranslated(source) == ["There", "you"]
    assert (
        untranslated("{% blocktranslate %}Hi{% endblocktranslate %}{# note #}<p>Plaudit</p>") == []
    )


def test_every_text_of_a_template_is_inside_gettext() -> None:
    found = {name(path): untranslated(path.read_text(encoding="utf-8")) for path in templates()}
    assert {path: texts for path, texts in found.items() if texts} == {}


def plain_texts(tree: ast.AST) -> list[str]:
    """Return texts that people see and that are bare strings: messages, labels, refusals."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += [argument.value for argument in said(node) if is_sentence(argument)]
    return found


def said(call: ast.Call) -> list[ast.Constant]:
    by_name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    owner = getattr(getattr(call.func, "value", None), "id", "")
    spoken = [k.value for k in call.keywords if k.arg in SAID_AS]
    if by_name == "add_error" or (owner == "messages" and by_name in SAID_BY):
        spoken += call.args
    if getattr(call.func, "id", by_name) in {"ValidationError", "ParseError"}:
        spoken += call.args[:1]
    return [argument for argument in spoken if isinstance(argument, ast.Constant)]


def is_sentence(constant: ast.Constant) -> bool:
    return isinstance(constant.value, str) and bool(re.search(r"\s|^[A-Z]", constant.value))


def test_every_text_said_to_people_is_inside_gettext() -> None:
    # the scorer's messages are marked where they stand; help of the API is for its schema
    apart = ("/scoring/", "/api/", "scripts/")
    spoken = [path for path in modules() if not any(part in f"/{name(path)}" for part in apart)]
    found = {
        name(path): plain_texts(ast.parse(path.read_text(encoding="utf-8"))) for path in spoken
    }
    assert {path: texts for path, texts in found.items() if texts} == {}
