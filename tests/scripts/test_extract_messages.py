from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

from scripts import extract_messages
from tests.architecture.sources import templates

SAID = re.compile(
    r"\b(?:n?p?gettext|_)\(((?:u?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?:,\s*)?)+)"
)


def texts_by_django(path: Path) -> set[str]:
    """Return the texts that Django's own extraction hands to xgettext."""
    found = set()
    for match in SAID.finditer(templatize(path.read_text(encoding="utf-8"))):
        value = ast.literal_eval(f"({match[1].rstrip(', ')},)")
        found.add(value[1] if match[0].startswith("pgettext") else value[0])
    return found


def texts_by_us(path: Path) -> set[str]:
    found = [text for _, text, _ in extract_messages.of_template(path)]
    return {text if isinstance(text, str) else text[0] for text in found}


def test_templates_give_the_texts_that_django_looks_up() -> None:
    ours = {path.name: texts_by_us(path) for path in templates()}
    assert any(ours.values())
    assert ours == {path.name: texts_by_django(path) for path in templates()}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{% translate "Hi" %}', [(1, "Hi", None)]),
        ("{% trans 'It\\'s' context \"place\" %}", [(1, "It's", "place")]),
        ('{% include "x" with y=_("Hi") %}{{ _("there") }}', [(1, "Hi", None), (1, "there", None)]),
        ("{% blocktranslate %}{{ n }} of 5%{% endblocktranslate %}", [(1, "%(n)s of 5%%", None)]),
        (
            "{% blocktranslate trimmed count n=n %}\n one\n{% plural %}\n {{ n }}\n many{% endblocktranslate %}",
            [(1, ("one", "%(n)s many"), None)],
        ),
    ],
)
def test_a_tag_gives_its_text(source: str, expected: list[object], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(source)
    assert list(extract_messages.of_template(tmp_path / "page.html")) == expected


def test_a_module_gives_its_texts(tmp_path: Path) -> None:
    source = """a = _("one")
b = ngettext("a row", "%(n)d rows", n)
c = f"{a} {_('inside')}"
d = pgettext("a place", "here")
e = _(a)
"""
    (tmp_path / "m.py").write_text(source)
    assert list(extract_messages.of_python(tmp_path / "m.py")) == [
        (1, "one", None),
        (2, ("a row", "%(n)d rows"), None),
        (3, "inside", None),
        (4, "here", "a place"),
    ]


@pytest.mark.slow
def test_the_file_can_be_read_again_and_has_every_text(tmp_path: Path) -> None:
    catalog = extract_messages.collect()
    (tmp_path / "x.pot").write_bytes(extract_messages.rendered(catalog))
    with (tmp_path / "x.pot").open("rb") as handle:
        again = read_po(handle)
    assert {message.id for message in again} == {message.id for message in catalog}
