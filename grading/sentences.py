"""Sentences of the pure scorer in the reader's language: problems, their meaning, methodology."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from competition.languages import language_named
from grading.scoring import messages, registry
from grading.scoring.methodology import Phrase, Term, Tongue
from grading.scoring.types import Problem

MEANINGS: dict[str, Any] = {
    "INVALID_JSON": _("A line is not JSON. Write it with a JSON library, one object a line."),
    "WRONG_SHAPE": _("A row is not an object with an utt_id and a text."),
    "JSON_TOO_DEEP": _("Objects are nested too deeply; a row is flat."),
    "NUMBER_TOO_LARGE": _("A number has too many digits."),
    "EMPTY_FILE": _("There are no rows in the file."),
    "BAD_ARCHIVE": _("The archive cannot be read. Send a plain zip with one .jsonl, or no zip."),
    "AMBIGUOUS_ARCHIVE": _("The archive holds several candidate files. Leave one."),
    "WRONG_TRACK": _("This looks like the files of another track."),
    "MISSING_SAMPLES": _("Utterances of this phase have no row. Every one must be there."),
    "UNKNOWN_SAMPLES": _("Rows with ids that are not in this phase; they are ignored."),
    "MISSING_REQUIRED_FIELD": _("A row lacks utt_id or another field that every row has."),
    "INVALID_FIELD_TYPE": _("A field is not of the type that it must have."),
    "EMPTY_REQUIRED_FIELD": _("An utt_id is blank."),
    "INVALID_UTT_ID": _("An utt_id has characters that ids never have."),
    "DUPLICATE_UTT_ID": _("An utterance comes twice; leave one of the rows."),
    "DUPLICATE_JSON_KEY": _("A row has the same key twice."),
    "EMPTY_TEXT": _("A text is blank; it is scored as empty."),
    "EMPTY_PREDICTIONS": _("Every text is blank."),
    "TEXT_WITHOUT_UNITS": _("A text has nothing left after normalization; it is scored as empty."),
    "INVALID_ENCODING": _("The file is not UTF-8. Save it as UTF-8."),
    "BYTE_ORDER_MARK": _("The file begins with a byte order mark; it is ignored."),
    "TEXT_TOO_LONG": _("A text is longer than the phase allows."),
    "TOO_MANY_TAGS": _("A text has more tags than the phase allows."),
    "TOO_MANY_ROWS": _("The file has more rows than can be read."),
    "FILE_TOO_LARGE": _("The file is larger than the phase allows."),
    "ARCHIVE_TOO_LARGE": _("The archive unpacks to more than the phase allows."),
    "TRADITIONAL_CHARACTERS": _("zh texts hold traditional characters; nothing is converted."),
    "UNSUPPORTED_NVV_TAG": _("A tag is not one of the labels. Use the label's exact name."),
    "EMPTY_NVV_TAG": _("A tag is empty."),
    "MALFORMED_NVV_TAG": _("A bracket is not closed, not opened, or stands inside another one."),
    "NO_TAGS_READ": _("No row has a tag, only look-alikes: the score will be near zero."),
    "LOOKS_LIKE_TAG": _("Looks like a tag, but only ASCII brackets make one; read as text."),
    "LANGUAGE_MISMATCH": _("A language field disagrees with the phase; the phase's counts."),
    "UTT_ID_TRIMMED": _("Blanks around an utt_id were dropped."),
    "ARCHIVE_LITTER_IGNORED": _("Files that systems put into archives were ignored."),
    "EXTRA_FILES_IGNORED": _("Other files in the archive were ignored."),
    "WAV_FORMAT": _("A sound is not a WAV file of 16-bit PCM, mono, 16 kHz. Convert it."),
    "WAV_DURATION": _("A clip is shorter or longer than the phase allows."),
    "WAV_TRUNCATED": _("A WAV file has fewer bytes than its header declares. Write it again."),
    "WAV_EMPTY": _("A WAV file holds no samples."),
    "WAV_SILENT": _("A clip is silent; it is accepted, but nothing will be heard in it."),
    "WAV_CLIPPED": _("A clip is distorted because it is too loud; it is accepted."),
    "WAV_DC_OFFSET": _("The samples of a clip are not centered; it is accepted."),
    "SCREEN_BANDWIDTH": _("A clip has no high frequencies; this decides nothing."),
    "SCREEN_CLIPPED": _("A clip is clipped in many places; this decides nothing."),
    "SCREEN_SILENCE": _("Most of a clip is silence; this decides nothing."),
    "SCREEN_SPEECH": _("A clip has hardly any speech; this decides nothing."),
    "SCREEN_ZEROS": _("A clip has a long stretch of digital zeros; this decides nothing."),
    "FOLDER_IN_ARCHIVE": _("The file lies in a folder of the archive; it was read."),
}
"""Code of a problem -> what it means and what to do, in one line."""
SOUND_MEANINGS: dict[str, Any] = {
    "BAD_ARCHIVE": _("The archive cannot be read, or holds what does not belong there."),
    "MISSING_SAMPLES": _("Utterances of this phase have no file. Every one must be there."),
    "UNKNOWN_SAMPLES": _("Files that belong to no utterance of this phase; they are ignored."),
    "INVALID_UTT_ID": _("The name of a file is no name of an utterance."),
    "DUPLICATE_UTT_ID": _("An utterance comes twice; leave one of the files."),
    "EMPTY_FILE": _("The file is empty."),
    "FOLDER_IN_ARCHIVE": _("All clips lie in one folder of the archive; they were read."),
}
"""The same, where a code means another thing in an archive of clips."""


TAG_CODES = frozenset({"UNSUPPORTED_NVV_TAG", "EMPTY_NVV_TAG", "MALFORMED_NVV_TAG"})


def sentence(problem: Problem) -> str:
    """Return what was found, in the reader's language, without its place and "did you mean".

    Tables have columns for both. Participants' text is never a template.
    """
    if problem.code in TAG_CODES:
        params = {key: value for key, value in problem.params.items() if key != "suggestion"}
        problem = replace(problem, params=params)
    return messages.render(problem, gettext, place=False)


def meaning(code: str, *, of_sounds: bool = False) -> str:
    """Return what a code means and what to do; empty for one that has no such line."""
    known = MEANINGS | SOUND_MEANINGS if of_sounds else MEANINGS
    return str(known.get(code, "")) or _own(registry.meaning(code))


def _own(sentence: str) -> str:
    return gettext(sentence) if sentence else ""


def phrase(text: str) -> str:
    """Return a text of the methodology page in the reader's language."""
    if not isinstance(text, Phrase):
        return text
    translated = gettext(text.template)
    values = {name: _named(value) for name, value in text.values.items()}
    return translated % values if values else translated


def _named(value: object) -> object:
    """Return a language by its name and a term in the reader's language; other values as they are."""
    if isinstance(value, Term):
        return gettext(value)
    return language_named(value) if isinstance(value, Tongue) else value
