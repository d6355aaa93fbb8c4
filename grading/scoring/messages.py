"""The sentence of every problem, in English and, through a translator, in any language.

TEMPLATES holds all of them, those of waveforms from `wave_sentences`, those of rows of measurements
from `row_sentences`; `N_` marks them for gettext. A template is filled by one pass over its
`{names}`: what a participant wrote is never read as a template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from grading.scoring import registry
from grading.scoring.row_sentences import ROW_TEMPLATES
from grading.scoring.text.shown import show
from grading.scoring.transcript_sentences import TRANSCRIPT_TEMPLATES
from grading.scoring.types import Problem
from grading.scoring.wave_sentences import WAVE_TEMPLATES

Translate = Callable[[str], str]

_NAME = re.compile(r"\{([a-z_0-9]+)\}")


def N_(template: str) -> str:  # noqa: N802 - the marker that gettext's extractor looks for
    """Mark a template for translation; returns it as it is."""
    return template


# A key is CODE, or CODE.reason where params name a reason.
TEMPLATES: dict[str, str] = {
    **WAVE_TEMPLATES,
    **ROW_TEMPLATES,
    **TRANSCRIPT_TEMPLATES,
    "AMBIGUOUS_ARCHIVE": N_(
        "More than one file in the archive could be the submission ({count}): {names}. Send one .jsonl file with one line for each utterance."
    ),
    "ARCHIVE_LITTER_IGNORED": N_("Files that the operating system put in were ignored: {names}."),
    "ARCHIVE_TOO_LARGE.members": N_(
        "The archive is too large: it has {count} entries, at most {limit} are allowed."
    ),
    "ARCHIVE_TOO_LARGE.ratio": N_(
        "The archive would be too large when unpacked: its size grows more than {ratio} times, as no real submission does. Pack the file again."
    ),
    "ARCHIVE_TOO_LARGE.size": N_(
        "The archive is too large when unpacked: the size limit is {limit} bytes."
    ),
    "BAD_ARCHIVE.candidate": N_(
        "The archive holds no .jsonl file, but {names}. Put the one .jsonl file at its top."
    ),
    "BAD_ARCHIVE.checksum": N_(
        "The archive is damaged: the checksum of this file is wrong. Pack it again and upload it again."
    ),
    "BAD_ARCHIVE.control": N_(
        "The name of this file in the archive is empty or has control characters. Rename the file and pack it again."
    ),
    "BAD_ARCHIVE.count": N_(
        "The zip archive is damaged: it says it has {declared} entries and has {found}. Pack it again."
    ),
    "BAD_ARCHIVE.damaged": N_(
        "The archive is damaged: this file cannot be unpacked. Pack it again and upload it again."
    ),
    "BAD_ARCHIVE.directory": N_(
        "The zip archive is damaged or truncated: its directory cannot be read. Pack it again and upload it again."
    ),
    "BAD_ARCHIVE.duplicate": N_(
        "The archive has this name twice (a duplicate entry). Keep one file of each name."
    ),
    "BAD_ARCHIVE.empty": N_(
        "The archive is empty: it has no files. Put the one .jsonl file at its top."
    ),
    "BAD_ARCHIVE.encrypted": N_(
        "The archive is encrypted (password-protected). Pack it without a password."
    ),
    "BAD_ARCHIVE.header": N_(
        "The zip archive is damaged: this entry does not start where the directory says. Pack it again."
    ),
    "BAD_ARCHIVE.kind": N_(
        "This is not a zip archive but {found}. Send the .jsonl file itself or a zip with it."
    ),
    "BAD_ARCHIVE.link": N_(
        "This entry of the archive is a link; links are not followed. Put the file itself in."
    ),
    "BAD_ARCHIVE.long": N_(
        "The name of this file in the archive is too long: more than {limit} characters. Give it a shorter name."
    ),
    "BAD_ARCHIVE.method": N_(
        "This file is packed with the compression {found}, which is not supported. Use plain zip (deflate or stored)."
    ),
    "BAD_ARCHIVE.name": N_(
        'The zip archive is damaged: this entry has two names, the other is "{found}". Pack it again.'
    ),
    "BAD_ARCHIVE.nested": N_(
        "There is an archive ({found}) inside the archive: no zip inside a zip. Put the .jsonl file itself in."
    ),
    "BAD_ARCHIVE.office": N_(
        "This is an Office document (xlsx, docx), not a zip with a submission. Save the rows as JSON Lines."
    ),
    "BAD_ARCHIVE.overlap": N_(
        "The zip archive is damaged or made to mislead: entries overlap, so its size would be too large when unpacked. Pack it again."
    ),
    "BAD_ARCHIVE.path": N_(
        'This path leads out of the archive (an absolute path, or one with ".."). Use plain names without a path.'
    ),
    "BAD_ARCHIVE.size": N_(
        "The zip archive is damaged: the size of this file is given as {declared} bytes, which does not fit the {found} that are there. Pack it again."
    ),
    "BAD_ARCHIVE.special": N_(
        "This entry of the archive is a device, a pipe or the like, not a file. Put the file itself in."
    ),
    "BAD_ARCHIVE.split": N_(
        "This is one part of a split zip archive. Pack everything into one file."
    ),
    "BAD_ARCHIVE.truncated": N_(
        "The zip archive is damaged or cut short (truncated). Upload it again, or pack it again."
    ),
    "BAD_ARCHIVE.zip64": N_(
        "The zip archive is damaged: the sizes of this entry cannot be read. Pack it again."
    ),
    "BYTE_ORDER_MARK": N_(
        "There is a byte order mark (BOM) at the start of the line; it was ignored. Save as UTF-8 without BOM."
    ),
    "DUPLICATE_JSON_KEY": N_(
        'The key "{key}" stands twice in one object (a duplicate). Keep one of them.'
    ),
    "DUPLICATE_UTT_ID": N_(
        "This utt_id stands twice (a duplicate): first on line {first_line}. Keep one row for each utterance."
    ),
    "EMPTY_FILE": N_(
        "The file is empty: every utterance is missing. Send one row for each utterance."
    ),
    "EMPTY_FILE.list": N_(
        "The file holds an empty list or map: every utterance is missing. Send one row for each utterance."
    ),
    "EMPTY_NVV_TAG": N_(
        "There is an empty bracket pair {found} at character {column}. Write a tag's label in it or take it out."
    ),
    "EMPTY_NVV_TAG.hidden": N_("There is an empty bracket pair at character {column}."),
    "EMPTY_PREDICTIONS": N_("The text of every utterance is blank. Was the right file sent?"),
    "EMPTY_REFERENCE": N_("The reference has neither words nor tags."),
    "EMPTY_REFERENCE_TOKENS": N_(
        "The references of the language {language} have neither words nor tags."
    ),
    "EMPTY_REQUIRED_FIELD": N_("The field {field} is blank. Give the id of the utterance."),
    "EMPTY_TEXT": N_("The text is empty; it is scored as an empty text."),
    "EXTRA_FILES_IGNORED": N_("Other files in the archive were ignored: {names}."),
    "FILE_TOO_LARGE": N_(
        "The file has {size} bytes and is too large; at most {limit} bytes are allowed."
    ),
    "FOLDER_IN_ARCHIVE": N_("The file was read from a folder inside the archive."),
    "INVALID_ENCODING.nul": N_(
        "There is a NUL character at byte {offset}. Take it out; the encoding must be UTF-8 text."
    ),
    "INVALID_ENCODING.other": N_(
        "The file's encoding is {found}, found at byte {offset}. Save it as UTF-8."
    ),
    "INVALID_ENCODING.surrogate": N_(
        "There is half a character ({found}, a lone surrogate) at byte {offset}; it cannot be written in UTF-8. Write the whole character."
    ),
    "INVALID_ENCODING.utf8": N_(
        "The line is not UTF-8: byte {offset} of the file cannot be read. Save the file with the encoding UTF-8."
    ),
    "INVALID_FIELD_TYPE": N_(
        "The field {field} must be a {wanted}, but it is of the type {found}."
    ),
    "INVALID_JSON": N_("Not valid JSON at column {column}."),
    "INVALID_JSON.colon": N_("Not valid JSON at column {column}: a colon must follow the key."),
    "INVALID_JSON.comma": N_(
        "Not valid JSON at column {column}: a comma or a closing bracket is missing before it."
    ),
    "INVALID_JSON.constant": N_(
        "Not valid JSON at column {column}: {found} is no JSON value. Write a string, or null where nothing is known."
    ),
    "INVALID_JSON.control": N_(
        "Not valid JSON at column {column}: a control character inside a string must be written as an escape like \\n."
    ),
    "INVALID_JSON.escape": N_(
        "Not valid JSON at column {column}: the backslash starts no escape that JSON knows. Write \\\\ for a backslash."
    ),
    "INVALID_JSON.extra": N_(
        "Not valid JSON at column {column}: something follows the end of the value. Put each object on a line of its own."
    ),
    "INVALID_JSON.key": N_(
        "Not valid JSON at column {column}: a key in double quotes must stand here."
    ),
    "INVALID_JSON.kind": N_(
        "This is not JSON but {found}. Send a .jsonl file, bare or as the one file in a zip."
    ),
    "INVALID_JSON.quotes": N_(
        "Not valid JSON at column {column}: single quotes are not allowed, use double quotes. Write rows with json.dumps, not with str()."
    ),
    "INVALID_JSON.trailing": N_(
        "Not valid JSON at column {column}: nothing follows the comma. Take it out."
    ),
    "INVALID_JSON.unclosed": N_(
        "Not valid JSON at column {column}: the file ends before the list or object does. Was it cut short?"
    ),
    "INVALID_JSON.unterminated": N_(
        "Not valid JSON at column {column}: the string that starts here never ends. Is a closing quote missing?"
    ),
    "INVALID_JSON.value": N_(
        "Not valid JSON at column {column}: a value must stand here, and a string needs double quotes."
    ),
    "INVALID_LANGUAGE": N_('The language "{found}" is not one of {languages}.'),
    "INVALID_UTT_ID.control": N_(
        "This utt_id has a control character. Copy the id from the list of utterances."
    ),
    "INVALID_UTT_ID.long": N_(
        "This utt_id is too long: more than {limit} characters. Copy the id from the list of utterances."
    ),
    "INVALID_UTT_ID.slash": N_(
        "This utt_id has a slash or backslash. Send the id alone, not a path."
    ),
    "JSON_TOO_DEEP": N_("Lists and objects are nested deeper than {limit} levels. Send flat rows."),
    "LANGUAGE_MISMATCH": N_(
        'The field language says "{found}", the reference says "{wanted}"; the reference counts.'
    ),
    "LOOKS_LIKE_TAG": N_(
        "{found} is scored as plain text. If it is meant as a tag, write [{suggestion}]."
    ),
    "MALFORMED_NVV_TAG": N_(
        "There is a bracket without its partner, or one inside another, at character {column}: {found}. Brackets are for tags alone."
    ),
    "MALFORMED_NVV_TAG.hidden": N_(
        "There is a bracket without its partner, or one inside another, at character {column}."
    ),
    "MISSING_REQUIRED_FIELD": N_(
        "The field {field} is missing; the row has these fields: {keys}. A row looks like {row}."
    ),
    "MISSING_SAMPLES": N_(
        "Missing utterances ({count} of {of}): {ids}. Send a row for each, with an empty text if there is none."
    ),
    "MISSING_SAMPLES.unread": N_(
        "Missing utterances ({count} of {of}): {ids}. {unread} rows could not be read or have no utt_id: mend those first, the missing ones are probably among them."
    ),
    "NO_TAGS_READ": N_(
        "No tag was found in the whole file, but what looks like tags in other brackets ({found}). Only the ASCII brackets [ and ] make a tag: without tags the score will be near zero."
    ),
    "NUMBER_TOO_LARGE": N_("There is a number of more than {limit} digits. Take it out."),
    "REFERENCE_LANGUAGE_COVERAGE_ERROR": N_(
        "The references have no utterance of the language {language}; every language must occur."
    ),
    "REFERENCE_WITHOUT_EVENTS": N_("The references of the language {language} have no tag at all."),
    "TEXT_TOO_LONG": N_(
        "The text is too long: {characters} characters, at most {limit} are allowed. Did the system fall into a loop?"
    ),
    "TEXT_WITHOUT_UNITS": N_(
        "Nothing is left of the text after normalization; it is scored as an empty text."
    ),
    "TOO_MANY_ROWS": N_(
        "The file has more than {limit} rows; the rest was not looked at. Send the rows of this competition alone."
    ),
    "TOO_MANY_TAGS": N_(
        "The text has {tags} tags, at most {limit} are allowed. Did the system fall into a loop?"
    ),
    "TRADITIONAL_CHARACTERS": N_(
        "{percent} % of the Chinese characters are traditional ({examples}). Nothing is converted in scoring: the references may be simplified."
    ),
    "UNKNOWN_SAMPLES": N_("Rows with an unknown utt_id were ignored ({count}): {ids}."),
    "UNSUPPORTED_NVV_TAG": N_("{found} at character {column} is no tag of this competition."),
    "UNSUPPORTED_NVV_TAG.hidden": N_(
        "The tag at character {column} is no tag of this competition."
    ),
    "UTT_ID_TRIMMED": N_("Blanks around ids were taken off ({count}): {ids}."),
    "WRONG_SHAPE.object": N_(
        "The file is one object with the keys {keys}. Send a list of rows, or JSON Lines, each with utt_id and text: {row}."
    ),
    "WRONG_SHAPE.row": N_(
        "A row must be an object, but this one is of the type {found}. A row looks like {row}."
    ),
    "WRONG_TRACK.archive": N_(
        "There are audio files in the archive ({count}): {names}. This track takes text: send the .jsonl file of transcripts. WAV files belong to the speech track."
    ),
    "WRONG_TRACK.file": N_(
        "This is an audio file ({found}). This track takes text: send a .jsonl file of transcripts, bare or in a zip. WAV files belong to the speech track."
    ),
}

# Sentences that follow the first one where params ask for them.
SUFFIXES: dict[str, str] = {
    "after": N_('The last readable utterance before it is "{after}".'),
    "count": N_("In this text: {count}."),
    "suggestion": N_("Did you mean [{suggestion}]?"),
    "odd": N_("It has letters that only look like others: {odd}."),
    "hints": N_("Some differ from known ids only a little: {hints}."),
}
DIFFERENCES: dict[str, str] = {
    "case": N_('"{found}" is "{meant}" but for upper and lower case'),
    "spaces": N_('"{found}" is "{meant}" but for spaces'),
    "ending": N_('"{found}" is "{meant}" with a file ending'),
    "form": N_('"{found}" is "{meant}" but for the form of its characters'),
}
PLACES: dict[str, str] = {
    "line": N_("Line {line}: {sentence}"),
    "line_utt_id": N_('Line {line}, utterance "{utt_id}": {sentence}'),
    "utt_id": N_('Utterance "{utt_id}": {sentence}'),
    "member": N_('File "{member}": {sentence}'),
}
_ROW = '{"utt_id": "…", "text_with_nvvs": "…"}'
# These list ids in their own sentence.
_LISTING_CODES = frozenset({"MISSING_SAMPLES", "UNKNOWN_SAMPLES"})
_TAG_CODES = frozenset({"UNSUPPORTED_NVV_TAG", "EMPTY_NVV_TAG", "MALFORMED_NVV_TAG"})


def render(problem: Problem, translate: Translate = str, *, place: bool = True) -> str:
    """Return the sentences of a problem: what is wrong, where, and what to do.

    `translate` is gettext or the like; `place` False leaves out line, file and utterance, for
    tables that have columns for them. The result holds no control characters.

    >>> from grading.scoring.types import Severity
    >>> render(Problem("EMPTY_TEXT", Severity.WARNING, line=3, utt_id="u7"))
    'Line 3, utterance "u7": The text is empty; it is scored as an empty text.'
    """
    values = _values(problem.params, translate)
    sentences = [_template(problem), *_suffixes(problem)]
    whole = " ".join(fill(translate(template), values) for template in sentences)
    if not place or problem.code in _LISTING_CODES:
        return whole
    return _placed(problem, whole, translate)


def fill(template: str, values: Mapping[str, object]) -> str:
    """Return the template with its `{names}` replaced in one pass; unknown names stay."""
    return _NAME.sub(lambda match: str(values.get(match[1], match[0])), template)


def _template(problem: Problem) -> str:
    reason = "hidden" if problem.params.get("hidden") else problem.params.get("reason")
    for key in (f"{problem.code}.{reason}", problem.code):
        found = TEMPLATES.get(key) or registry.template(key)
        if found is not None:
            return found
    raise KeyError(problem.code)


def _suffixes(problem: Problem) -> list[str]:
    params = problem.params
    wanted = [
        params.get("after") is not None,
        problem.code in _TAG_CODES and _is_several(params.get("count")),
        problem.code in _TAG_CODES and params.get("suggestion") is not None,
        bool(params.get("odd")),
        bool(params.get("hints")),
    ]
    return [text for text, is_wanted in zip(SUFFIXES.values(), wanted, strict=True) if is_wanted]


def _is_several(count: object) -> bool:
    return isinstance(count, int) and count > 1


def _values(params: Mapping[str, object], translate: Translate) -> dict[str, str]:
    count = params.get("count")
    values = {"row": _ROW}
    for name, value in params.items():
        if name == "hints" and isinstance(value, Sequence):
            values[name] = "; ".join(_hint(hint, translate) for hint in value)
        elif isinstance(value, list | tuple):
            more = isinstance(count, int) and count > len(value)
            quoted = [str(item) if name == "odd" else f'"{show(str(item))}"' for item in value]
            values[name] = ", ".join([*quoted, "…"] if more else quoted)
        else:
            values[name] = show(str(value))
    return values


def _hint(hint: Mapping[str, str], translate: Translate) -> str:
    shown = {name: show(value) for name, value in hint.items()}
    return fill(translate(DIFFERENCES[hint["differs"]]), shown)


def _placed(problem: Problem, sentence: str, translate: Translate) -> str:
    values: dict[str, object] = {
        "line": problem.line,
        "utt_id": show(problem.utt_id or ""),
        "member": show(problem.member or ""),
        "sentence": sentence,
    }
    parts = [name for name in ("line", "utt_id") if getattr(problem, name) is not None]
    key = "member" if problem.member is not None else "_".join(parts)
    return fill(translate(PLACES[key]), values) if key else sentence
