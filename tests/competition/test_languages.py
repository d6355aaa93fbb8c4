"""Languages have names, in the reader's own; what has none keeps its code."""

from __future__ import annotations

import pytest
from django.utils import translation

from competition.languages import language_named
from competition.templatetags.texts import spoken


@pytest.mark.parametrize(
    ("reader", "names"),
    [
        ("en", ["English", "Mandarin", "Cantonese", "Malay", "Tamil", "Indonesian", "Min Nan Chinese"]),
        ("zh-hans", ["英语", "普通话", "粤语", "马来语", "泰米尔语", "印度尼西亚语", "闽南语"]),
    ],
)  # fmt: skip
def test_a_language_has_its_name_in_the_readers_own(reader, names):
    with translation.override(reader):
        found = [language_named(code) for code in ("en", "zh", "yue", "ms", "ta", "id", "nan")]
    assert found == names


def test_a_language_of_a_region_has_a_name_too():
    assert language_named("en-sg") == "English (Singapore)"


@pytest.mark.parametrize(
    "code", ["", "xx", "zz-zz", "a", "u1", "<b>", "en_", "-", "../en", "\0", "整"]
)
def test_a_code_without_a_name_is_shown_as_it_is(code):
    assert spoken(code) == code
