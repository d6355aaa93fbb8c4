"""A judge's definition: everything that decides which marks an item gets, and what asking may cost.

An item is a clip with its text, or words alone (track `llm`). The definition is part of the recipe, so
its digest is on every score. The endpoint's key is no part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

from grading.scoring.recipe import canonical_json
from grading.scoring.tracks import nvv_t2_judge_prompt as prompts
from grading.scoring.tracks.nvv_t2_judge_reader import Fields, decimal_text
from grading.scoring.tracks.nvv_t2_marks import HIGHEST
from grading.scoring.types import ParamFault, ParamsInvalid

ENDPOINT = "endpoint"
RECORDED = "recorded"
AUDIO_REQUIRED = "required"
AUDIO_IF_REPORTED = "if-reported"
MICRO = 1_000_000
WORDS = "words"
"""The medium of a judge that is given words alone; one that is given sounds names none."""

_NAMES = (
    "kind",
    "model",
    "base_url",
    "recording_sha256",
    "label",
    "is_stand_in",
    "temperature",
    "max_tokens",
    "timeout_seconds",
    "profiles",
    "replicates",
    "seeds",
    "prompt",
    "audio_tokens",
    "price",
    "budget",
    "limits",
    "canaries",
)
_OF_SOUNDS = frozenset({"profiles", "audio_tokens"})
_NAMES_OF_WORDS = (*(name for name in _NAMES if name not in _OF_SOUNDS), "medium")
_PRICES = ("input_per_million", "audio_per_million", "output_per_million", "audio_minute")
_PRICES_OF_WORDS = ("input_per_million", "output_per_million")
_MOST = 10**9
MOST_MARK = 1_000
"""No scale of a judge of words goes further, up or down."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a judge is told: version and SHA-256 of all of it, and whether it is about words alone."""

    version: str
    sha256: str
    is_of_words: bool = False


SPOKEN = Prompt(prompts.PROMPT_VERSION, prompts.PROMPT_SHA256)


@dataclass(frozen=True, slots=True)
class Profile:
    """One listener that the judge is asked to be; `instruction` is added to the prompt."""

    name: str = "neutral"
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """What calls cost, per million tokens and per minute of audio, in `currency` as of a day."""

    currency: str
    as_of: str
    input_per_million: Fraction
    audio_per_million: Fraction
    output_per_million: Fraction
    audio_minute: Fraction

    def micro(self, *, text: int, audio: int, output: int, audio_ms: int) -> int:
        """Return the cost of a call in millionths, rounded up; tokens and milliseconds go in.

        >>> Price("EUR", "2026-01-01", *map(Fraction, (2, 30, 8, 0))).micro(
        ...     text=500_000, audio=0, output=0, audio_ms=0)
        1000000
        """
        tokens = (
            text * self.input_per_million
            + audio * self.audio_per_million
            + output * self.output_per_million
        )
        return ceil(tokens + Fraction(audio_ms, 60_000) * self.audio_minute * MICRO)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that judging one submission may take; None for no bound."""

    calls: int | None = None
    audio_minutes: Fraction | None = None
    cost: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast the endpoint may be asked by all workers together."""

    calls_per_minute: int = 60
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class Canaries:
    """Which items with known marks are asked before a run and after every so many calls.

    A mark has changed when it is more than `tolerance` away from the known one.
    """

    set: str
    every: int = 200
    tolerance: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class JudgeDefinition:
    """A checked definition. `seeds` has one for each replicate.

    `is_of_words`: the judge is given words alone; then there is one profile, which adds nothing.
    """

    kind: str
    model: str
    base_url: str
    recording_sha256: str
    label: str
    is_stand_in: bool
    temperature: Fraction
    max_tokens: int
    timeout_seconds: int
    profiles: tuple[Profile, ...]
    replicates: int
    seeds: tuple[int, ...]
    prompt_version: str
    prompt_language: str
    audio_tokens: str
    price: Price | None
    budget: Budget = field(default_factory=Budget)
    limits: Limits = field(default_factory=Limits)
    canaries: Canaries | None = None
    prompt_sha256: str = prompts.PROMPT_SHA256
    is_of_words: bool = False

    @property
    def is_recorded(self) -> bool:
        """Whether answers come from a file."""
        return self.kind == RECORDED

    @property
    def digest(self) -> str:
        """The SHA-256 of the whole definition, hex."""
        return _digest(definition_json(self))

    @property
    def protocol_digest(self) -> str:
        """The SHA-256 of what decides an answer beside profile and seed: who is asked, and how.

        Price, budget, limits, label, canaries and the number of replicates change no answer.
        """
        whole = definition_json(self)
        names = ("kind", "model", "base_url", "recording_sha256", "is_stand_in", "temperature")
        more = ("max_tokens", "prompt", "audio_tokens", "medium")
        return _digest({name: whole[name] for name in (*names, *more) if name in whole})

    @property
    def keys(self) -> tuple[tuple[Profile, int], ...]:
        """Every profile with each number of a replicate, from 0: what is asked of each item."""
        return tuple((p, number) for p in self.profiles for number in range(self.replicates))


