"""`check` for the track of waveforms: would this archive be accepted, and if not, why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.audio.limits import AudioLimits
from grading.scoring.cli import inputs
from grading.scoring.text.normalize import nfc
from grading.scoring.tracks.nvv_t2 import TRACK

if TYPE_CHECKING:
    import argparse

    from grading.scoring.cli.console import Console
    from grading.scoring.types import Report


def check(arguments: argparse.Namespace, console: Console) -> Report:
    """Return the report on an archive of waveforms. Raises InputError and OSError."""
    if arguments.manifest is None:
        raise inputs.InputError(
            f"{TRACK.name} is checked against ids alone: give --manifest IDS.json"
            " (JSON Lines with utt_id will do, such as the texts)"
        )
    params = inputs.read_params(TRACK, arguments.params, arguments.labels)
    ids = inputs.read_manifest(arguments.manifest, TRACK)
    if len({nfc(utt_id) for utt_id in ids}) < len(ids):
        raise inputs.InputError(
            f"{arguments.manifest}: two utterance ids differ in the form of their characters only"
        )
    bar = console.progress("Checking")
    try:
        checked = TRACK.check(
            arguments.submission, ids=ids, params=params, limits=AudioLimits(), progress=bar
        )
    finally:
        if bar is not None:
            bar.close()
    return checked.report
