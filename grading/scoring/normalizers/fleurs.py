"""The normalizers of the SEA leaderboard, one per language of its FLEURS corpora."""

from __future__ import annotations

import re

from grading.scoring.methodology import N_, Phrase
from grading.scoring.normalizers.base import Normalizer, OpenPoint
from grading.scoring.normalizers.characters import blanker
from grading.scoring.normalizers.chinese_numbers import fold, read_circles, read_digits
from grading.scoring.normalizers.english_numbers import digits_of
from grading.scoring.normalizers.simplified_table import SIMPLIFIED, TRADITIONAL
from grading.scoring.normalizers.tamil_numbers import spell_numbers, western_digits

_FORM = Phrase(N_("Unicode NFKC, then lower case."))
_blank = blanker()
_blank_indian = blanker(group="2,3")
_TO_SIMPLIFIED = str.maketrans(TRADITIONAL, SIMPLIFIED)
# Two spellings that look alike: the vowel sign au typed with the letter ள, and both forms of Sri.
_AU_SIGN = re.compile("\u0bc6\u0bb3(?![\u0bbe-\u0bcd\u0bd7])")
_AU = re.compile("\u0b92\u0bb3(?![\u0bbe-\u0bcd\u0bd7])")
_SRI = ("\u0bb8\u0bcd\u0bb0\u0bc0", "\u0bb6\u0bcd\u0bb0\u0bc0")


def _single(text: str) -> str:
    return " ".join(word for word in text.split(" ") if word)


def rewrite_english(raw: str) -> str:
    """Return words in NFKC and lower case, numbers in digits.

    >>> rewrite_english("Twenty-five kilometers, U.S. 1,000")
    '25 kilometers us 1000'
    """
    return digits_of(_blank(raw))


def rewrite_malay(raw: str) -> str:
    """Return words in NFKC and lower case; number words stay words.

    >>> rewrite_malay("Buku-buku RM1,000!")
    'buku buku rm1000'
    """
    return _blank(raw).replace(".", "")


def rewrite_tamil(raw: str) -> str:
    """Return words in NFKC and lower case, marks kept, the script canonical, numbers in words.

    >>> rewrite_tamil("௧௦ 1,000") == "பத்து ஆயிரம்"
    True
    """
    text = _blank_indian(western_digits(raw)).replace(*_SRI)
    text = _AU.sub("\u0b94", _AU_SIGN.sub("\u0bcc", text))
    return _single(spell_numbers(text).replace(".", " "))


def rewrite_chinese(raw: str) -> str:
    """Return characters in NFKC and lower case, simplified, numerals in digits.

    >>> rewrite_chinese("臺灣，二〇二四年！")
    '台湾 2024年'
    """
    text = _blank(read_circles(raw)).translate(_TO_SIMPLIFIED)
    return _single(fold(read_digits(text)))


_SPACE = OpenPoint(
    Phrase(N_("What becomes of punctuation?")),
    Phrase(
        N_(
            "Apostrophes and points join what stands beside them, commas between groups of digits go, everything else is a blank. Outer blanks go, inner ones are single."
        )
    ),
    ("don't", "U.S.", "1,000", "3.5", "buku-buku", "10:30", "« a / b »"),
)

ENGLISH = Normalizer(
    name="fleurs-en-1",
    version="1.0.0",
    languages=("en",),
    removes_space=False,
    rules=(
        _FORM,
        Phrase(N_("Punctuation and symbols go, English numbers in words become digits.")),
    ),
    open_points=(
        OpenPoint(
            Phrase(N_("Are numbers in words and in digits the same?")),
            Phrase(
                N_(
                    "Yes, by the rules of speko-1, which differs in punctuation and in the normalization form."
                )
            ),
            ("twenty-five", "25th", "one hundred and five", "two thousandth"),
        ),
        OpenPoint(
            Phrase(N_("Are spellings, contractions and fillers rewritten?")),
            Phrase(N_("No: the source names no list of them.")),
            ("colour", "it's", "um"),
        ),
        _SPACE,
    ),
    rewrite=rewrite_english,
)
MALAY = Normalizer(
    name="fleurs-ms-1",
    version="1.0.0",
    languages=("ms",),
    removes_space=False,
    rules=(_FORM, Phrase(N_("Punctuation and symbols go; numbers are left as they are."))),
    open_points=(
        OpenPoint(
            Phrase(N_("Are Malay numbers in words made digits?")),
            Phrase(N_("No: the source names no such rule. Repeated words lose their hyphen.")),
            ("dua puluh", "20", "Buku-buku"),
        ),
        _SPACE,
    ),
    rewrite=rewrite_malay,
)
TAMIL = Normalizer(
    name="fleurs-ta-1",
    version="1.0.0",
    languages=("ta",),
    removes_space=False,
    rules=(
        _FORM,
        Phrase(
            N_(
                "Combining marks are kept, the script is made canonical, punctuation goes, and numbers are spelled in Tamil."
            )
        ),
    ),
    open_points=(
        OpenPoint(
            Phrase(N_("What is canonical?")),
            Phrase(
                N_(
                    "Vowel signs of two parts are one character, joiners go, the letter ள typed for the second part of au becomes the sign, and Sri is written with ஶ."
                )
            ),
            ("கொ", "க\u0bc6\u0bbe", "ஒளவை", "க்\u200dஷ", "ஸ்ரீ"),
        ),
        OpenPoint(
            Phrase(N_("How are numbers spelled?")),
            Phrase(
                N_(
                    "In lakhs and crores, tens apart from units, written in Western, full-width or Tamil digits or in the old Tamil numerals for 10, 100 and 1000; digits of other scripts stay. Numbers with a zero in front or of more than 15 digits are read digit by digit, decimals with புள்ளி. Numbers in words stay as they are."
                )
            ),
            ("1,000", "௧,௦௦௦", "௲", "௨௱௫", "1,00,000", "1999", "3.5", "007", "பத்து"),
        ),
        _SPACE,
    ),
    rewrite=rewrite_tamil,
)
CHINESE = Normalizer(
    name="fleurs-zh-1",
    version="1.0.0",
    languages=("zh",),
    removes_space=True,
    rules=(
        _FORM,
        Phrase(
            N_(
                "Traditional characters become simplified, one by one; punctuation, symbols and white space go; numerals become digits."
            )
        ),
    ),
    open_points=(
        OpenPoint(
            Phrase(N_("How are script variants removed?")),
            Phrase(
                N_(
                    "By a frozen table of single characters, the same for every word: where a traditional character has several simplified forms, the most common one."
                )
            ),
            ("臺灣", "頭髮", "乾坤", "台湾"),
        ),
        OpenPoint(
            Phrase(N_("Are Chinese numerals and digits the same?")),
            Phrase(N_("Yes, by the rules of yue-1. Words for money stay.")),
            ("二零二四年", "两千六", "十三万五", "百分之五十", "三百元"),
        ),
    ),
    rewrite=rewrite_chinese,
)