def read_definition(raw: Mapping[str, Any], prompt: Prompt = SPOKEN) -> JudgeDefinition:
    """Return a checked definition; raises ParamsInvalid with every fault and its path.

    `prompt` is what a judge is told in this version of the scorer: by it sounds are told from words.

    >>> read_definition({"model": "m", "base_url": "https://judge.example/v1", "label": "M 1"}).replicates
    3
    """
    faults: list[ParamFault] = []
    names = _NAMES_OF_WORDS if prompt.is_of_words else _NAMES
    found = _read(Fields(raw, names, faults), prompt)
    if faults:
        raise ParamsInvalid(tuple(faults))
    return found


def definition_json(definition: JudgeDefinition) -> dict[str, Any]:
    """Return the canonical form, which `read_definition` reads back; what is not set is not in it."""
    d = definition
    whole: dict[str, Any] = {
        "kind": d.kind,
        "model": d.model,
        "base_url": d.base_url or None,
        "recording_sha256": d.recording_sha256 or None,
        "label": d.label,
        "is_stand_in": d.is_stand_in,
        "temperature": decimal_text(d.temperature),
        "max_tokens": d.max_tokens,
        "timeout_seconds": d.timeout_seconds,
        "profiles": [{"name": p.name, "instruction": p.instruction} for p in d.profiles],
        "replicates": d.replicates,
        "seeds": list(d.seeds),
        "prompt": {
            "version": d.prompt_version,
            "language": d.prompt_language,
            "sha256": d.prompt_sha256,
        },
        "audio_tokens": d.audio_tokens,
        "price": _price_json(d.price, _prices(of_words=d.is_of_words)),
        "budget": _budget_json(d.budget),
        "limits": {
            "calls_per_minute": d.limits.calls_per_minute,
            "concurrency": d.limits.concurrency,
        },
        "canaries": _canaries_json(d.canaries),
    }
    if d.is_of_words:
        prompt = {"version": d.prompt_version, "sha256": d.prompt_sha256}
        whole |= dict.fromkeys(_OF_SOUNDS) | {"medium": WORDS, "prompt": prompt}
    return {name: value for name, value in whole.items() if value is not None}


def cache_key(
    definition: JudgeDefinition,
    *,
    endpoint: str,
    audio_sha256: str,
    text_sha256: str,
    profile: Profile,
    replicate: int,
) -> str:
    """Return what an answer is found again by: what is asked, never whose clip it is.

    `endpoint` is the address that is really called: a stand-in's answers are found by nobody else.
    """
    asked = [
        definition.protocol_digest,
        endpoint,
        audio_sha256,
        text_sha256,
        [profile.name, profile.instruction],
        replicate,
        definition.seeds[replicate],
    ]
    return _digest(asked)


def _digest(value: object) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _read(fields: Fields, told: Prompt) -> JudgeDefinition:
    kind = fields.choice("kind", (ENDPOINT, RECORDED), ENDPOINT)
    replicates = fields.integer("replicates", 1, 20, 3)
    of_words = told.is_of_words
    names = ("version", "sha256") if of_words else ("version", "language", "sha256")
    prompt = fields.part("prompt", names)
    if of_words:
        fields.choice("medium", (WORDS,), WORDS)
    return JudgeDefinition(
        kind=kind,
        model=fields.text("model", longest=120),
        base_url=fields.address("base_url") if kind == ENDPOINT else _absent(fields, "base_url"),
        recording_sha256=_recording(fields, kind),
        label=fields.text("label", longest=80),
        is_stand_in=fields.flag("is_stand_in"),
        temperature=fields.number("temperature", 0, 2, "0"),
        max_tokens=fields.integer("max_tokens", 64, 32_768, 1_024),
        timeout_seconds=fields.integer("timeout_seconds", 1, 300, 120),
        profiles=_profiles(fields),
        replicates=replicates,
        seeds=_seeds(fields, replicates),
        prompt_version=_prompt_version(prompt, told),
        prompt_language=prompt.choice("language", ("utterance", "en"), "utterance"),
        audio_tokens=fields.choice(
            "audio_tokens", (AUDIO_REQUIRED, AUDIO_IF_REPORTED), AUDIO_REQUIRED
        ),
        price=_price(fields, _prices(of_words=of_words)),
        budget=_budget(fields, of_words=of_words),
        limits=_limits(fields),
        canaries=_canaries(fields, furthest=MOST_MARK if of_words else HIGHEST),
        prompt_sha256=told.sha256,
        is_of_words=of_words,
    )


