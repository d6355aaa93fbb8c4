"""Each rule on texts worked out by hand."""

from __future__ import annotations

import pytest

from grading.scoring.normalizers import get
from grading.scoring.normalizers.tamil_numbers import spell

YUE = {
    "三百": "300", "兩百五": "250", "二百零五": "205", "廿三": "23", "卅": "30", "卌": "40",
    "千五": "1500", "百廿": "120", "千二百蚊": "1200", "萬二": "12000", "百五萬": "1500000",
    "3百": "300", "20萬": "200000", "2萬500": "20500", "3.5萬": "35000", "十三點五萬": "135000",
    "1億2千3百萬": "123000000", "一萬億": "1000000000000", "一千萬": "10000000", "三億五": "350000000",
    "三百五千": "3005000", "五十一百": "50100", "二百五六": "256", "一二三": "123",
    "百分之百": "100", "百分之 3.5": "35", "百分之幾": "百分之幾", "三百分之一": "300分之1",
    "$300": "300", "US$三百": "300", "三百 元": "300", "五蚊十個": "510個", "5蚊百貨": "5蚊百貨",
    "三百元朗人": "300元朗人", "蚊子三百": "蚊子300", "百幾蚊": "百幾蚊", "一齊": "1齊",
    "壹拾万零叁仟肆佰伍拾叁": "103453", "大陸": "大陸", "大陸萬人": "大陸萬人", "壹萬元": "10000", "陆万伍仟零柒拾叁": "65073", "壹亿零壹": "100000001", "收拾": "收拾", "伍佰": "500",
    "3.14159萬": "314159", "三點一四一五九萬": "314159", "3.123456789億": "3123456789", "0.00001萬": "01",
    "3.1千": "3100", "3.5千米": "3500米", "三點十分": "3點10分", "三點一千": "3點1000",
    "萬零五": "10005", "萬零一": "10001", "萬一": "萬1", "萬零五百": "10500", "萬零十": "10010",
    "萬零零五": "萬005", "千萬零五": "千萬05", "億零五": "億05",
    "三○○": "300", "○": "", "㊀": "1", "⼀二": "12", "嗯我知": "嗯我知", "C++": "c", "e-mail": "email",
}  # fmt: skip
SPEKO = {
    "twenty first": "21", "twenty-first": "21", "one hundred and five": "105",
    "two thousand and six": "2006", "20th": "20", "1,000th": "1000", "x20th": "x20th",
    "thousand nine hundred twenty": "1920", "seventy five thousands": "75000",
    "one billion twenty five millions": "1025000000", "two thousand five thousand": "2000 5000",
    "five thousand million": "5000000000", "one two three": "1 2 3", "one hundredth": "100",
    "half a million": "half 1000000", "a few": "a few", "first hundreds": "100",
    "0 hundreds": "0 hundreds", "007 thousand": "7000", "1234567890123456 million": "1234567890123456000000",
    "twenty one hundred": "2100", "ten thirty": "1030", "twenty twenty thousand": "20 20000",
    "nineteen eighty-fourth": "19 84", "1984th": "1984", "point oh five": "point oh 5",
    "two zero": "2 0", "three point": "3 point", "the point is": "the point is",
    "don't well—known and/or": "dont well known and or", "İstanbul": "i̇stanbul", "ﬁne ½ １２": "ﬁne ½ １２",
    "£5 & 10%": "5 10", "\u1100'\u1161": "\uac00", "donʼt": "dont",
}  # fmt: skip
A5S = {
    "Don’t, DON'T, dont!": "dont dont dont",
    "one—two / three": "one two three",
    "ＡＢＣ  １２３": "abc 123",
    "1,000": "1 000",
    "twenty-first 20th": "twenty first 20th",
    "‘tis": "tis",
    "\u210d\u0331x": "h x",
    "½": "1 2",
}
ENGLISH = {
    "Twenty-five kilometres, U.S.!": "25 kilometres us",
    "ﬁne １２": "fine 12",
    "3:30": "3 30",
    "1,000,000": "1000000",
    "1,2": "1 2",
    "it's": "its",
    "2.5 million": "2500000",
}
MALAY = {
    "Buku-buku RM1,000.50!": "buku buku rm100050",
    "dua puluh": "dua puluh",
    "al-Qur'an": "al quran",
}
CHINESE = {
    "臺灣，二〇二四年！": "台湾2024年",
    "头发 頭髮": "头发头发",
    "两千六": "2600",
    "三百元": "300元",
    "Hello 世界": "hello世界",
}
TAMIL = {
    "வேகவைக்கப்பட்ட": "வேகவைக்கப்பட்ட",
    "க\u0bc6\u0bbe": "\u0b95\u0bca",
    "\u0b95\u0bc6\u0bb3": "\u0b95\u0bcc",
    "வெள்ளை வெளி": "வெள்ளை வெளி",
    "ஸ்ரீ": "ஶ்ரீ",
    "1,000": "ஆயிரம்", "௧,௦௦௦": "ஆயிரம்", "௲": "ஆயிரம்", "௧௦௦௦": "ஆயிரம்",
    "௰": "பத்து", "௱": "நூறு", "௨௱௫": "இருநூற்று ஐந்து", "௲௯௱௯௰௯": "ஆயிரத்து தொள்ளாயிரத்து தொண்ணூற்று ஒன்பது",
    "3.5": "மூன்று புள்ளி ஐந்து", "10வது": "பத்து வது", "1.2.3": "ஒன்று இரண்டு மூன்று",
    "12,34,567": "பன்னிரண்டு லட்சத்து முப்பத்து நான்காயிரத்து ஐநூற்று அறுபத்து ஏழு",
}  # fmt: skip
RULES = [
    *((name, raw, wanted) for name, table in (
        ("yue-1", YUE), ("speko-1", SPEKO), ("a5s-1", A5S), ("fleurs-en-1", ENGLISH),
        ("fleurs-ms-1", MALAY), ("fleurs-zh-1", CHINESE), ("fleurs-ta-1", TAMIL),
    ) for raw, wanted in table.items()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "raw", "wanted"), RULES)
