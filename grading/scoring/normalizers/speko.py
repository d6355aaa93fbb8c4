"""The normalizer `speko-1`: English read speech, formatting disagreements removed."""

from __future__ import annotations

from grading.scoring.methodology import N_, Phrase
from grading.scoring.normalizers.base import Normalizer, OpenPoint
from grading.scoring.normalizers.characters import DASHES, SLASHES, stripper
from grading.scoring.normalizers.english_numbers import digits_of

# The point of a decimal number is needed until "1.5 million" is read; then it goes as well.
_strip = stripper(DASHES + SLASHES)


def rewrite(raw: str) -> str:
    """Return the words in NFC and lower case, without punctuation, numbers in digits.

    >>> rewrite("Don’t! The well-known twenty-first and/or 105th")
    'dont the well known 21 and or 105'
    """
    return digits_of(_strip(raw))


NORMALIZER = Normalizer(
    name="speko-1",
    version="1.0.0",
    languages=("en",),
    removes_space=False,
    rules=(
        Phrase(N_("Unicode NFC, then lower case.")),
        Phrase(
            N_(
                "Hyphens, dashes and slashes become blanks, apostrophes are deleted, ordinals in digits lose their ending, all other punctuation and symbols are removed, and English numbers in words become digits."
            )
        ),
    ),
    open_points=(
        OpenPoint(
            Phrase(N_("How are years and times read?")),
            Phrase(
                N_(
                    "Two numbers of two digits that follow each other become one of four digits, but for an ordinal, which stays apart. Single digits that follow each other stay apart."
                )
            ),
            (
                "nineteen ninety nine",
                "twenty twenty-four",
                "nineteen oh five",
                "nineteen eighty-fourth",
                "nine one one",
            ),
        ),
        OpenPoint(
            Phrase(N_("Is “oh” a zero?")),
            Phrase(
                N_(
                    "Only between a number of two digits and a digit, and behind a number and “point”. Alone, and behind “point” without a number before it, it stays a word."
                )
            ),
            ("oh five", "three point oh five", "point oh five"),
        ),
        OpenPoint(
            Phrase(N_("Which ordinals are numbers?")),
            Phrase(
                N_(
                    "All of them, “first” and “second” too, wherever they stand, so that “2nd” and “second” are never told apart. Plurals such as “seconds” and “thirds” stay words."
                )
            ),
            ("wait a second", "the thirty-first of May", "105th", "thirty seconds"),
        ),
        OpenPoint(
            Phrase(N_("How are decimals read?")),
            Phrase(
                N_(
                    "A number, “point” and digits are one number, as is “and a half”; its point is removed like all punctuation. Before a scale its value is worked out."
                )
            ),
            ("three point one four", "3.14", "two and a half", "2.5", "1.5 million"),
        ),
        OpenPoint(
            Phrase(N_("What do scales count?")),
            Phrase(
                N_(
                    "Words and digits alike. Alone a scale counts one, and “a” before it goes. “And” joins only what is smaller than the last scale. A plural counts only behind a number."
                )
            ),
            (
                "20 thousand",
                "a hundred and five",
                "between one hundred and two hundred",
                "five hundred and twenty thousand",
                "hundreds of people",
            ),
        ),
        OpenPoint(
            Phrase(N_("Is punctuation removed or a blank?")),
            Phrase(
                N_(
                    "Removed, and what stood beside it stands together; only hyphens, dashes and slashes part words."
                )
            ),
            ("1,000", "$5", "U.S.", "AT&T", "and/or", "3:30"),
        ),
        OpenPoint(
            Phrase(N_("Which signs are apostrophes?")),
            Phrase(
                N_(
                    "Straight, curly and reversed ones, primes, grave and acute accents that stand alone, and the modifier letter."
                )
            ),
            ("don't don’t donʼt", "don`t don´t"),
        ),
        OpenPoint(
            Phrase(N_("What does NFC leave?")),
            Phrase(
                N_(
                    "Ligatures, fractions and full-width digits stay as they are and differ from their plain forms. Accents are kept."
                )
            ),
            ("ﬁne", "½", "１２", "cafe\u0301"),
        ),
    ),
    rewrite=rewrite,
)
