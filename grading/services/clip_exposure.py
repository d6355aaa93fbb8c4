"""What each clip of a dataset has been through: how many draws it is in, and how many entrants have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from competition.models import (
    Competition,
    DatasetClip,
    DrawnClip,
    Exposure,
    PackFile,
    PackIssue,
)
from competition.queries import heirs


@dataclass(frozen=True, slots=True)
class ClipSeen:
    """A clip with the number of draws that picked its audio, and of entrants that were given or downloaded it."""

    clip: DatasetClip
    draws: int
    entrants: int


def of_clips(competition: Competition, clips: Sequence[DatasetClip]) -> list[ClipSeen]:
    """Return what each of these clips has been through in the competition, in a few statements.

    Audio is told by its SHA-256, so that draws and packs of another version count; an entrant that went
    into another one counts as that one. The clips come with their audio.
    """
    drawn, given = _drawn(competition, clips)
    copied = _copied(competition, clips)
    heir = heirs(competition)
    found = []
    for clip in clips:
        seen = given[clip.audio_id] | copied[clip.audio.sha256]
        entrants = {heir.get(one, one) for one in seen}
        found.append(ClipSeen(clip, len(drawn[clip.audio_id]), len(entrants)))
    return found


def _drawn(
    competition: Competition, clips: Sequence[DatasetClip]
) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Return the draws of each audio, and the entrants that these were given to."""
    rows = DrawnClip.objects.filter(
        draw__window__competition=competition, clip__audio__in=[one.audio_id for one in clips]
    )
    draws: dict[int, set[int]] = defaultdict(set)
    for audio, draw in rows.values_list("clip__audio_id", "draw_id"):
        draws[audio].add(draw)
    exposures = Exposure.objects.filter(draw__in=set().union(*draws.values()))
    by_draw: dict[int, set[int]] = defaultdict(set)
    for draw, entrant in exposures.values_list("draw_id", "entrant_id"):
        by_draw[draw].add(entrant)
    entrants: dict[int, set[int]] = defaultdict(set)
    for audio, ones in draws.items():
        entrants[audio] = set().union(*(by_draw[draw] for draw in ones))
    return draws, entrants


def _copied(competition: Competition, clips: Sequence[DatasetClip]) -> dict[str, set[int]]:
    """Return the entrants whose people downloaded from a pack that holds the audio, by its SHA-256."""
    files = PackFile.objects.filter(
        pack__competition=competition, sha256__in=[one.audio.sha256 for one in clips]
    )
    packs: dict[str, set[int]] = defaultdict(set)
    for sha256, pack in files.values_list("sha256", "pack_id"):
        packs[sha256].add(pack)
    downloaded = PackIssue.objects.filter(pack__in=set().union(*packs.values()), sent__gt=0)
    by_pack: dict[int, set[int]] = defaultdict(set)
    for pack, entrant in downloaded.values_list("pack_id", "entrant_id"):
        by_pack[pack].add(entrant)
    found: dict[str, set[int]] = defaultdict(set)
    for sha256, ones in packs.items():
        found[sha256] = set().union(*(by_pack[pack] for pack in ones))
    return found
