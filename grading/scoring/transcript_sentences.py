"""The sentences of problems with rows of recognition tracks; `messages` takes them in."""

from __future__ import annotations

from grading.scoring.methodology import N_

TRANSCRIPT_TEMPLATES: dict[str, str] = {
    "FAILED_ROW": N_(
        "The row says that the run failed here. A run with failed rows is not scored: run this utterance again and send its text."
    ),
    "FAILED_ROW.said": N_(
        'The row says that the run failed here: "{found}". A run with failed rows is not scored: run this utterance again and send its text.'
    ),
    "INVALID_CORPUS": N_('The corpus "{found}" is not one of {corpora}.'),
    "INVALID_NAME": N_(
        "The field {field} must hold 1 to {limit} characters, none of them a control character."
    ),
    "INVALID_TRIAL": N_("The field trial must be a whole number from 1 to {limit}, not {found}."),
    "LANGUAGE_NOT_SENT": N_(
        "No utterance of the language {language} has a row ({count}). The rest is scored, but only systems with every language take a place."
    ),
    "OTHER_TRIALS_LEFT_OUT": N_(
        "Rows of other trials than 1 were checked and are not scored ({rows} rows; trials {trials})."
    ),
    "REFERENCE_CORPUS_COVERAGE_ERROR": N_(
        "The references have no utterance of the corpus {corpus}; every corpus must occur."
    ),
    "REFERENCE_WITHOUT_TOKENS": N_(
        "Nothing is left of the references of {part} after normalization; a rate cannot be divided by nothing."
    ),
    "UNEVEN_FIELD": N_(
        "This row has the field {field} and the first one has not. Write it in every row or in none."
    ),
}

TRANSCRIPT_MEANINGS: dict[str, str] = {
    "FAILED_ROW": N_("A row says that the run failed there; a run with failed rows is not scored."),
    "INVALID_CORPUS": N_("A reference names a corpus that the competition does not have."),
    "INVALID_NAME": N_("The name of a language or corpus is blank, too long, or cannot be shown."),
    "INVALID_TRIAL": N_("The trial of a row is no whole number, or too large."),
    "LANGUAGE_NOT_SENT": N_("A whole language has no rows; the system then takes no place."),
    "OTHER_TRIALS_LEFT_OUT": N_("Only trial 1 is scored; rows of other trials were left out."),
    "REFERENCE_CORPUS_COVERAGE_ERROR": N_("A corpus of the competition has no reference."),
    "REFERENCE_WITHOUT_TOKENS": N_("A part of the references has nothing to divide by."),
    "UNEVEN_FIELD": N_("Some rows have a field that others have not."),
}
"""Code -> what it means and what to do, in one line."""