def _absent(fields: Fields, name: str) -> str:
    if fields.has(name):
        fields.fault(name, "has no meaning for a judge of this kind")
    return ""


def _recording(fields: Fields, kind: str) -> str:
    if kind != RECORDED:
        return _absent(fields, "recording_sha256")
    found = fields.sha256("recording_sha256")
    if not fields.has("recording_sha256"):
        fields.fault("recording_sha256", "is missing: it names the file with the answers")
    return found


def _profiles(fields: Fields) -> tuple[Profile, ...]:
    if not fields.has("profiles"):
        return (Profile(),)
    parts = fields.parts("profiles", ("name", "instruction"))
    profiles = tuple(Profile(part.name("name"), part.text("instruction", "")) for part in parts)
    names = [profile.name for profile in profiles]
    if not profiles or len(set(names)) != len(names):
        fields.fault("profiles", "must be at least one, and no two of one name")
    return profiles


def _seeds(fields: Fields, replicates: int) -> tuple[int, ...]:
    seeds = fields.integers("seeds", tuple(range(1, replicates + 1)), 0, 2**31 - 1)
    if len(seeds) != replicates:
        fields.fault("seeds", f"must be {replicates}, one for each replicate")
    return seeds


def _prompt_version(prompt: Fields, told: Prompt) -> str:
    version = prompt.choice("version", (told.version,), told.version)
    given = prompt.sha256("sha256")
    if given and given != told.sha256:
        prompt.fault("sha256", "is of another prompt than this version of the scorer has")
    return version


def _prices(*, of_words: bool) -> tuple[str, ...]:
    return _PRICES_OF_WORDS if of_words else _PRICES


def _price(fields: Fields, names: tuple[str, ...]) -> Price | None:
    if not fields.has("price"):
        return None
    part = fields.part("price", ("currency", "as_of", *names))
    return Price(
        part.name("currency"),
        part.day("as_of"),
        *(part.number(name, 0, 100_000) if name in names else Fraction(0) for name in _PRICES),
    )


def _budget(fields: Fields, *, of_words: bool) -> Budget:
    names = ("calls", "cost") if of_words else ("calls", "audio_minutes", "cost")
    part = fields.part("budget", names)
    if part.has("cost") and not fields.has("price"):
        part.fault("cost", "needs a price")
    return Budget(
        part.maybe_integer("calls", 1, _MOST),
        part.maybe_number("audio_minutes", 0, _MOST),
        part.maybe_number("cost", 0, _MOST),
    )


def _limits(fields: Fields) -> Limits:
    part = fields.part("limits", ("calls_per_minute", "concurrency"))
    return Limits(
        part.integer("calls_per_minute", 1, 1_000_000, 60), part.integer("concurrency", 1, 64, 4)
    )


def _canaries(fields: Fields, *, furthest: int) -> Canaries | None:
    if not fields.has("canaries"):
        return None
    part = fields.part("canaries", ("set", "every", "tolerance"))
    return Canaries(
        part.name("set"),
        part.integer("every", 1, 1_000_000, 200),
        part.number("tolerance", 0, furthest, "0"),
    )


def _price_json(price: Price | None, names: tuple[str, ...]) -> dict[str, str] | None:
    if price is None:
        return None
    numbers = {name: decimal_text(getattr(price, name)) for name in names}
    return {"currency": price.currency, "as_of": price.as_of, **numbers}


def _budget_json(budget: Budget) -> dict[str, Any] | None:
    found = {
        "calls": budget.calls,
        "audio_minutes": _text(budget.audio_minutes),
        "cost": _text(budget.cost),
    }
    return {name: value for name, value in found.items() if value is not None} or None


def _text(number: Fraction | None) -> str | None:
    return None if number is None else decimal_text(number)


def _canaries_json(canaries: Canaries | None) -> dict[str, Any] | None:
    if canaries is None:
        return None
    tolerance = decimal_text(canaries.tolerance)
    return {"set": canaries.set, "every": canaries.every, "tolerance": tolerance}
