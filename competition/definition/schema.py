"""What a definition holds, key by key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from competition.definition.faults import Fault
from competition.definition.sections import Section
from competition.definition.tree import Node, Table, plain, read_tree, walk
from competition.definition.values import (
    Baseline,
    Definition,
    PhaseDefinition,
    Texts,
    TrackDefinition,
)
from competition.enums import (
    BandRule,
    BoardVisibility,
    ClipSource,
    CompetitionState,
    Feedback,
    Selection,
    Senders,
)

TITLE, SUMMARY, LONG = 200, 1_000, 100_000
LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
FALLBACK: Final = "en"
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEP: Final = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True, slots=True)
class Catalog:
    """What the scorer knows: kinds of track, names of their limits, and what is wrong with parameters.

    `limits` maps a kind to the names of its limits. `check_params` returns (path like `weights.f1`,
    sentence) for each fault.
    """

    limits: Mapping[str, frozenset[str]]
    check_params: Callable[[str, Mapping[str, Any]], Sequence[tuple[str, str]]]
    without_references: frozenset[str] = frozenset()
    """Kinds whose boards are made of others', so that their phases name no references."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of track, sorted."""
        return tuple(sorted(self.limits))

    def limits_of(self, kind: object) -> frozenset[str]:
        """Return the names of a kind's limits; of a kind that is not known, those of all."""
        if isinstance(kind, str) and kind in self.limits:
            return self.limits[kind]
        return frozenset().union(*self.limits.values())

    def has_references(self, kind: object) -> bool:
        """Return whether phases of a kind name references; whatever is no kind ought to."""
        return not (isinstance(kind, str) and kind in self.without_references)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A definition, or the faults that keep it from being one, in the order of the file."""

    definition: Definition | None
    faults: tuple[Fault, ...]
    root: Node | None = None

    def fault_at(self, path: str, message: str) -> Fault:
        """Return a fault at a path like `tracks[0].phases[1].references`, for later checks."""
        place = walk(self.root, _steps(path)) if self.root else Node(1, 1)
        return Fault(place.line, place.column, path, message)


def parse(data: bytes, catalog: Catalog) -> Parsed:
    """Return the definition in the bytes of a `competition.yaml`, or every fault at once."""
    root, faults = read_tree(data)
    definition = _Reader(catalog).competition(Section(root, "", faults)) if root else None
    if faults:
        return Parsed(None, tuple(sorted(faults)), root)
    return Parsed(definition, (), root)


class _Reader:
    """Knows the languages of the file while it reads the rest."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.languages: tuple[str, ...] = ()

    def competition(self, section: Section) -> Definition:
        self.languages = _languages(section)
        section.choice("timezone", ["AoE"], default="AoE")
        description = section.section("description")
        terms = section.section("terms", required=True)
        texts = {
            "title": self.texts(section, "title", TITLE),
            "summary": self.texts(section, "summary", SUMMARY, required=False),
            "rules": self.texts(section, "rules", LONG, required=False),
        }
        if description:
            for key in ("overview", "data"):
                texts[key] = self.texts(description, key, LONG, required=False)
            description.finish()
        definition = Definition(
            slug=section.slug("slug"),
            version=section.integer("version", low=1, high=1_000_000),
            state=section.choice("state", CompetitionState.values, default="draft"),
            languages=self.languages,
            texts=_by_language(texts),
            contact=_email(section, "contact"),
            accept_automatically=section.boolean("accept_automatically", default=True),
            terms_version=terms.text("version", limit=32) if terms else "",
            terms=self.texts(terms, "text", LONG) if terms else {},
            baselines=tuple(_baseline(item) for item in section.sections("baselines")),
            tracks=self.tracks(section),
        )
        if terms:
            terms.finish()
        section.finish()
        return definition

    def texts(
        self, section: Section, key: str, limit: int, *, required: bool = True
    ) -> dict[str, str]:
        """Return language -> text; English is required, a language that the file does not name a fault."""
        given = section.section(key, required=required)
        if given is None:
            return {}
        found = {}
        for language, (place, node) in given.entries().items():
            if self.languages and language not in (*self.languages, FALLBACK):
                given.fault(place, f"{language} is not among the file's languages", language)
            found[language] = given.checked_text(node, language, limit=limit)
        if FALLBACK not in found and isinstance(given.node, Table):
            given.fault(given.node, f"the text in {FALLBACK} is missing")
        return found

    def tracks(self, section: Section) -> tuple[TrackDefinition, ...]:
        sections = section.sections("tracks", required=True)
        tracks = tuple(self.track(item) for item in sections)
        _refuse_twins(sections, [track.slug for track in tracks])
        return tracks

    def track(self, section: Section) -> TrackDefinition:
        board = section.section("board")
        rules = _board_rules(board)
        sections = section.sections("phases", required=True)
        kind = plain(section.place_of("kind"))
        phases = tuple(self.phase(item, rules, kind) for item in sections)
        _refuse_twins(sections, [phase.slug for phase in phases])
        track = TrackDefinition(
            slug=section.slug("slug"),
            kind=section.choice("kind", self.catalog.kinds),
            texts=_by_language(self.titles(section)),
            params=self.params(section),
            phases=phases,
        )
        section.finish()
        return track

    def titles(self, section: Section) -> dict[str, dict[str, str]]:
        return {
            "title": self.texts(section, "title", TITLE),
            "summary": self.texts(section, "summary", SUMMARY, required=False),
        }

    def params(self, section: Section) -> dict[str, Any]:
        node = section.get("params", required=True)
        kind = plain(section.place_of("kind"))
        if node is None or kind not in self.catalog.kinds:
            return {}
        raw = plain(node)
        if not isinstance(raw, dict):
            section.fault(node, "expected a mapping of keys to values", "params")
            return {}
        for path, message in self.catalog.check_params(kind, raw):
            place = walk(node, _steps(path))
            section.fault(place, message, f"params.{path}" if path else "params")
        return raw

    def phase(self, section: Section, rules: tuple[str, str], kind: object) -> PhaseDefinition:
        quota = section.section("quota")
        opens_at = section.moment("opens_at") or EPOCH
        closes_at = section.moment("closes_at", closing=True)
        frozen_from = section.optional_moment("freeze_at")
        _check_window(section, opens_at, closes_at, frozen_from)
        phase = PhaseDefinition(
            slug=section.slug("slug"),
            texts=_by_language(self.titles(section)),
            opens_at=opens_at,
            closes_at=closes_at or EPOCH,
            grace_minutes=section.integer("grace_minutes", low=0, high=10_080, default=30),
            frozen_from=frozen_from,
            quota_per_day=_quota(quota, "per_day"),
            quota_total=_quota(quota, "total"),
            feedback=section.choice("feedback", Feedback.values, default="rounded"),
            board_visibility=section.choice(
                "board_visibility", BoardVisibility.values, default="public"
            ),
            selection=rules[0],
            band_rule=rules[1],
            references=_relative_path(section, "references")
            if self.catalog.has_references(kind)
            else "",
            clips=section.choice("clips", ClipSource.values, default="listed"),
            senders=section.choice("senders", Senders.values, default="entrants"),
            limits=_limits(section.section("limits"), self.catalog.limits_of(kind)),
        )
        for part in (quota, section):
            if part:
                part.finish()
        return phase


