"""Parameters of `asr-wer`: how each language is measured, which corpora there are, what is averaged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grading.scoring import normalizers
from grading.scoring.metrics.error_rates import Unit
from grading.scoring.tracks.asr_counting import Rule
from grading.scoring.tracks.asr_rates import CORPUS, KINDS, Measure
from grading.scoring.tracks.nvv_t2_judge_reader import Fields
from grading.scoring.tracks.pillars_reading import read_all

if TYPE_CHECKING:
    from collections.abc import Container

LANGUAGES, CORPORA, POOLED = "languages", "corpora", "pooled"
OVERALLS = (LANGUAGES, CORPORA, POOLED)
TIE_BREAKS = (POOLED,)
DEFAULT_LANGUAGES = MappingProxyType({"en": {"unit": "wer", "normalizer": "speko-1"}})
RESERVED = frozenset({"score", "final", "pooled", "corpus-level", "mean-of-utterances"})
_NAMES = ("languages", "corpora", "overall", "rate", "tie_breaks")
_LANGUAGE = re.compile(r"[a-z][a-z0-9-]{0,7}")
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_LABEL_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class LanguageRule:
    """How one language is measured: what counts, and what is shown beside it."""

    unit: Unit
    normalizer: str
    beside: tuple[Unit, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorParams:
    """Checked parameters; languages and corpora in code order.

    `corpora` is key -> label, empty where there is one corpus without a name. `overall` says what
    the score is the mean of; `rate` whether a rate is edits over tokens or the mean of utterances.
    """

    languages: Mapping[str, LanguageRule]
    corpora: Mapping[str, str]
    overall: str
    rate: str
    tie_breaks: tuple[str, ...]

    @property
    def unit(self) -> Unit | None:
        """The unit that all languages share, None where they do not."""
        units = {rule.unit for rule in self.languages.values()}
        return units.pop() if len(units) == 1 else None

    @property
    def rules(self) -> dict[str, Rule]:
        """How texts are cut in each language."""
        return {
            language: Rule(rule.normalizer, (rule.unit, *rule.beside))
            for language, rule in self.languages.items()
        }

    def measure(self, language: str, kind: str = "") -> Measure:
        """Return what counts in a language."""
        return Measure(self.languages[language].unit, kind or self.rate)

    def measures(self, language: str) -> tuple[Measure, ...]:
        """Return the same as a list of one."""
        return (self.measure(language),)


def read_params(raw: Mapping[str, Any]) -> ErrorParams:
    """Return full parameters. Raises ParamsInvalid with every fault and its path."""
    return read_all(raw, _NAMES, _read)


def _read(fields: Fields, raw: Mapping[str, Any]) -> ErrorParams:
    languages = _read_languages(fields, raw.get("languages", DEFAULT_LANGUAGES))
    corpora = _read_corpora(fields, raw.get("corpora", ()), _taken(fields, languages))
    overall = fields.choice("overall", OVERALLS, CORPORA if corpora else LANGUAGES)
    params = ErrorParams(
        languages=languages,
        corpora=corpora,
        overall=overall,
        rate=fields.choice("rate", KINDS, CORPUS),
        tie_breaks=_read_tie_breaks(fields, raw.get("tie_breaks", ())),
    )
    _check_units(fields, params)
    if overall == CORPORA and not corpora:
        fields.fault("overall", "is corpora, but there are none")
    return params


def _read_languages(fields: Fields, given: Any) -> dict[str, LanguageRule]:
    if not isinstance(given, Mapping) or not given:
        fields.fault("languages", "must have a language code for each language")
        return {}
    found = {}
    for code, value in sorted({str(code): value for code, value in given.items()}.items()):
        if not _LANGUAGE.fullmatch(code) or code in RESERVED:
            fields.fault(f"languages.{code}", "is no language code: at most 8 small letters")
            continue
        found[code] = _read_rule(fields, f"languages.{code}", value)
    return found


def _read_rule(fields: Fields, path: str, value: Any) -> LanguageRule:
    if not isinstance(value, Mapping):
        fields.fault(path, "must have unit and normalizer")
        return LanguageRule(Unit.WER, normalizers.names()[0])
    for name in sorted(str(name) for name in value if name not in ("unit", "normalizer", "beside")):
        fields.fault(f"{path}.{name}", "is not known; there are unit, normalizer, beside")
    unit = _choice(fields, f"{path}.unit", value.get("unit"), tuple(Unit))
    name = _choice(fields, f"{path}.normalizer", value.get("normalizer"), normalizers.names())
    return LanguageRule(
        Unit(unit), name, _read_beside(fields, f"{path}.beside", value.get("beside"), unit)
    )


def _choice(fields: Fields, path: str, value: Any, choices: Sequence[str]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    fields.fault(path, f"must be one of {', '.join(choices)}")
    return str(choices[0])


def _read_beside(fields: Fields, path: str, value: Any, unit: str) -> tuple[Unit, ...]:
    given = [] if value is None else value
    if not _is_list(given):
        fields.fault(path, f"must be a list of some of {', '.join(Unit)}")
        return ()
    found = [_choice(fields, path, one, tuple(Unit)) for one in given]
    if unit in found or len(set(found)) < len(found):
        fields.fault(path, "names a unit twice")
    return tuple(unit for unit in Unit if unit in found)


def beside_key(language: str, unit: Unit) -> str:
    """Return the key of the column of a unit that is shown beside a language's own."""
    return f"{language}-{unit}"


