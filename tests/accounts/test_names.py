from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.names import KEY_LENGTH, NameFault, clean_name, fold

GOOD = [
    "Team A",
    "<svg/onload=alert(1)>",
    "../admin/?next=//example.invalid#",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "语音实验室 7",
    "اللسانيات",
    "தமிழ் குழு",
    "Équipe Élan",
    "O'Neill & Søn",
    "🔥",
]


@pytest.mark.parametrize("name", GOOD)
def test_odd_but_visible_names_stay_as_they_are(name: str) -> None:
    assert clean_name(name, limit=80) == name


def test_spaces_and_line_breaks_become_single_spaces() -> None:
    assert clean_name('  Uni "A",\t Dept\n=1+1 ', limit=80) == 'Uni "A", Dept =1+1'


def test_a_name_is_kept_in_composed_form() -> None:
    assert clean_name("E\u0301quipe", limit=80) == "\u00c9quipe"


FORBIDDEN = {
    "nul": "Team\x00A",
    "escape": "Team\x1bA",
    "delete": "Team\x7fA",
    "next line": "Team\x85A",
    "zero-width space": "Team\u200bA",
    "zero-width joiner": "Team\u200dA",
    "word joiner": "Team\u2060A",
    "byte order mark": "\ufeffTeam",
    "soft hyphen": "Te\u00adam",
    "right-to-left override": "\u202eAmaeT",
    "isolate": "\u2066Team",
    "mark": "Team\u200e",
    "Hangul filler": "\u3164",
    "half-width filler": "Team\uffa0",
    "braille blank": "\u2800",
    "grapheme joiner": "Te\u034fam",
    "variation selector": "Team\ufe0f",
    "variation selector 17": "Team\U000e0100",
    "tag": "Team\U000e0041",
    "line separator": "Team\u2028A",
    "private use": "Team\ue000",
    "surrogate": "Team\ud800",
    "unassigned": "Team\U0003fffe",
}


@pytest.mark.parametrize("name", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_what_is_invisible_or_steers_the_text_is_refused(name: str) -> None:
    with pytest.raises(NameFault) as caught:
        clean_name(name, limit=80)
    assert caught.value.code == "FORBIDDEN"
    assert caught.value.found.startswith("U+")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "EMPTY"),
        (" \n ", "EMPTY"),
        ("\u0301", "EMPTY"),
        ("a" * 81, "TOO_LONG"),
        ("a" + "\u0316" * 5, "MARKS"),
    ],
)
def test_empty_long_and_stacked_names_are_refused(name: str, code: str) -> None:
    with pytest.raises(NameFault) as caught:
        clean_name(name, limit=80)
    assert caught.value.code == code


ALIKE = [
    ("Team A", "team a"),
    ("Team A", "TeamA"),
    ("Team A", "Ｔｅａｍ Ａ"),
    ("Team A", "Теаm А"),
    ("Team A", "Τeam Α"),
    ("Team A", "Team\u00a0A"),
    ("Team A", "𝐓𝐞𝐚𝐦 𝐀"),
    ("Alder", "AIder"),
    ("Alder", "A1der"),
    ("Alder", "A|der"),
    ("Oslo", "0slo"),
    ("Modern", "Modem"),
    ("Wave", "VVave"),
    ("Strasse", "Straße"),
    ("file", "ﬁle"),
    ("ASR", "АЅR"),
    ("ΣAM", "ςam"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Team A", "Team B"), ("Alder", "Elder"), ("Café", "Cafe"), ("队一", "队二")]
)
def test_names_that_can_be_told_apart_have_two(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_a_long_key_is_shortened_and_still_its_own() -> None:
    one, other = fold("ﷺ" * 80), fold("ﷺ" * 79 + "x")
    assert len(one) <= KEY_LENGTH
    assert one != other


@given(st.text(max_size=80))
def test_every_clean_name_has_a_key_and_is_clean_again(text: str) -> None:
    try:
        name = clean_name(text, limit=80)
    except NameFault:
        return
    assert clean_name(name, limit=80) == name
    assert 0 < len(fold(name)) <= KEY_LENGTH
