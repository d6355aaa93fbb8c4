"""The normalizer `a5s-1`: the transform of the A5S protocol, nothing rewritten."""

from __future__ import annotations

from grading.scoring.methodology import N_, Phrase
from grading.scoring.normalizers.base import Normalizer, OpenPoint
from grading.scoring.normalizers.characters import alphanumeric

# The three of the protocol; any other sign that looks like one becomes a blank.
_APOSTROPHES = dict.fromkeys(map(ord, "'\u2019`"))


def rewrite(raw: str) -> str:
    """Return letters and numbers in NFKC and lower case; all else is a blank, apostrophes nothing.

    >>> rewrite("Don’t stop — ＡＢＣ 1,000!")
    'dont stop abc 1 000'
    """
    return alphanumeric(raw, _APOSTROPHES)


NORMALIZER = Normalizer(
    name="a5s-1",
    version="1.0.0",
    languages=("en",),
    removes_space=False,
    rules=(
        Phrase(N_("Unicode NFKC, then lower case.")),
        Phrase(N_("Straight and curly apostrophes and backticks are removed.")),
        Phrase(
            N_(
                "Every other character that is neither alphanumeric nor white space becomes a blank; blanks are collapsed. Numbers, abbreviations, spellings and fillers are left alone."
            )
        ),
    ),
    open_points=(
        OpenPoint(
            Phrase(N_("Which characters are alphanumeric?")),
            Phrase(
                N_(
                    "Those of the classes letter and number. A combining mark is neither and becomes a blank, so scripts that need marks must not be scored with it."
                )
            ),
            ("café", "x\u0304 bar", "½ cup", "நாள்"),
        ),
        OpenPoint(
            Phrase(N_("Which signs are apostrophes?")),
            Phrase(
                N_(
                    "The three that the protocol names. An opening quotation mark and a prime become a blank."
                )
            ),
            ("don't don’t don`t", "‘tis", "5′"),
        ),
        OpenPoint(
            Phrase(N_("What if letters meet where an apostrophe was?")),
            Phrase(
                N_(
                    "NFKC is applied once more, so that a normalized text stays as it is when it is normalized again. Only Hangul letters ever differ by it."
                )
            ),
            ("\u1100'\u1161",),
        ),
    ),
    rewrite=rewrite,
)