def _taken(fields: Fields, languages: Mapping[str, LanguageRule]) -> frozenset[str]:
    """Return the keys that no corpus can have; two of the languages' own are a fault."""
    beside = {beside_key(code, unit) for code, rule in languages.items() for unit in rule.beside}
    for code in sorted(beside & languages.keys()):
        fields.fault(f"languages.{code}", "is taken: a unit beside another language is named so")
    return RESERVED | languages.keys() | beside


def _read_corpora(fields: Fields, given: Any, taken: Container[str]) -> dict[str, str]:
    if not isinstance(given, Mapping) and not _is_list(given):
        fields.fault("corpora", "must be a list of names, or a label for each name")
        return {}
    pairs = given.items() if isinstance(given, Mapping) else zip(given, given, strict=True)
    labels = {str(key): label for key, label in pairs}
    if len(labels) < len(given):
        fields.fault("corpora", "names a corpus twice")
    found = {}
    for key, label in sorted(labels.items()):
        if not _KEY.fullmatch(key):
            fields.fault(f"corpora.{key}", "must be small letters, digits and dashes")
        elif key in taken:
            fields.fault(f"corpora.{key}", "is taken by another column")
        elif not isinstance(label, str) or not 0 < len(label) <= _LABEL_CHARACTERS:
            fields.fault(f"corpora.{key}", f"must be a label of at most {_LABEL_CHARACTERS}")
        else:
            found[key] = label
    return found


def _read_tie_breaks(fields: Fields, given: Any) -> tuple[str, ...]:
    if not _is_list(given) or any(one not in TIE_BREAKS for one in given):
        fields.fault("tie_breaks", f"must be a list of some of {', '.join(TIE_BREAKS)}")
        return ()
    if len(set(given)) < len(given):
        fields.fault("tie_breaks", "names one twice")
    return tuple(given)


def _check_units(fields: Fields, params: ErrorParams) -> None:
    if params.unit is not None or not params.languages:
        return
    why = "needs one unit in all languages: words and characters cannot be added up"
    if params.corpora:
        fields.fault("corpora", why)
    if params.overall == POOLED:
        fields.fault("overall", why)
    if params.tie_breaks:
        fields.fault("tie_breaks", why)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def params_json(params: ErrorParams) -> dict[str, Any]:
    """Return the canonical form that the recipe digest is made of; `read_params` reads it back."""
    return {
        "languages": {
            language: {
                "unit": str(rule.unit),
                "normalizer": rule.normalizer,
                "beside": [str(unit) for unit in rule.beside],
            }
            for language, rule in params.languages.items()
        },
        "corpora": dict(params.corpora),
        "overall": params.overall,
        "rate": params.rate,
        "tie_breaks": list(params.tie_breaks),
    }
