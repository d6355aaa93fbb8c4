"""Texts that bring out what a normalizer might do twice: mixtures of what its rules look at."""

from __future__ import annotations

import random
from itertools import product

from hypothesis import strategies as st

HAN = "一二三四五六七八九十百千萬万億亿零〇○兩廿卅卌0123456789點点分之元蚊$朗子壹拾佰仟伍,.、 "
TAMIL = "௦௧௨௯௰௱௲0123456789,. கெௌள\u0bd7ாி்ஒஸ்ரீஶ\u200d\u200c"
MARKS = "e\u0301\u0323\u0307\u0327İiIΣσςΑα'’´`.-\u200d\u200b\ufe0f ǅﬁ½１２ᄀ가ᅡᆨ각̸=≠<>ℍ\u0331ʼ\u0345"
ENGLISH = [
    "one",
    "two",
    "three",
    "five",
    "zero",
    "oh",
    "ten",
    "twelve",
    "twenty",
    "thirty",
    "ninety",
    "first",
    "second",
    "third",
    "fifth",
    "twentieth",
    "hundred",
    "hundredth",
    "thousand",
    "thousandth",
    "million",
    "billion",
    "hundreds",
    "thousands",
    "millions",
    "a",
    "and",
    "point",
    "half",
    "the",
    "1",
    "2",
    "5",
    "10",
    "20",
    "007",
    "1.5",
    "3.14",
    "1.2.3",
    "20th",
    "2nd",
    "1,000",
    "-",
    "/",
    "'",
    ".",
    ",",
    "$",
    "1234567890123456",
]

any_text = st.text(max_size=30)
chinese = st.text(st.sampled_from(HAN), max_size=16)
tamil = st.text(st.sampled_from(TAMIL), max_size=16)
marks = st.text(st.sampled_from(MARKS), max_size=12)
english = st.lists(st.sampled_from(ENGLISH), max_size=12).flatmap(
    lambda words: st.sampled_from([" ", "-", ". "]).map(lambda glue: glue.join(words))
)
mixed = st.lists(st.one_of(any_text, chinese, tamil, marks, english), max_size=4).map("".join)


def random_text(rng: random.Random) -> str:
    """Return one text of some kind, for the runs that are too long for hypothesis."""
    alphabets = (HAN, TAMIL, MARKS, [word + " " for word in ENGLISH])
    kind = rng.randrange(len(alphabets) + 2)
    length = rng.randrange(1, 20)
    if kind < len(alphabets):
        return "".join(rng.choice(alphabets[kind]) for _ in range(length))
    if kind == len(alphabets):
        return "".join(chr(rng.randrange(0x110000)) for _ in range(length))
    return "".join(
        rng.choice(rng.choice(alphabets)) if rng.random() < 0.8 else chr(rng.randrange(0x3100))
        for _ in range(length)
    )


def every_numeral(length: int) -> list[str]:
    """Return all strings of that length over digits, scales and what goes beside a number."""
    alphabet = "0125十百千萬億廿元$分"
    return ["".join(one).replace("分", "百分之") for one in product(alphabet, repeat=length)]


def every_number_word(length: int) -> list[str]:
    """Return all sequences of that length over one word of each kind."""
    words = [
        "one",
        "twenty",
        "twelve",
        "zero",
        "oh",
        "hundred",
        "thousand",
        "million",
        "hundreds",
        "thousandth",
        "first",
        "and",
        "a",
        "half",
        "point",
        "5",
        "20",
        "1.5",
    ]
    return [" ".join(one) for one in product(words, repeat=length)]
