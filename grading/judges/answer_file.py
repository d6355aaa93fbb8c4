"""Answers of an endpoint kept in a file by what was asked, and the asking of what is not there yet."""

from __future__ import annotations

import hashlib
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grading.enums import JudgeFailure
from grading.judges.base import CallFailed
from grading.judges.patience import TRIES, pause
from grading.scoring.recipe import canonical_json

Json = dict[str, Any]
FINAL = frozenset({JudgeFailure.REFUSED, JudgeFailure.REJECTED, JudgeFailure.STORAGE})
"""Failures that another try would not mend."""


class AnswersDamaged(ValueError):
    """The file is none of answers; the text says where."""


def key_of(asked: object) -> str:
    """Return what an answer is found again by: the digest of all that was asked."""
    return hashlib.sha256(canonical_json(asked)).hexdigest()


class AnswerFile:
    """One JSON line an answer, written as it comes: a run that stops goes on where it was.

    A last line that was cut off is taken away. Raises AnswersDamaged for any other that is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._answers: dict[str, Json] = {}
        if path.exists():
            self._load()

    def _load(self) -> None:
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self._path, len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                row = json.loads(line)
                self._answers[row["key"]] = row
            except (ValueError, KeyError, TypeError) as error:
                raise AnswersDamaged(f"{self._path}: line {number} is no answer") from error

    def __contains__(self, key: str) -> bool:
        return key in self._answers

    def __getitem__(self, key: str) -> Json:
        return self._answers[key]

    def keep(self, key: str, answer: Json) -> None:
        """Write an answer down before it is used."""
        row = {**answer, "key": key}
        data = json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        with self._lock:
            with self._path.open("ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self._answers[key] = row


@dataclass(slots=True)
class Asking:
    """Asks what a file does not hold, some at a time, each up to six times with growing pauses."""

    answers: AnswerFile
    workers: int = 4
    tries: int = TRIES
    first_pause: float = 1.0
    sleep: Callable[[float], None] = time.sleep
    failures: Counter[JudgeFailure] = field(default_factory=Counter)
    _refused: threading.Event = field(default_factory=threading.Event)

    def ask(self, questions: Mapping[str, Callable[[], Json]]) -> int:
        """Ask; return how many have no answer yet. `failures` counts why, by the last try of each.

        Once the endpoint refuses key, model or address, nothing more is asked.
        """
        wanted = {key: question for key, question in questions.items() if key not in self.answers}
        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(self._one, wanted, wanted.values()))
        return sum(key not in self.answers for key in questions)

    def _one(self, key: str, question: Callable[[], Json]) -> None:
        failure = None
        for number in range(1, self.tries + 1):
            if self._refused.is_set():
                return
            failure = self._try(key, question, number)
            if failure is None or failure in FINAL:
                break
        if failure == JudgeFailure.REFUSED:
            self._refused.set()
        if failure is not None:
            self.failures[failure] += 1

    def _try(self, key: str, question: Callable[[], Json], number: int) -> JudgeFailure | None:
        """Ask once and keep the answer; return what went wrong, after the pause that follows it."""
        try:
            self.answers.keep(key, question())
        except CallFailed as error:
            if error.failure not in FINAL and number < self.tries:
                self.sleep(self._pause(number, error))
            return error.failure
        return None

    def _pause(self, number: int, error: CallFailed) -> float:
        # The jitter spreads calls; nothing is decided by it.
        drawn = pause(number, first=self.first_pause, draw=random.random)
        return max(drawn, error.retry_after or 0.0)
