"""The tracks there are."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grading.scoring.tracks.base import Track

# One line a track: its name, which is that of its module too but for the hyphens. A module is read
# when its track is first asked for: a process that scores one file needs one track.
_NAMES = (
    "asr",
    "asr-wer",
    "e2e",
    "latency",
    "llm",
    "nvv-t1",
    "nvv-t2",
    "pillars",
    "tts",
    "voice-agent",
)
_TRACKS: dict[str, Track | None] = dict.fromkeys(_NAMES)


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
        found = _TRACKS[name]
    except KeyError:
        raise UnknownTrack(name) from None
    if found is None:
        found = _TRACKS[name] = _read(name)
    return found


def _read(name: str) -> Track:
    module = import_module(f"grading.scoring.tracks.{name.replace('-', '_')}")
    track: Track = module.TRACK
    return track


def names() -> tuple[str, ...]:
    """Return the names of all tracks, sorted."""
    return tuple(sorted(_TRACKS))


def needing_marks() -> tuple[str, ...]:
    """Return the names of the tracks whose scores are made of marks, sorted."""
    return tuple(name for name in names() if get(name).needs_marks)


def sending_sounds() -> tuple[str, ...]:
    """Return the names of the tracks whose submissions are archives of clips, sorted."""
    return tuple(name for name in names() if get(name).sends_sounds)


def with_final() -> tuple[str, ...]:
    """Return the names of the tracks whose best systems people rate, sorted."""
    return tuple(name for name in names() if get(name).has_final)


def composed() -> tuple[str, ...]:
    """Return the names of the tracks whose boards are made of other boards, sorted."""
    return tuple(name for name in names() if get(name).is_composed)


def template(key: str) -> str | None:
    """Return the sentence that a track gives its own problem code (or CODE.reason), None without."""
    found = (track.messages.get(key) for track in map(get, names()))
    return next((sentence for sentence in found if sentence is not None), None)


def meaning(code: str) -> str:
    """Return what a track says its own problem code means, empty without."""
    found = (track.meanings.get(code) for track in map(get, names()))
    return next((sentence for sentence in found if sentence is not None), "")


@contextmanager
def also(track: Track) -> Iterator[None]:
    """Have one track more for a while, as a test or somebody's own script wants it."""
    _TRACKS[track.name] = track
    try:
        yield
    finally:
        del _TRACKS[track.name]
