"""Plausible systems of graded quality: references, heard by a recognizer that makes mistakes.

Only the demo and the tests use this. A system's mistakes follow from its voice and the
utterance's id; with smaller rates it makes a subset of the mistakes it made before, so that a
team's newer system is better than its older one by more than luck.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grading.demo.confusions import FALSE_ALARMS, FILLERS, LABELS, mistake
from grading.demo.draws import fraction, pick

_TAG = re.compile(r"\[([^\[\]]+)\]")
_PUNCTUATION = re.compile(r"[.,!?\"，。！？“”、]")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One reference: text slots (words in en, characters in zh) and tags between them.

    A tag is (label, position); position = number of slots before it.
    """

    utt_id: str
    language: str
    slots: tuple[str, ...]
    tags: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A system: its name, the voice that seeds its mistakes, and how many it makes.

    `en` and `zh` are levels of error from 0 (perfect) to 1 (hardly usable); `words` scales the
    mistakes in the words alone; `favorite` is the label it falls back on when it is unsure;
    `bare` systems write lower case without punctuation.
    """

    system: str
    voice: str
    en: float
    zh: float
    words: float = 1.0
    favorite: str | None = None
    bare: bool = False

    def level(self, language: str) -> float:
        return self.zh if language == "zh" else self.en


# Rates at level 1; lower levels scale them. Per tag: missed, confused, moved. Per utterance:
# false alarms. Per word or character: wrong, dropped, added.
_MISSED, _CONFUSED, _MOVED, _FALSE_ALARM = 0.34, 0.34, 0.50, 0.60
_WRONG, _DROPPED, _ADDED = 0.20, 0.09, 0.06
_REACH = {"en": 5, "zh": 9}


def read_utterances(references: bytes) -> tuple[Utterance, ...]:
    """Return the utterances of a reference file (JSON Lines), in its order."""
    rows = (json.loads(line) for line in references.decode().split("\n") if line)
    return tuple(
        split_utterance(row["utt_id"], row["language"], row["text_with_nvvs"]) for row in rows
    )


def split_utterance(utt_id: str, language: str, text: str) -> Utterance:
    """Return the text's slots and tags; text between tags is split by white space in en only."""
    slots: list[str] = []
    tags: list[tuple[str, int]] = []
    for index, piece in enumerate(_TAG.split(text)):
        if index % 2:
            tags.append((piece, len(slots)))
        else:
            slots.extend(piece.split() if language == "en" else "".join(piece.split()))
    return Utterance(utt_id, language, tuple(slots), tuple(tags))


def predict(references: bytes, profile: Profile) -> bytes:
    """Return the profile's predictions for every utterance, as JSON Lines; same bytes always."""
    return to_json_lines(predict_rows(read_utterances(references), profile))


def predict_rows(utterances: Sequence[Utterance], profile: Profile) -> list[dict[str, str]]:
    """Return one row (`utt_id`, `text_with_nvvs`) per utterance, in the same order."""
    return [
        {"utt_id": utterance.utt_id, "text_with_nvvs": hear(utterance, profile)}
        for utterance in utterances
    ]


def to_json_lines(rows: Sequence[dict[str, str]]) -> bytes:
    """Return the rows as UTF-8 JSON Lines, each line ended by LF."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def hear(utterance: Utterance, profile: Profile) -> str:
    """Return the tagged transcript that the profile's system writes for the utterance."""
    heard = [
        " ".join(_heard_slot(slot, index, utterance, profile))
        for index, slot in enumerate(utterance.slots)
    ]
    tags = [*_heard_tags(utterance, profile), *_false_alarms(utterance, profile)]
    if not tags and not any(heard):
        heard = list(utterance.slots)
    return _render(heard, sorted(tags, key=lambda tag: tag[1]), utterance.language)


def _heard_slot(slot: str, index: int, utterance: Utterance, profile: Profile) -> Iterator[str]:
    names = (profile.voice, utterance.utt_id, "slot", index)
    rate = profile.level(utterance.language) * profile.words
    turn = fraction(*names)
    written = _PUNCTUATION.sub("", slot.lower()) if profile.bare else slot
    if not _PUNCTUATION.sub("", slot):
        yield written
    elif turn < rate * _WRONG:
        yield mistake(written, utterance.language, fraction(*names, "which"))
    elif turn > 1 - rate * _DROPPED:
        return
    else:
        yield written
    if fraction(*names, "added") < rate * _ADDED:
        yield pick(FILLERS[utterance.language], *names, "filler")


def _heard_tags(utterance: Utterance, profile: Profile) -> Iterator[tuple[str, int]]:
    level = profile.level(utterance.language)
    for index, (label, position) in enumerate(utterance.tags):
        names = (profile.voice, utterance.utt_id, "tag", index)
        if fraction(*names, "missed") < level * _MISSED:
            continue
        confused = fraction(*names, "confused") < level * _CONFUSED
        heard = _confused_label(label, profile, names) if confused else label
        moved = fraction(*names, "moved") < level * _MOVED
        yield heard, _moved(position, utterance, names) if moved else position


def _confused_label(label: str, profile: Profile, names: tuple[str | int, ...]) -> str:
    if profile.favorite is not None and profile.favorite != label:
        return profile.favorite
    return pick(LABELS[label], *names, "label")


def _moved(position: int, utterance: Utterance, names: tuple[str | int, ...]) -> int:
    reach = _REACH[utterance.language]
    steps = 1 + int(fraction(*names, "steps") * reach)
    side = pick(("before", "after"), *names, "side")
    target = position + (steps if side == "after" else -steps)
    return min(max(target, 0), len(utterance.slots))


def _false_alarms(utterance: Utterance, profile: Profile) -> Iterator[tuple[str, int]]:
    names = (profile.voice, utterance.utt_id, "false alarm")
    if fraction(*names) < profile.level(utterance.language) * _FALSE_ALARM:
        label = profile.favorite or pick(FALSE_ALARMS, *names, "label")
        yield label, int(fraction(*names, "place") * (len(utterance.slots) + 1))


def _render(heard: Sequence[str], tags: Sequence[tuple[str, int]], language: str) -> str:
    parts: list[str] = []
    waiting = list(tags)
    for index in range(len(heard) + 1):
        while waiting and waiting[0][1] <= index:
            parts.append(f"[{waiting.pop(0)[0]}]")
        parts.extend(heard[index : index + 1])
    if language == "zh":
        return "".join(part if part.startswith("[") else part.replace(" ", "") for part in parts)
    return " ".join(part for part in parts if part)
