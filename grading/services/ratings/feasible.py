"""Whether a plan can complete: how many raters it needs, and everything that it lacks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import gettext as _

from grading.enums import StimulusKind
from grading.models import RatingProtocol
from grading.scoring.rating import plans
from grading.scoring.rating.settings import ProtocolSettings
from grading.services.ratings import places, stimuli

_LABEL = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a protocol cannot open: a stable code, a sentence, and the language."""

    code: str
    message: str
    language: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the problem by name."""
        return {"code": self.code, "message": self.message, "language": self.language}


@dataclass(frozen=True, slots=True)
class Language:
    """One language of a plan: texts, sounds that are there and missing, raters needed and promised."""

    language: str
    texts: int
    stimuli: int
    missing: int
    slots: int
    need: plans.Need
    promised: int
    joined: int

    @property
    def reachable(self) -> int:
        """How many ratings of each stimulus the promised raters can give."""
        return 0 if not self.stimuli else self.promised * self.texts // self.stimuli


@dataclass(frozen=True, slots=True)
class Feasibility:
    """What the plan needs in each language, and everything that keeps it from opening."""

    systems: int
    languages: tuple[Language, ...]
    prepared: stimuli.Progress
    problems: tuple[Problem, ...]


def feasibility(*, protocol: RatingProtocol) -> Feasibility:
    """Return what the plan of a protocol needs and lacks, before it opens."""
    settings = places.settings_of(protocol)
    systems = protocol.systems.count()
    languages = tuple(
        _language(protocol, language, systems, settings) for language in languages_of(protocol)
    )
    prepared = stimuli.progress(protocol=protocol)
    problems = _of_all(protocol, systems, languages, prepared)
    for language in languages:
        problems += _of_language(language, settings) + _controls(protocol, language, settings)
    return Feasibility(systems, languages, prepared, tuple(problems))


def languages_of(protocol: RatingProtocol) -> list[str]:
    """Return the languages of a protocol's texts, sorted."""
    rows = protocol.texts.filter(dropped_at__isnull=True).order_by("language")
    return list(rows.values_list("language", flat=True).distinct())


def labels_of(text: str) -> tuple[str, ...]:
    """Return the labels of the vocalizations that a checked text asks for."""
    return tuple(label.strip().lower() for label in _LABEL.findall(text))


def _language(
    protocol: RatingProtocol, language: str, systems: int, settings: ProtocolSettings
) -> Language:
    texts = protocol.texts.filter(language=language, dropped_at__isnull=True).count()
    sounds = protocol.stimuli.filter(kind=StimulusKind.SCORED, language=language).count()
    need = plans.raters_needed(
        systems=systems,
        texts=texts,
        wanted=settings.wanted,
        least=settings.least,
        scored=settings.scored,
    )
    joined = [
        rater for rater in protocol.raters.filter(user__isnull=False) if language in rater.languages
    ]
    return Language(
        language,
        texts,
        sounds,
        systems * texts - sounds,
        settings.wanted * systems * texts,
        need,
        settings.raters,
        len(joined),
    )


def _of_all(
    protocol: RatingProtocol,
    systems: int,
    languages: tuple[Language, ...],
    prepared: stimuli.Progress,
) -> list[Problem]:
    found = []
    if systems < plans.FEWEST_SYSTEMS:
        found.append(Problem("TOO_FEW_SYSTEMS", _("There are fewer than two systems to rate.")))
    if not languages:
        found.append(Problem("NO_TEXTS", _("The texts are not chosen yet: lay the plan out.")))
    if not protocol.consent_texts.filter(language="en").exists():
        found.append(Problem("NO_CONSENT_TEXT", _("There is no consent text in English.")))
    if not prepared.is_complete:
        found.append(
            Problem(
                "STIMULI_NOT_PREPARED",
                _("%(done)s of %(total)s recordings are prepared, %(failed)s failed.")
                % {
                    "done": prepared.prepared,
                    "total": prepared.total,
                    "failed": prepared.failed,
                },
            )
        )
    return found


def _of_language(part: Language, settings: ProtocolSettings) -> list[Problem]:
    found = []
    told = {
        "language": part.language,
        "needed": part.need.wanted,
        "least": part.need.least,
        "promised": part.promised,
        "missing": part.missing,
        "texts": part.texts,
        "wanted": settings.texts,
        "reachable": part.reachable,
    }
    if part.promised < part.need.wanted:
        found.append(
            Problem(
                "TOO_FEW_RATERS",
                _(
                    "%(language)s needs %(needed)s raters, %(promised)s are promised: "
                    "%(reachable)s ratings of each recording at most."
                )
                % told,
                part.language,
            )
        )
    if part.missing:
        message = _("%(language)s: %(missing)s recordings of the systems are missing.") % told
        found.append(Problem("CLIPS_MISSING", message, part.language))
    if part.texts < settings.texts:
        message = _("%(language)s has %(texts)s texts of the %(wanted)s wanted.") % told
        found.append(Problem("TOO_FEW_TEXTS", message, part.language))
    return found


def _controls(
    protocol: RatingProtocol, part: Language, settings: ProtocolSettings
) -> list[Problem]:
    rows = protocol.stimuli.filter(language=part.language).exclude(kind=StimulusKind.SCORED)
    have = dict(rows.order_by().values_list("kind").annotate(count=Count("pk")))
    wanted = {
        StimulusKind.TRAP: settings.traps,
        StimulusKind.KNOWN: settings.known,
        StimulusKind.PRACTICE: settings.practice,
    }
    return [
        Problem(
            "CONTROLS_MISSING",
            _("%(language)s: %(have)s of %(wanted)s items are there for: %(kind)s.")
            % {
                "language": part.language,
                "have": have.get(kind, 0),
                "wanted": count,
                "kind": kind.label,
            },
            part.language,
        )
        for kind, count in wanted.items()
        if have.get(kind, 0) < count
    ]
