from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.recipe import canonical_json
from grading.scoring.tracks.nvv_params import NvvParams, params_json, read_params
from grading.scoring.types import ParamsInvalid


def faults(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(ParamsInvalid) as refused:
        read_params(raw)
    return [fault.path for fault in refused.value.faults]


def attempt(raw: dict[str, Any]) -> NvvParams | None:
    try:
        return read_params(raw)
    except ParamsInvalid as refused:
        assert refused.faults  # noqa: PT017 - a refusal without a reason is the failure
        return None


def test_what_is_not_given_is_the_challenges() -> None:
    params = read_params({})
    assert len(params.labels) == 16
    assert params.collars == {"en": 2, "zh": 5}
    assert params.weights == {
        "f1": Fraction(7, 10),
        "mntd": Fraction(1, 5),
        "error": Fraction(1, 10),
    }
    assert params.tie_breaks == ("f1", "mntd", "error")


@pytest.mark.parametrize(
    "weights",
    [
        {"f1": 0.70, "mntd": 0.20, "error": 0.10},
        {"f1": "0.7", "mntd": "0.2", "error": "0.1"},
        {"f1": Decimal("0.7"), "mntd": 0.2, "error": "0.10"},
    ],
)
def test_weights_add_up_as_decimals_however_they_are_written(weights: dict[str, Any]) -> None:
    assert read_params({"weights": weights}) == read_params({})


def test_the_canonical_form_reads_back() -> None:
    params = read_params({"labels": ["Sigh", " laugh "], "tie_breaks": []})
    canonical = params_json(params)
    assert canonical["labels"] == ["laugh", "sigh"]
    assert canonical["weights"] == {"f1": "0.7", "mntd": "0.2", "error": "0.1"}
    assert read_params(canonical) == params
    assert canonical_json(params_json(read_params(canonical))) == canonical_json(canonical)


def test_every_fault_is_listed_with_its_path() -> None:
    raw = {
        "labels": ["laugh", "Laugh", "[x]", 3, " ", "a\u0000"],
        "collars": {"en": -1, "zh": True, "fr": 2},
        "weights": {"f1": "nan", "mntd": 2, "errors": 0.1},
        "tie_breaks": ["f1", "f1", "time", []],
        "languages": ["en"],
        "collar": 2,
    }
    assert faults(raw) == [
        "collar",
        *(f"labels[{index}]" for index in (1, 2, 3, 4, 5)),
        "collars.fr",
        "collars.en",
        "collars.zh",
        "weights.errors",
        "weights.error",
        "weights.f1",
        "weights.mntd",
        "tie_breaks[1]",
        "tie_breaks[2]",
        "tie_breaks[3]",
        "languages",
    ]


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"labels": []}, "labels"),
        ({"labels": "laugh"}, "labels"),
        ({"collars": None}, "collars"),
        ({"collars": {"en": 2}}, "collars.zh"),
        ({"weights": []}, "weights"),
        ({"weights": {"f1": 0.7, "mntd": 0.2, "error": 0.2}}, "weights"),
        ({"weights": {"f1": 10**5000, "mntd": 0, "error": 0}}, "weights.f1"),
        ({"weights": {"f1": "1e-30", "mntd": 0, "error": 1}}, "weights.f1"),
        ({"weights": {"f1": float("inf"), "mntd": 0, "error": 1}}, "weights.f1"),
        ({"weights": {"f1": None, "mntd": 0, "error": 1}}, "weights.f1"),
        ({"tie_breaks": "f1"}, "tie_breaks"),
        ({"languages": None}, "languages"),
    ],
)
def test_single_faults(raw: dict[str, Any], path: str) -> None:
    assert faults(raw) == [path]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    st.sampled_from(["labels", "collars", "weights", "tie_breaks", "languages"]),
)
def test_nonsense_is_refused_in_words_or_read(value: Any, name: str) -> None:
    params = attempt({name: value})
    assert params is None or read_params(params_json(params)) == params
