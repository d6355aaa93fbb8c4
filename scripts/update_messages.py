"""Brings locale/zh_Hans up to what the sources say: new texts come in empty, old ones go.

    python scripts/extract_messages.py && python scripts/update_messages.py

Then translate the empty entries by docs/glossary-zh.md and run scripts/make_traditional.py. Nothing is
guessed: a text that changed is a new text. Texts that entrants never see are left out (`is_apart`).
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.extract_messages import collect  # noqa: E402 - the repository is no package

SIMPLIFIED = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
TRADITIONAL = ROOT / "locale" / "zh_Hant" / "LC_MESSAGES" / "django.po"
HEAD = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: {locale}\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

"""


APART = (
    "console",
    "/admin.py",
    "/management/",
    "/services/keeping/",
    "grading/integrity_forms.py",
    "grading/judging_forms.py",
    "grading/rating_forms.py",
    "grading/rescoring_forms.py",
    "grading/views/announcing.py",
    "grading/views/direction.py",
    "grading/views/entrants.py",
    "grading/views/deadlines.py",
    "grading/templatetags/names.py",
    "grading/views/judging",
    "grading/views/places.py",
    "grading/views/rating_setup.py",
    "grading/views/rating_work.py",
    "grading/views/rescoring",
    "templates/grading/partials/final_systems",
    "templates/grading/partials/judging_",
    "templates/grading/partials/rating_",
    "templates/grading/partials/rescoring",
)
"""The organizer's console, Django's admin and the commands, with what only they use: in English."""


def is_apart(path: str) -> bool:
    """Return whether only organizers and administrators read the texts of a file."""
    return any(part in path for part in APART)


def seen_by_entrants() -> Catalog:
    """Return every text of the product that stands in a file which is not apart."""
    catalog = Catalog(charset="utf-8")
    for message in collect():
        if message.id and not all(is_apart(path) for path, _line in message.locations):
            catalog.add(message.id, context=message.context, flags=message.flags)
    return catalog


def loaded(path: Path) -> Catalog:
    """Return the catalog of a file; an empty one when there is none."""
    locale = path.parts[-3]
    if not path.exists():
        return Catalog(locale=locale, charset="utf-8")
    with path.open("rb") as handle:
        return read_po(handle, locale=locale)


def texts_of(message: Message) -> tuple[str, ...]:
    """Return the translations of a message, one for each plural form; Chinese has one."""
    text = message.string or ""
    return (text,) if isinstance(text, str) else tuple(text)


def merged(wanted: Catalog, known: Catalog) -> Catalog:
    """Return the wanted texts with the translations that are known."""
    catalog = Catalog(locale=known.locale, charset="utf-8")
    for message in wanted:
        if not message.id:
            continue
        old = known.get(message.id, message.context)
        text = texts_of(old)[0] if old is not None else ""
        string = text if isinstance(message.id, str) else (text,)
        catalog.add(message.id, string, context=message.context, flags=message.flags)
    return catalog


def rendered(catalog: Catalog, locale: str) -> bytes:
    """Return the bytes of a language's file: in the order of the sources, without dates or places."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, omit_header=True, no_location=True, width=0)
    return HEAD.format(locale=locale).encode() + buffer.getvalue().lstrip(b"\n")


def main() -> int:
    """Write the file and tell how many entries wait for a translation."""
    catalog = merged(seen_by_entrants(), loaded(SIMPLIFIED))
    SIMPLIFIED.parent.mkdir(parents=True, exist_ok=True)
    SIMPLIFIED.write_bytes(rendered(catalog, "zh_Hans"))
    empty = sum(not all(texts_of(message)) for message in catalog if message.id)
    print(f"{len(catalog)} texts in {SIMPLIFIED.relative_to(ROOT)}, {empty} wait for a translation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
