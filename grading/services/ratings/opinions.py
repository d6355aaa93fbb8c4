"""Opinions of people as numbers that a track of rows takes: one list a recording, raters in order."""

from __future__ import annotations

from django.utils.translation import gettext as _

from grading.enums import ProtocolState
from grading.models import RatedSystem, RatingProtocol
from grading.services.ratings import errors, results


def of_submission(
    *, protocol: RatingProtocol, submission_code: str, screened: bool = True
) -> dict[str, list[int]]:
    """Return the opinions that count, by utterance, raters by pseudonym.

    They are the marks of the form's `opinion`: naturalness from 1 to 5, or from −3 to 3 how the
    system compares with the other one. Null pairs and repeats are none. Screened, they are without what quality control voids. Refuses
    ProtocolNotClosed: before the end nobody works with marks. Raises LookupError where the
    submission is none of the rated ones.
    """
    if protocol.state != ProtocolState.CLOSED:
        raise errors.ProtocolNotClosed(_("Marks are handed on once the rating is closed."))
    if not RatedSystem.objects.filter(protocol=protocol, submission__code=submission_code).exists():
        raise LookupError(submission_code)
    found: dict[str, list[tuple[str, int]]] = {}
    for row in results.inspected(protocol).counted(screened=screened):
        values = row.values
        if values["task__stimulus__system__submission__code"] == submission_code:
            mark = (values["task__rater__pseudonym"], row.marks[protocol.declared.opinion])
            found.setdefault(values["task__stimulus__name"], []).append(mark)
    return {utt_id: [mark for _rater, mark in sorted(found[utt_id])] for utt_id in sorted(found)}


def are_simulated(protocol: RatingProtocol) -> bool:
    """Return whether any of the protocol's ratings come from nobody."""
    return any(row.is_simulated for row in results.inspected(protocol).rows)
