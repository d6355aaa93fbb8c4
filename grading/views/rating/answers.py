"""What a form sends, read: marks, what was heard of each vocalization, the comment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from grading.scoring.rating.forms import form_of
from grading.services.ratings.answers import Answer

NUL, SIGN = "\0", "\ufffd"
PLAYS = ("plays", "plays2")
"""The fields that say how often each sound was heard in full, in their order."""
DRAFT_FIELDS = frozenset({"absent", "note", "at", *PLAYS})
MOST_PLAYS = 10_000


def sent(request: HttpRequest) -> dict[str, str]:
    """Return the fields of a form, the last of each name; no database holds a NUL, so none is in it."""
    return {name: str(value).replace(NUL, SIGN) for name, value in request.POST.items()}


def marks_in(fields: Mapping[str, Any], form: str) -> dict[str, object]:
    """Return the marks as they were sent; the box "absent" stands for A and P at 0.

    What is not there is not in the result: the service names it.
    """
    letters = form_of(form).letters
    marks: dict[str, object] = {letter: fields[letter] for letter in letters if letter in fields}
    if fields.get("absent") == "on" and "A" in letters:
        marks |= {"A": "0", "P": "0"}
    return marks


def answer_in(fields: Mapping[str, Any], form: str, targets: int) -> Answer:
    """Return an answer as a form sent it, with what it says of each of its `targets`."""
    return Answer(
        uuid=str(fields.get("uuid", "")),
        marks=marks_in(fields, form),
        placements=[str(fields.get(f"t{number}", "")) for number in range(1, targets + 1)],
        note=str(fields.get("note", "")).strip(),
        plays=min(plays_in(fields, field) for field in PLAYS[: form_of(form).sounds]),
    )


def plays_in(fields: Mapping[str, Any], field: str) -> int:
    """Return how often a sound was heard in full, 0 where that is not told."""
    given = str(fields.get(field, ""))
    is_number = given.isascii() and given.isdigit() and len(given) <= len(str(MOST_PLAYS))
    return min(int(given), MOST_PLAYS) if is_number else 0


def draft_in(fields: Mapping[str, Any], form: str, targets: int) -> dict[str, str]:
    """Return what is kept of a form that is not sent yet: its own fields, as texts."""
    known = {
        *form_of(form).letters,
        *DRAFT_FIELDS,
        *(f"t{number}" for number in range(1, targets + 1)),
    }
    return {name: str(fields[name]) for name in sorted(known & set(fields))}
