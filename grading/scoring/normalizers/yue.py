"""The normalizer `yue-1`: Cantonese with English in it."""

from __future__ import annotations

import re

from grading.scoring.methodology import N_, Phrase
from grading.scoring.normalizers.base import Normalizer, OpenPoint
from grading.scoring.normalizers.characters import CURRENCY, blanker
from grading.scoring.normalizers.chinese_numbers import (
    SCALE,
    fold,
    read_circles,
    read_digits,
)

_blank = blanker(CURRENCY)
_has_sign = re.compile(f"[{CURRENCY}]").search
# A run of signs is tried from its start alone, and no longer one goes: no text makes it slow.
_SIGN = re.compile(
    f"(?<![{CURRENCY}])(?<![{CURRENCY}] ) ?(?:(?:(?<![0-9a-z])(?:hk|us|nt) ?)?[{CURRENCY}] ?){{1,9}}+(?=[0-9十廿卄卅卌])"
    f"|(?<=[0-9十廿卄卅卌])(?: ?[{CURRENCY}])++(?! ?[{SCALE}]) ?"
)
_BEFORE = 6  # characters before the first sign that the pattern may take or look at
# What makes another word of 元 or 蚊: places, days, mosquitoes.
_OTHER_WORDS = "朗旦宵素首帥帅老氣气件月年朝始祖子帳帐香型蟲虫咬患"
_UNIT = re.compile(
    f"(?<![0-9])(?<![0-9] )([{SCALE}] ?)?([0-9](?: ?[0-9])*+)"
    f"(?: ?(?:[元蚊](?! ?[{_OTHER_WORDS}])|[{CURRENCY}]))+(?! ?[{SCALE}])"
)


def rewrite(raw: str) -> str:
    """Return letters, marks and numbers in NFKC and lower case, numerals in digits, words apart.

    >>> rewrite("我要 book 兩間 Room，HK$三百五！")
    '我要 book 2間 room 350'
    """
    text = read_digits(_blank(read_circles(raw)))
    text = _part_signs(fold(_part_signs(text)))
    if "元" in text or "蚊" in text:
        text = _UNIT.sub(lambda found: found[0] if found[1] else found[2] + " ", text)
    return " ".join(word for word in text.split(" ") if word)


def _part_signs(text: str) -> str:
    """Return the text with a blank for every sign of currency that stands beside a number."""
    first = _has_sign(text)
    if first is None:
        return text
    start = max(0, first.start() - _BEFORE)
    return text[:start] + _SIGN.sub(" ", text[start:])


NORMALIZER = Normalizer(
    name="yue-1",
    version="1.0.0",
    languages=("yue",),
    removes_space=True,
    rules=(
        Phrase(N_("Unicode NFKC, then lower case. Traditional and simplified are not folded.")),
        Phrase(
            N_(
                "Punctuation and symbols are removed, Chinese numerals become Arabic, currency goes beside a number, fillers stay, and white space is removed last, after words and characters were told apart for the mixed error rate."
            )
        ),
    ),
    open_points=(
        OpenPoint(
            Phrase(N_("Which numerals are folded?")),
            Phrase(
                N_(
                    "All of them, by one rule that does not look at the words around: a digit character is its digit, in any word. Both sides change alike, so a word such as 一齊 is compared as before."
                )
            ),
            (
                "三百",
                "二百零五",
                "廿三",
                "二零二四年",
                "3百",
                "20萬",
                "一齊",
                "三三兩兩",
                "亂七八糟",
                "十分",
            ),
        ),
        OpenPoint(
            Phrase(N_("What does a last digit without a scale count?")),
            Phrase(N_("Tenths of the scale before it, unless a zero stands between them.")),
            ("兩百五", "十三萬五", "一百零五", "三億五"),
        ),
        OpenPoint(
            Phrase(N_("What if no digit stands before a scale?")),
            Phrase(
                N_(
                    "十 is ten. 百, 千 and 萬 count one where a digit follows, as in speech, but not in 萬一; otherwise they are no numbers and stay."
                )
            ),
            ("十二", "千五", "百零五", "萬零五", "萬二", "萬一", "千萬唔好", "百貨", "幾百"),
        ),
        OpenPoint(
            Phrase(N_("Where does one numeral end and the next begin?")),
            Phrase(
                N_(
                    "A digit belongs to the scale behind it. Punctuation and white space tell nothing: texts that differ in them alone are equal."
                )
            ),
            ("三、四百", "二十，三十", "三 百", "一百二百"),
        ),
        OpenPoint(
            Phrase(N_("How are percentages, fractions and decimals read?")),
            Phrase(
                N_(
                    "百分之 before a number goes, as the sign does. Other fractions stay. A decimal before 萬 or 億 is worked out, before 百 or 千 if it is written with a point; elsewhere the point is removed, and so is the one of decimals that a scale leaves over. 點 stays, since it also tells the time."
                )
            ),
            (
                "百分之五十",
                "50%",
                "三百分之一",
                "½",
                "3.5萬",
                "三點五萬",
                "3.14159萬",
                "3.1千",
                "3.14",
                "三點一四",
            ),
        ),
        OpenPoint(
            Phrase(N_("What is currency?")),
            Phrase(
                N_(
                    "Signs beside a number (with HK, US or NT before them), and 元 or 蚊 behind one, unless the next character makes another word of them."
                )
            ),
            ("300元", "三百蚊", "HK$300", "元朗", "公元", "蚊子", "2024元旦", "係$嚟"),
        ),
        OpenPoint(
            Phrase(N_("Are the numerals of accounts folded?")),
            Phrase(
                N_(
                    "Only in pairs of a digit and a scale, since each alone is a part of ordinary words. A circle beside a numeral is a zero; with white space between it is a symbol and goes."
                )
            ),
            ("壹仟零伍", "參加", "大陸", "二○二四", "二 ○ 二四"),
        ),
        OpenPoint(
            Phrase(N_("What parts words before white space goes?")),
            Phrase(
                N_(
                    "White space and all punctuation but apostrophes and points, which join. It matters to the mixed error rate alone."
                )
            ),
            ("OK，thanks", "don't", "U.S.A.", "我要 book 一間 room"),
            keeps_blanks=True,
        ),
    ),
    rewrite=rewrite,
)
