"""Titles of a competition's own things in the reader's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from django.utils.translation import get_language

from competition.models import Competition, Phase, Track
from competition.templatetags.texts import phase_name
from competition.texts import FALLBACK, Text, text_of


class Titled(Protocol):
    """Something with texts per language and a slug to fall back on."""

    texts: Any
    slug: Any


def title_of(thing: Titled) -> Text:
    """Return the title in the reader's language or the best substitute, else the slug."""
    language = get_language() or FALLBACK
    return text_of(thing, "title", language) or Text(str(thing.slug), FALLBACK)


class OfPhase:
    """A page about a phase: what stands above it, with titles in the reader's language."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def phase(self) -> Phase: ...

    @property
    def track(self) -> Track:
        """The phase's track."""
        return self.phase.track

    @property
    def competition(self) -> Competition:
        """The track's competition."""
        return self.phase.track.competition

    @property
    def competition_title(self) -> str:
        """The competition's title."""
        return title_of(self.competition)

    @property
    def track_title(self) -> str:
        """The track's title."""
        return title_of(self.track)

    @property
    def phase_title(self) -> str:
        """The phase's title."""
        return title_of(self.phase)

    @property
    def phase_name(self) -> str:
        """The phase's title where nothing beside it names its track."""
        return phase_name(self.phase)
