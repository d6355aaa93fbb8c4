"""Numbers of a rating protocol: what may be set, checked as a whole, and the hash they are frozen by."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from grading.scoring.rating.forms import FORMS
from grading.scoring.types import ParamFault, ParamsInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "rating-1"


def _number(default: int, low: int, high: int, meaning: str) -> Any:
    """Return a field with its bounds and what it means, for the reader and the organizers' page."""
    return field(default=default, metadata={"low": low, "high": high, "meaning": meaning})


@dataclass(frozen=True, slots=True)
class ProtocolSettings:
    """Checked numbers; the defaults are those of the challenge. All are whole numbers."""

    texts: int = _number(80, 1, 1000, "texts in each language")
    wanted: int = _number(5, 1, 50, "valid ratings wanted of each stimulus")
    least: int = _number(3, 1, 50, "valid ratings needed to publish")
    raters: int = _number(45, 1, 5000, "raters promised in each language")

    scored: int = _number(40, 1, 200, "scored stimuli in a session")
    traps: int = _number(4, 0, 20, "attention traps in a session")
    known: int = _number(4, 0, 20, "known answers in a session")
    repeats: int = _number(2, 0, 20, "repeats in a session")
    practice: int = _number(5, 0, 20, "practice items")
    practice_days: int = _number(7, 1, 365, "days after which practice is due again")
    trials: int = _number(6, 0, 20, "trials of the headphones check")
    trials_right: int = _number(5, 0, 20, "trials that must be right")
    trial_rounds: int = _number(2, 1, 5, "rounds of the headphones check")
    sessions_a_day: int = _number(2, 1, 20, "sessions within 24 hours")
    break_minutes: int = _number(45, 5, 600, "minutes after which a break is offered")

    lease_seconds: int = _number(1800, 30, 86_400, "seconds for which a stimulus is held")
    hold_hours: int = _number(72, 1, 2000, "hours after which a plan that nobody works on is free")
    heard_percent: int = _number(95, 50, 100, "percent of the sound before an answer counts")
    revisable: int = _number(5, 0, 50, "answers that can be revised")
    revise_seconds: int = _number(600, 0, 86_400, "seconds in which they can")
    reports: int = _number(2, 1, 20, "reports of broken audio that hold a stimulus back")

    traps_passed: int = _number(3, 0, 20, "traps that must be passed in a full session")
    known_right: int = _number(2, 0, 20, "known answers that must be right in a full session")
    known_marks: int = _number(4, 1, 5, "marks of five that make a known answer right")
    flat_scales: int = _number(3, 1, 5, "scales without variance that void a session")
    flat_hundredths: int = _number(10, 0, 400, "variance (hundredths) under which a scale is flat")
    slack_ms: int = _number(3000, 0, 60_000, "milliseconds beyond the sound, at the median")
    void_sessions: int = _number(2, 1, 50, "void sessions that void a rater")
    repeat_percent: int = _number(70, 0, 100, "percent of a rater's repeats within one mark")
    correlation_hundredths: int = _number(20, 0, 100, "correlation (hundredths) with the others")
    correlation_stimuli: int = _number(30, 3, 1000, "stimuli from which a correlation counts")
    alarm_percent: int = _number(50, 0, 100, "percent of a day's answers that must be valid")
    draws: int = _number(10_000, 100, 100_000, "draws of the bootstrap")

    null_every: int = _number(12, 0, 200, "pairs, one of which is the same clip twice; 0: none")


def read_settings(raw: Mapping[str, Any]) -> ProtocolSettings:
    """Return full settings; what is not given has the challenge's value.

    Raises ParamsInvalid with every fault and its name.

    >>> read_settings({"wanted": 7}).wanted
    7
    """
    known = {item.name: item.metadata for item in fields(ProtocolSettings)}
    faults = [
        ParamFault(str(name), "is not a setting") for name in sorted(raw) if name not in known
    ]
    good: dict[str, int] = {}
    for name, bounds in known.items():
        value = raw.get(name, getattr(DEFAULTS, name))
        if isinstance(value, bool) or not isinstance(value, int):
            faults.append(ParamFault(name, "must be a whole number"))
        elif not bounds["low"] <= value <= bounds["high"]:
            faults.append(ParamFault(name, f"must be from {bounds['low']} to {bounds['high']}"))
        else:
            good[name] = value
    found = ProtocolSettings(**good)
    if not faults:
        faults += _disagreements(found)
    if faults:
        raise ParamsInvalid(tuple(faults))
    return found


def _disagreements(given: ProtocolSettings) -> list[ParamFault]:
    pairs = (
        ("least", "wanted"),
        ("traps_passed", "traps"),
        ("known_right", "known"),
        ("trials_right", "trials"),
        ("repeats", "scored"),
    )
    return [
        ParamFault(less, f"must be at most {more} ({getattr(given, more)})")
        for less, more in pairs
        if getattr(given, less) > getattr(given, more)
    ]


def settings_json(given: ProtocolSettings) -> dict[str, int]:
    """Return the settings by name; `read_settings` reads them back."""
    return asdict(given)


def numbers_of(form: str) -> tuple[str, ...]:
    """Return the names of the numbers that a form has: those of every form, and its own."""
    others = {name for one in FORMS.values() if one.name != form for name in one.numbers}
    left_out = others - set(FORMS[form].numbers)
    return tuple(item.name for item in fields(ProtocolSettings) if item.name not in left_out)


def settings_sha256(given: ProtocolSettings, form: str) -> str:
    """Return the hash that a protocol is frozen by: of its version, form and each of its numbers."""
    numbers = {name: getattr(given, name) for name in numbers_of(form)}
    told = {"version": VERSION, "form": form, "settings": numbers}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


DEFAULTS = ProtocolSettings()
