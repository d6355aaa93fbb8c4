from __future__ import annotations

import pytest

from grading.services import rescore_checks
from grading.templatetags.names import number_name, setting_name


def test_every_compared_number_has_its_words():
    names = [*rescore_checks.COMPARED, "tallies"]
    assert [name for name in names if "_" in number_name(name) or number_name(name) == name] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("collars.zh", "Collar, zh"),
        ("tie_breaks", "Ties, in this order"),
        ("scorer", "Scorer"),
        ("of_tomorrow", "of_tomorrow"),
    ],
)
def test_a_setting_has_its_words(name, words):
    assert setting_name(name) == words