def _limits(section: Section | None, names: frozenset[str]) -> dict[str, int]:
    if section is None:
        return {}
    given = {name: section.optional_integer(name, low=1, high=2**40) for name in sorted(names)}
    section.finish()
    return {name: number for name, number in given.items() if number is not None}


def _languages(section: Section) -> tuple[str, ...]:
    found: list[str] = []
    for node in section.items("languages", required=True):
        code = section.checked_text(node, "languages", limit=35)
        if code and not LANGUAGE.fullmatch(code):
            section.fault(node, f"{code} is no language code, as en or zh-Hans", "languages")
        elif code in found:
            section.fault(node, f"{code} stands here twice", "languages")
        found.append(code)
    if found and FALLBACK not in found:
        section.fault(section.place_of("languages"), f"{FALLBACK} must be among them", "languages")
    return tuple(found)


def _board_rules(section: Section | None) -> tuple[str, str]:
    if section is None:
        return str(Selection.MARKED_ELSE_BEST), str(BandRule.LEADER)
    selection = section.choice("selection", Selection.values, default="marked-else-best")
    band_rule = section.choice("band_rule", BandRule.values, default="leader")
    section.finish()
    return selection, band_rule


def _check_window(
    section: Section, opens_at: datetime, closes_at: datetime | None, frozen_from: datetime | None
) -> None:
    if closes_at is None:
        return
    if closes_at <= opens_at:
        section.fault(
            section.place_of("closes_at"), "the phase closes before it opens", "closes_at"
        )
    elif frozen_from is not None and not opens_at <= frozen_from < closes_at:
        place = section.place_of("freeze_at")
        section.fault(place, "the board is frozen while the phase is open", "freeze_at")


def _baseline(section: Section) -> Baseline:
    baseline = Baseline(section.text("team", limit=80), section.text("system", limit=80))
    section.finish()
    return baseline


def _quota(section: Section | None, key: str) -> int | None:
    return section.optional_integer(key, low=1, high=1_000_000) if section else None


def _email(section: Section, key: str) -> str:
    address = section.text(key, limit=254, default="")
    try:
        if address:
            validate_email(address)
    except ValidationError:
        section.fault(section.place_of(key), "this is not an e-mail address", key)
    return address


def _relative_path(section: Section, key: str) -> str:
    text = section.text(key, limit=500)
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text or ":" in text:
        section.fault(
            section.place_of(key), "expected a path inside the definition's folder, with /", key
        )
    return text


def _refuse_twins(sections: Sequence[Section], slugs: Sequence[str]) -> None:
    for index, (section, slug) in enumerate(zip(sections, slugs, strict=True)):
        if slug and slug in slugs[:index]:
            section.fault(section.place_of("slug"), f"{slug} is used twice", "slug")


def _by_language(texts: Mapping[str, Mapping[str, str]]) -> Texts:
    found: dict[str, dict[str, str]] = {}
    for key, by_language in texts.items():
        for language, text in by_language.items():
            found.setdefault(language, {})[key] = text
    return found


def _steps(path: str) -> tuple[str | int, ...]:
    return tuple(int(step) if step.isdigit() else step for step in _STEP.findall(path))
