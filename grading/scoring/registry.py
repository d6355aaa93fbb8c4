"""The tracks there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.tracks import nvv_t1

if TYPE_CHECKING:
    from grading.scoring.tracks.base import Track

_TRACKS: dict[str, Track] = {nvv_t1.TRACK.name: nvv_t1.TRACK}


class UnknownTrack(KeyError):
    """No track has this name."""

    def __str__(self) -> str:
        return f"no track is named {self.args[0]!r}; there are: {', '.join(names())}"


def get(name: str) -> Track:
    """Return the track of that name. Raises UnknownTrack.

    >>> get("nvv-t1").version
    '1.0.0'
    """
    try:
        return _TRACKS[name]
    except KeyError:
        raise UnknownTrack(name) from None


def names() -> tuple[str, ...]:
    """Return the names of all tracks, sorted."""
    return tuple(sorted(_TRACKS))
