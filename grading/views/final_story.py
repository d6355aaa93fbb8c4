"""Why a final board changed, in words: what arrived between two snapshots, and who moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competition.enums import EntrantKind, EntrantState
from grading import finals, shown
from grading.enums import ProtocolState

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Story:
    """One snapshot: when, its hash, what arrived, who moved."""

    number: int
    at: datetime | None
    digest: str
    ratings: str
    arrived: tuple[str, ...]
    moved: tuple[str, ...]


def stories_of(data: Json) -> list[Story]:
    """Return the story of every snapshot that the reader may know of, newest first."""
    names = finals.names_of(data)
    return [
        Story(
            number=one["number"],
            at=parse_datetime(one["computed_at"]),
            digest=one["digest"],
            ratings=shown.grouped(one["ratings"]),
            arrived=tuple(arrived(one["changes"], names)),
            moved=tuple(_moved(move, names) for move in one["changes"].get("moved", ())),
        )
        for one in data["history"]
    ]


def arrived(changes: Json, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what came or went, one sentence each."""
    yield from _counts(changes)
    if changes.get("marks_changed"):
        yield _("answers were revised")
    if "recipe" in changes:
        yield _("the judge's scores are made by another recipe")
    if "protocol_state" in changes:
        yield _("the rating is %(state)s") % {"state": _state(changes["protocol_state"][1])}
    if "settings_digest" in changes:
        yield _("the numbers of the rating protocol are frozen or changed")
    if "utterances" in changes:
        yield _("the set of rated texts changed")
    for one in changes.get("systems", ()):
        yield _system(one, names)


def _state(value: str | None) -> str:
    return str(ProtocolState(value).label) if value in ProtocolState.values else "–"


def _counts(changes: Json) -> Iterator[str]:
    more, fewer = changes.get("ratings_more", 0), changes.get("ratings_fewer", 0)
    if more:
        yield ngettext("%(n)s rating came in", "%(n)s ratings came in", more) % {
            "n": shown.grouped(more)
        }
    if fewer:
        text = ngettext("%(n)s rating was left out", "%(n)s ratings were left out", fewer)
        yield text % {"n": shown.grouped(fewer)}
    gone, new = changes.get("raters_fewer", 0), changes.get("raters_more", 0)
    if gone:
        text = ngettext("%(n)s rater counts no longer", "%(n)s raters count no longer", gone)
        yield text % {"n": gone}
    if new:
        yield ngettext("%(n)s new rater", "%(n)s new raters", new) % {"n": new}
    if changes.get("simulated_more"):
        text = ngettext(
            "%(n)s of them is simulated", "%(n)s of them are simulated", changes["simulated_more"]
        )
        yield text % {"n": changes["simulated_more"]}


def _system(one: Json, names: Mapping[str, str]) -> str:
    name = names.get(one["system"], one["system"])
    if one["what"] == "judge":
        return _("%(name)s: the judge's score is %(after)s (was %(before)s)") % {
            "name": name,
            "after": shown.number(one["after"]),
            "before": shown.number(one["before"]),
        }
    words = EntrantKind if one["what"] == "kind" else EntrantState
    known = dict(words.choices)
    return _("%(name)s is %(after)s now") % {
        "name": name,
        "after": known.get(one["after"], one["after"] or "–"),
    }


def _moved(move: Json, names: Mapping[str, str]) -> str:
    before, after = move["before"] or {}, move["after"] or {}
    values = {
        "name": names.get(move["system"], move["system"]),
        "from": _standing(before),
        "to": _standing(after),
    }
    return _("%(name)s: %(from)s → %(to)s") % values


def _standing(placed: Json) -> str:
    if placed.get("score") is None:
        return _("no score")
    score = shown.number(placed["score"])
    if placed.get("place") is None:
        return score
    return _("place %(place)s, %(score)s") % {"place": placed["place"], "score": score}
