"""The labels of nonverbal vocalizations: the challenge's 16, and the reading of a competition's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grading.scoring.text.normalize import fold_label, major_class
from grading.scoring.types import ParamFault

DEFAULT_LABELS = (
    "breath",
    "burp",
    "cough",
    "cry",
    "gasp",
    "hiss",
    "hum",
    "laugh",
    "lipsmack",
    "moan",
    "sigh",
    "sneeze",
    "sniff",
    "snore",
    "throat clearing",
    "yawn",
)
MAX_LABELS = 1_000


def read_labels(value: Any) -> tuple[tuple[str, ...], list[ParamFault]]:
    """Return the labels folded and sorted, and every fault with its path (`labels[2]`).

    >>> read_labels(["Sigh", "laugh"])
    (('laugh', 'sigh'), [])
    """
    is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    if not is_list or not 0 < len(value) <= MAX_LABELS:
        return (), [ParamFault("labels", f"must be a list of 1 to {MAX_LABELS} labels")]
    labels: set[str] = set()
    faults = []
    for index, item in enumerate(value):
        label = fold_label(item) if isinstance(item, str) else ""
        message = _fault(item, label, labels)
        if message:
            faults.append(ParamFault(f"labels[{index}]", message))
        labels.add(label)
    return tuple(sorted(labels)), faults


def _fault(item: object, label: str, before: set[str]) -> str:
    if not isinstance(item, str):
        return "must be text"
    if not label:
        return "must not be blank"
    if "[" in label or "]" in label:
        return "must not contain a bracket"
    if any(major_class(character) == "C" for character in label):
        return "must not contain control or unassigned characters"
    if label in before:
        return f"is the same label as an earlier one: {label}"
    return ""
