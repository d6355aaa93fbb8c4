"""The sentences of problems with rows of measurements; `messages` takes them in."""

from __future__ import annotations

from grading.scoring.methodology import N_

ROW_TEMPLATES: dict[str, str] = {
    "DUPLICATE_FIELD_NAME": N_(
        "The field {field} stands twice: two names are one after normalization. Keep one of them."
    ),
    "FAILED_CLIP_MEASURED": N_(
        "The clip failed, yet the field {field} has a value. A clip that failed has no measurements."
    ),
    "INVALID_FIELD_NAME": N_("A name in {field} is blank or longer than {limit} characters."),
    "MARKS_NOT_TAKEN": N_(
        "The field {field} holds marks, but this competition takes none from files. Take the field out."
    ),
    "MISSING_SAMPLES.items": N_("Missing items ({count} of {of}): {ids}. Send a row for each."),
    "MISSING_SAMPLES.items_unread": N_(
        "Missing items ({count} of {of}): {ids}. {unread} rows could not be read or have no utt_id: mend those first, the missing ones are probably among them."
    ),
    "NO_WHOLE_NUMBER": N_("The field {field} must be a whole number from {low} to {high}."),
    "NUMBER_OUT_OF_RANGE": N_(
        "The field {field} must be a number from {low} to {high} with at most {decimals} decimals."
    ),
    "OTHER_KIND": N_(
        "The row is that of a {found}, and the references have a {wanted} of this id. Correct the row."
    ),
    "REFERENCE_WITHOUT_DIALOGUES": N_(
        "The references of the language {language} have no dialogue to rate."
    ),
    "REFERENCE_WITHOUT_TURNS": N_(
        "The references of the language {language} have no turn whose latency counts."
    ),
    "SCALE_NOT_SET": N_(
        "The field {field} has a value, but the competition sets no scale for it. Take the field out."
    ),
    "TEXT_TO_SPEAK_EMPTY": N_("The text is blank, or nothing is left of it after normalization."),
    "TOO_MANY_VALUES": N_("The field {field} has {count} values, at most {limit} are allowed."),
    "UNKNOWN_CHOICE": N_('The field {field} says "{found}"; it must be one of {choices}.'),
    "UNUSABLE_CHARACTER": N_(
        "The field {field} has a NUL character or half a character. Take it out."
    ),
}

ROW_MEANINGS: dict[str, str] = {
    "DUPLICATE_FIELD_NAME": N_("Two names of fields in a row are one name after normalization."),
    "FAILED_CLIP_MEASURED": N_("A clip that failed has measurements; it can have none."),
    "INVALID_FIELD_NAME": N_("A name of a field is blank or too long."),
    "MARKS_NOT_TAKEN": N_("A row holds marks, which this competition does not take from files."),
    "NO_WHOLE_NUMBER": N_("A value is no whole number, or too small or too large."),
    "NUMBER_OUT_OF_RANGE": N_("A number is too small or too large, or has too many decimals."),
    "OTHER_KIND": N_("A row is of a turn where there is a dialogue, or the other way."),
    "REFERENCE_WITHOUT_DIALOGUES": N_("A language has no dialogue to rate."),
    "REFERENCE_WITHOUT_TURNS": N_("A language has no turn whose latency counts."),
    "SCALE_NOT_SET": N_("A row has a measurement for which the competition sets no scale."),
    "TEXT_TO_SPEAK_EMPTY": N_("A text to be spoken leaves nothing to compare."),
    "TOO_MANY_VALUES": N_("A list or an object in a row is longer than any real one."),
    "UNKNOWN_CHOICE": N_("A field says something that is not among its choices."),
    "UNUSABLE_CHARACTER": N_("A text holds a character that cannot be written in UTF-8, or NUL."),
}
"""Code -> what it means and what to do, in one line."""
