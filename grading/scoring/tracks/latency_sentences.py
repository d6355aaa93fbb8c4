"""The sentences of `latency`: problems with rows, what they mean, and why a figure is withheld."""

from __future__ import annotations

from types import MappingProxyType

from grading.scoring.methodology import N_
from grading.scoring.tracks.latency_figures import (
    CLIP_TOO_SHORT,
    CLIPS_NOT_MEASURED,
    LEG_MISSING,
    NOT_MEASURED,
    NOT_WANTED,
    ONE_FOR_ALL_LANGUAGES,
    RUNS_MISSING,
    TOO_MANY_RUNS,
)
from grading.scoring.tracks.latency_resampling import RUNS_NOT_RESAMPLED, TOO_MANY_TO_RESAMPLE

MESSAGES = MappingProxyType(
    {
        "BLANK_PROVENANCE": N_("The field {field} is blank. Say where the measurements come from."),
        "CORRECTS_WHAT_CAME_LATER": N_(
            "The field {field} names {found}, which is after the day of the measurement, {date}. A measurement corrects an earlier one."
        ),
        "DUPLICATE_MEASUREMENT": N_(
            "This measurement ({found}) of the utterance stands twice: first on line {first_line}. Keep one row."
        ),
        "DUPLICATE_PROVENANCE": N_(
            "There is a second provenance for the same part: the first is on line {first_line}. Keep one, or say with part what each covers."
        ),
        "DUPLICATE_RUN": N_(
            "This run of the finalization stands twice: first on line {first_line}. Number the runs from 0, each on a clip of its own."
        ),
        "EMPTY_REFERENCE_FIELD": N_("The field {field} of the references is blank."),
        "MISSING_PROVENANCE": N_(
            "The file does not say where its measurements come from. Add one row with provenance: provider, model, version, route, region, rtt_ms, machine, date."
        ),
        "MISSING_PROVENANCE.part": N_(
            "The file has measurements of {part} and no provenance that covers them. Add a row of provenance for this part, or one without part for all."
        ),
        "MODE_WITHOUT_RECOGNITION": N_(
            "The field {field} belongs to rows of the leg stt alone. Take it out."
        ),
        "NO_DAY": N_('The field {field} says "{found}". Write a day as YYYY-MM-DD.'),
        "NO_MEASUREMENTS": N_(
            "The file has no row with a measurement of an utterance of this phase."
        ),
        "OTHER_LEG": N_(
            "The row is of the leg {found}, and the clip is for {wanted}. Correct the row."
        ),
        "TIME_OF_NO_ENDPOINT": N_(
            "The row says that no endpoint was found, and gives a time in {field}. Take one of them out."
        ),
        "UNSEEN_CHARACTER": N_(
            "The field {field} has a character that cannot be seen, such as a control character. Take it out."
        ),
        "UTTERANCES_NOT_MEASURED": N_(
            "Utterances without any measurement ({count} of {of}): {ids}. Figures that need them will be withheld."
        ),
    }
)
MEANINGS = MappingProxyType(
    {
        "BLANK_PROVENANCE": N_("A field of the provenance is blank; each must be told."),
        "CORRECTS_WHAT_CAME_LATER": N_("A correction names a day after its own measurement."),
        "DUPLICATE_MEASUREMENT": N_("One measurement of one utterance has two rows."),
        "DUPLICATE_PROVENANCE": N_("Two rows say where the same part comes from."),
        "DUPLICATE_RUN": N_("Two runs of the finalization have one number."),
        "EMPTY_REFERENCE_FIELD": N_("A row of the references lacks what its leg needs."),
        "MISSING_PROVENANCE": N_("Nothing says where some measurements come from."),
        "MODE_WITHOUT_RECOGNITION": N_("Only recognition is measured in two modes."),
        "NO_DAY": N_("A date is no day written as YYYY-MM-DD."),
        "NO_MEASUREMENTS": N_("The file measures nothing of this phase."),
        "OTHER_LEG": N_("A row measures another leg than its clip is for."),
        "TIME_OF_NO_ENDPOINT": N_("A row without an endpoint has the time of one."),
        "UNSEEN_CHARACTER": N_("A text that everybody sees holds a character that nobody sees."),
        "UTTERANCES_NOT_MEASURED": N_("Some utterances of the phase have no measurement at all."),
    }
)
REASONS = MappingProxyType(
    {
        NOT_WANTED: N_("The competition has no clips for this figure."),
        NOT_MEASURED: N_("Withheld: it was not measured."),
        CLIPS_NOT_MEASURED: N_(
            "Withheld: some clips were not measured, and a mean of those that went well is another figure."
        ),
        RUNS_MISSING: N_(
            "Withheld: the runs of the finalization are not all there, the untimed one and the timed ones."
        ),
        TOO_MANY_RUNS: N_(
            "Withheld: there are more runs of the finalization than are asked for, and nobody may choose among them."
        ),
        CLIP_TOO_SHORT: N_("Withheld: a run of the finalization was made on too short a clip."),
        LEG_MISSING: N_("Withheld: a leg of the pipeline is missing."),
        ONE_FOR_ALL_LANGUAGES: N_("There is one figure for all languages together."),
        "NO_ENDPOINT_COUNTED": N_("Withheld: no endpoint was found before the stream was closed."),
        "FEWER_THAN_90_PERCENT_COUNTED": N_(
            "Withheld: fewer than 90 % of the endpoints were found before the stream was closed."
        ),
        RUNS_NOT_RESAMPLED: N_("No interval: a median of a few runs is not resampled."),
        TOO_MANY_TO_RESAMPLE: N_("No interval: there are too many clips to resample a percentile."),
    }
)
