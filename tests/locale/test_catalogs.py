from __future__ import annotations

import re
from collections import Counter

import pytest
from babel.messages import Catalog, Message

from scripts.make_traditional import of_taiwan, traditional
from scripts.update_messages import (
    SIMPLIFIED,
    TRADITIONAL,
    is_apart,
    loaded,
    rendered,
    seen_by_entrants,
    texts_of,
)

BOTH = [SIMPLIFIED, TRADITIONAL]
HAN = re.compile(r"[\u4e00-\u9fff]")
# %(name)s, %%, {name}, and tags with their attributes
PARTS = re.compile(r"%\(\w+\)[-.\d]*[a-z]|%%|\{\w+\}|</?[a-z][^>]*>")
FIGURES = {"ASR", "CER", "CoMOS", "LLM", "MER", "MOS", "RTT", "SIM", "TTS", "WER", "mNTD"}
SAME_EVERYWHERE = {"API", "0–1", "0–100", "≥ 0", "Cookie", *FIGURES}
"""Texts without a word: figures, names, abbreviations."""
Key = tuple[object, str | None]


def messages(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


def keys(catalog: Catalog) -> set[Key]:
    return {(message.id, message.context) for message in messages(catalog)}


def sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def is_broken(message: Message) -> bool:
    """A placeholder or a tag that is lost, doubled or made up: the text fails or lies when shown.

    Chinese has one form for every number: it says what the English plural says.
    """
    said, wanted = texts_of(message)[0], sources(message)[-1]
    return Counter(PARTS.findall(said)) != Counter(PARTS.findall(wanted))


@pytest.fixture(scope="module", params=BOTH, ids=["zh_Hans", "zh_Hant"])
def catalog(request):
    return loaded(request.param)


@pytest.mark.slow
def test_every_text_that_entrants_see_is_in_the_catalog_and_no_other(catalog):
    assert keys(catalog) == keys(seen_by_entrants())


def test_no_entry_is_empty_or_fuzzy(catalog):
    assert [message.id for message in messages(catalog) if not all(texts_of(message))] == []
    assert [message.id for message in messages(catalog) if message.fuzzy] == []


def test_no_entry_breaks_a_placeholder_or_a_tag(catalog):
    assert [message.id for message in messages(catalog) if is_broken(message)] == []


def test_no_entry_is_left_in_english(catalog):
    left = [text for message in messages(catalog) for text in texts_of(message)]
    wordy = {text for text in left if re.search(r"[A-Za-z]{2}", PARTS.sub("", text))}
    english = {text for text in wordy if not HAN.search(text)}
    assert english - SAME_EVERYWHERE - {"%(moment)s UTC", "%(moment)s AoE"} == {
        "%(moment)s UTC · %(aoe)s AoE",
        "%(moment)s UTC · %(day)s %(aoe)s AoE",
    }


def test_chinese_stands_in_full_width_punctuation(catalog):
    half = re.compile(r"[\u4e00-\u9fff][,;:!?](?!\w)")
    found = [text for m in messages(catalog) for text in texts_of(m) if half.search(text)]
    assert found == []


def test_no_text_of_one_form_of_the_characters_is_in_the_other():
    simplified = "".join(texts_of(m)[0] for m in messages(loaded(SIMPLIFIED)))
    made = "".join(texts_of(m)[0] for m in messages(loaded(TRADITIONAL)))
    assert set("队伍数据设置") & set(made) - set("伍置") == set()
    assert set("隊數據設參賽") & set(simplified) == set()


def test_traditional_chinese_is_what_the_simplified_says():
    assert rendered(traditional(), "zh_Hant") == TRADITIONAL.read_bytes()


def test_the_simplified_catalog_is_written_as_the_script_writes_it():
    assert rendered(loaded(SIMPLIFIED), "zh_Hans") == SIMPLIFIED.read_bytes()


def test_words_are_replaced_in_order_and_whole_texts_by_themselves():
    words = [("=代碼", "代號"), ("代碼表", "碼表"), ("碼表", "清單")]
    assert of_taiwan("代碼", words) == "代號"
    assert of_taiwan("代碼表", words) == "清單"


@pytest.mark.parametrize(
    ("path", "apart"),
    [
        ("templates/grading/console.html", True),
        ("grading/views/console_page.py", True),
        ("accounts/admin.py", True),
        ("grading/management/commands/sweep.py", True),
        ("grading/views/boards.py", False),
        ("templates/base.html", False),
    ],
)
def test_only_consoles_the_admin_and_commands_may_stay_english(path, apart):
    assert is_apart(path) is apart


@pytest.mark.parametrize(
    ("source", "translation", "broken"),
    [
        ("%(n)s rows", "%(n)s 行", False),
        ("%(n)s rows", "%(m)s 行", True),
        ("{a} of {b}", "{b} 之 {a}", False),
        ("{a} of {b}", "{a} 之 {a}", True),
        ("100 %% sure", "100% 肯定", True),
        ("<b>one</b> waits", "一个等待", True),
    ],
)
def test_a_broken_placeholder_is_found(source, translation, broken):
    assert is_broken(Message(source, translation)) is broken
