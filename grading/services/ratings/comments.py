"""What raters wrote beside their marks, for the organizers of a rating."""

from __future__ import annotations

from grading.models import RatingNote, RatingProtocol

LISTED = 100


def newest(*, protocol: RatingProtocol, most: int = LISTED) -> list[RatingNote]:
    """Return the newest comments, each with its answer, rater and recording; those taken back are gone."""
    # What lies further away is read by its keys: seven tables in one statement are planned badly.
    rows = (
        RatingNote.objects.filter(rating__rater__protocol=protocol)
        .select_related("rating__rater")
        .prefetch_related("rating__task__stimulus__system")
    )
    return list(rows.order_by("-rating__created_at", "-pk")[:most])
