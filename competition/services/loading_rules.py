"""What a definition may still change: nearly all of a draft, little once files were sent in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from django.utils.translation import gettext as _

from competition.definition import Definition
from competition.definition.difference import Change
from competition.services.errors import PhaseKept, RecipeNeeded, VersionNotRaised


class Given(Protocol):
    """The part of a load that the rules look at."""

    @property
    def definition(self) -> Definition: ...
    @property
    def changes(self) -> tuple[Change, ...]: ...
    @property
    def previous_version(self) -> int | None: ...
    @property
    def used(self) -> frozenset[tuple[str, str]]: ...


def check_changes(load: Given, *, was_public: bool) -> None:
    """Raise VersionNotRaised, PhaseKept or RecipeNeeded when the changes are not allowed any more."""
    _check_version(load, was_public=was_public)
    kept = {(track.slug, phase.slug) for track in load.definition.tracks for phase in track.phases}
    removed = sorted(load.used - kept)
    if removed:
        raise PhaseKept(
            _("%(phases)s: files were sent in; this phase cannot be removed.")
            % {"phases": ", ".join("/".join(names) for names in removed)}
        )
    _check_senders(load)
    fixed = sorted(_fixed(load))
    if fixed:
        raise RecipeNeeded(
            _(
                "After the first submission this changes only by a new recipe, which scores "
                "everything again beside the present one: %(paths)s."
            )
            % {"paths": ", ".join(fixed)},
            paths=fixed,
        )


def _check_senders(load: Given) -> None:
    """Raise PhaseKept where files are there already: those would be of the wrong hands."""
    for change in load.changes:
        words = change.path.split(".")
        if words[-1] == "senders" and (words[1], words[3]) in load.used:
            raise PhaseKept(
                _(
                    "%(phase)s: files were sent in; who sends them cannot be changed any more. Open another phase."
                )
                % {"phase": f"{words[1]}/{words[3]}"}
            )


def _check_version(load: Given, *, was_public: bool) -> None:
    before = load.previous_version
    if was_public and before is not None and load.definition.version <= before:
        raise VersionNotRaised(
            _("The definition has changed: raise its version above %(version)s.")
            % {"version": before},
            version=before,
        )


def _fixed(load: Given) -> Iterable[str]:
    tracks = {track for track, _phase in load.used}
    for change in load.changes:
        words = change.path.split(".")
        if words[0] != "tracks" or words[1] not in tracks:
            continue
        if words[2] in {"kind", "params"} or (
            words[2] == "phases"
            and words[-1] in {"references", "clips"}
            and (words[1], words[3]) in load.used
        ):
            yield change.path
