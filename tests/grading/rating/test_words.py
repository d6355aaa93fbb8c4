"""What raters read calls the time in which they rate a sitting; a session is a log-in."""

from __future__ import annotations

import ast
import re

from tests.architecture.sources import ROOT

MARKERS = {"_", "gettext", "gettext_lazy", "ngettext", "pgettext"}
FOLDERS = ("grading/services/ratings", "grading/views/rating")
PAGES = [
    *sorted((ROOT / "templates/grading/rating").rglob("*.html")),
    *sorted((ROOT / "templates/grading/mail").glob("rater.*")),
]
SAID = re.compile(
    r"{%\s*translate\s+\"([^\"]*)\"|{%\s*blocktranslate[^%]*%}(.*?){%\s*endblock", re.DOTALL
)
NAMES = re.compile(r"{{.*?}}|{%.*?%}", re.DOTALL)


def in_code() -> list[str]:
    """Return every text that services and views of raters mark for translation."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKERS:
                    found += [
                        one.value
                        for one in node.args
                        if isinstance(one, ast.Constant) and isinstance(one.value, str)
                    ]
    return found


def on_pages() -> list[str]:
    """Return every text on raters' pages and in mails to them, without what is filled in."""
    texts = [path.read_text(encoding="utf-8") for path in PAGES]
    return [NAMES.sub("", one or two) for text in texts for one, two in SAID.findall(text)]


def test_raters_read_of_sittings_and_of_no_session_but_a_log_in():
    said = in_code() + on_pages()
    assert len(said) > 100
    assert sum("sitting" in text for text in said) > 5
    assert [text for text in said if "session" in text.lower()] == [
        "Your session has ended. What you marked is kept on this page."
    ]
