"""The tracks there are: those that a server holds, and those whose files can only be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring.tracks import nvv_t1, nvv_t2

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
    """Return the names of all tracks that a server holds, sorted."""
    return tuple(sorted(_TRACKS))


def offline() -> tuple[str, ...]:
    """Return the names of the tracks whose files can be checked offline, but which no server holds."""
    return (nvv_t2.TRACK.name,)