def test_text(name: str, raw: str, wanted: str) -> None:
    assert get(name).text(raw) == wanted


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("我要 book 一間 room", "我要 book 1間 room"),
        ("OK，thanks", "ok thanks"),
        ("check 三 百 in 先", "check 300 in 先"),
        ("打 5 1 2", "打 5 1 2"),
        ("HK$300 cash", "300 cash"),
    ],
)
def test_blanks_stay_for_the_mixed_error_rate(raw: str, wanted: str) -> None:
    assert get("yue-1").spaced(raw) == wanted


def test_blanks_and_punctuation_say_nothing_in_cantonese() -> None:
    text = get("yue-1").text
    assert text("三 百, 五 蚊") == text("三百五蚊") == "350"


# Spelled by hand, in the order of the digits.
@pytest.mark.parametrize(
    ("digits", "wanted"),
    [
        ("0", "பூஜ்ஜியம்"),
        ("19", "பத்தொன்பது"),
        ("21", "இருபத்து ஒன்று"),
        ("90", "தொண்ணூறு"),
        ("101", "நூற்று ஒன்று"),
        ("900", "தொள்ளாயிரம்"),
        ("905", "தொள்ளாயிரத்து ஐந்து"),
        ("2024", "இரண்டாயிரத்து இருபத்து நான்கு"),
        ("5000", "ஐயாயிரம்"),
        ("21000", "இருபத்து ஒன்றாயிரம்"),
        ("100001", "ஒரு லட்சத்து ஒன்று"),
        ("10000000", "ஒரு கோடி"),
        ("20000003", "இரண்டு கோடியே மூன்று"),
        ("00", "பூஜ்ஜியம் பூஜ்ஜியம்"),
    ],
)
def test_tamil_numbers(digits: str, wanted: str) -> None:
    assert spell(digits) == wanted
