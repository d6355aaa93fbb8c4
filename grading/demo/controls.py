"""What raters of the demo are given beside the systems: practice, attention traps, known answers.

A trap's text asks for five marks. The synthesizer speaks no words that anybody could understand, so
what it asks for is read, not heard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from grading.demo.synthesis_text import Manner
from grading.demo.systems import split_utterance
from grading.demo.voices import Voice, speak
from grading.demo.waves import wav
from grading.enums import StimulusKind

_DIMENSIONS = "APNQE"
Marks = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Control:
    """A sound of known marks; `explanation` maps language -> why, for practice."""

    kind: StimulusKind
    language: str
    name: str
    text: str
    voice: Voice
    marks: Marks
    explanation: Mapping[str, str] = field(default_factory=dict)

    @property
    def expected(self) -> dict[str, int]:
        """The marks by name."""
        return dict(zip(_DIMENSIONS, self.marks, strict=True))

    def wav(self) -> bytes:
        """Return the clip, the same bytes always."""
        return wav(speak(split_utterance(self.name, self.language, self.text), self.voice))


_CLEAR = Voice("control", "control clear", 1250)
_WITHOUT = Voice("control", "control without", 1700, stretch=108, missed=1.0)
_NOISY = Voice("control", "control noisy", 1100, hiss=40, gain=800)
_FLAT = Voice("control", "control flat", 1350, manner=Manner(movement=0), sounds=90)

_GOOD: Marks = (5, 5, 2, 4, 3)
_ABSENT: Marks = (0, 0, 2, 4, 2)
_BAD_SOUND: Marks = (4, 4, 1, 1, 2)

_HEARD = {
    "en": "The sound is there, at its place and of its kind: Accuracy 5. It can be heard well: Effect 5.",
    "zh": "声音出现在正确的位置，种类也对：准确性 5。听得很清楚：感知效果 5。",
}
_NOT_HEARD = {
    "en": "The sound is missing: tick “absent”, which sets Accuracy and Effect to 0.",
    "zh": "没有听到这个声音：请勾选“缺失”，准确性和感知效果即为 0。",
}

_PRACTICE: Mapping[str, tuple[tuple[str, Voice, Marks, Mapping[str, str]], ...]] = {
    "en": (
        ("[laugh] Wait, you kept the receipt?", _CLEAR, _GOOD, _HEARD),
        ("The kids are finally asleep. [sigh]", _WITHOUT, _ABSENT, _NOT_HEARD),
    ),
    "zh": (
        ("[laugh]等等，小票你还留着？", _CLEAR, _GOOD, _HEARD),
        ("孩子们总算睡着了。[sigh]", _WITHOUT, _ABSENT, _NOT_HEARD),
    ),
}
_KNOWN: Mapping[str, tuple[tuple[str, Voice, Marks], ...]] = {
    "en": (
        ("[cough] Sorry, the dust up here is terrible.", _CLEAR, _GOOD),
        ("We waited an hour [yawn] for the ferry.", _WITHOUT, _ABSENT),
        ("He dropped the vase [gasp] on the first day.", _NOISY, _BAD_SOUND),
        ("The choir starts on this note [hum] not higher.", _CLEAR, _GOOD),
    ),
    "zh": (
        ("[cough]抱歉，上面灰太大了。", _CLEAR, _GOOD),
        ("我们等渡船等了一个小时[yawn]还没来。", _WITHOUT, _ABSENT),
        ("他第一天就把花瓶摔了[gasp]碎了一地。", _NOISY, _BAD_SOUND),
        ("合唱团从这个音开始[hum]不能再高了。", _CLEAR, _GOOD),
    ),
}
_TRAPS: tuple[tuple[str, Marks], ...] = (
    ("hum", (2, 4, 1, 5, 3)),
    ("breath", (4, 1, 5, 2, 2)),
    ("cough", (1, 3, 2, 4, 5)),
    ("sigh", (3, 5, 4, 1, 1)),
)
_ASKS = {
    "en": "[{label}] This is a check. Please choose {marks}.",
    "zh": "[{label}]这是一道检查题。请选择：{marks}。",
}


def controls() -> Iterator[Control]:
    """Yield practice items, known answers and traps of both languages."""
    for language in ("en", "zh"):
        for number, (text, voice, marks, why) in enumerate(_PRACTICE[language], 1):
            name = f"practice-{language}-{number}"
            yield Control(StimulusKind.PRACTICE, language, name, text, voice, marks, why)
        for number, (text, voice, marks) in enumerate(_KNOWN[language], 1):
            name = f"known-{language}-{number}"
            yield Control(StimulusKind.KNOWN, language, name, text, voice, marks)
        for number, (label, marks) in enumerate(_TRAPS, 1):
            voice = (_CLEAR, _FLAT)[number % 2]
            name = f"trap-{language}-{number}"
            yield Control(
                StimulusKind.TRAP, language, name, _asked(language, label, marks), voice, marks
            )


def _asked(language: str, label: str, marks: Marks) -> str:
    told = (f"{name} {mark}" for name, mark in zip(_DIMENSIONS, marks, strict=True))
    return _ASKS[language].format(
        label=label, marks=("，" if language == "zh" else ", ").join(told)
    )
