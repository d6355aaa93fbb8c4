"""What a run has to ask: each item, for every profile and replicate, and canaries.

An item is a clip with its text; words alone (`judging_words`) are an item without a sound.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from django.db.models import Count, Q

from grading.enums import AttemptKind, AttemptState, JudgeFailure, JudgeStop
from grading.judges.base import Question
from grading.models import Clip, JudgeAttempt, JudgeCanary, JudgeRun
from grading.scoring.tracks.base import NOTHING_SHA256
from grading.scoring.tracks.nvv_t2_judge import Profile, cache_key
from grading.scoring.tracks.nvv_t2_judge_answer import is_tagged
from grading.services import speech_texts, waveforms
from grading.services.judging_desk import Desk
from grading.services.judging_endpoint import RunStopped

FRAMES_A_MS = 16
LISTED = 20
"""How many ids a stopped run names."""

Use = tuple[str, str, int]


@dataclass(slots=True)
class Item:
    """One thing to ask. `uses` are the (utterance, profile, replicate) that its answer is for.

    Two utterances with the same clip and text, or the same words, are one item. `tries` counts failed
    calls of this round, `answer_format` is a laxer form that this item is asked in, `rejected` what it
    answered in the wrong form.
    """

    kind: AttemptKind
    key: str
    language: str
    text: str
    audio_sha256: str
    audio_ms: int
    profile: Profile
    replicate: int
    read_audio: Callable[[], bytes]
    uses: list[Use] = field(default_factory=list)
    canary: JudgeCanary | None = None
    tries: int = 0
    answer_format: str = ""
    rejected: tuple[str, str] | None = None

    @property
    def text_sha256(self) -> str:
        """The SHA-256 of the text, hex."""
        return hash_of(self.text)

    def question(self, desk: Desk, answer_format: str) -> Question:
        """Return what the judge is asked; reads the clip. Raises StorageDown, BytesMissing."""
        return Question(
            instructions=desk.asking.instructions(self.language, self.profile.instruction),
            text=desk.asking.words(self.language, self.text),
            audio=self.read_audio(),
            audio_sha256=self.audio_sha256,
            text_sha256=self.text_sha256,
            profile=self.profile.name,
            replicate=self.replicate,
            seed=desk.definition.seeds[self.replicate],
            answer_format=answer_format,
            form=desk.asking.form,
            rejected=self.rejected,
        )


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def nothing() -> bytes:
    """Return the sound of what has none."""
    return b""


def clip_items(desk: Desk) -> list[Item]:
    """Return everything that a run needs, asked before or not, sorted by utterance.

    Raises RunStopped before any call where a clip is missing or a text names no vocalization.
    """
    evaluation, definition = desk.run.evaluation, desk.definition
    recipe = evaluation.recipe
    texts = speech_texts.of_recipe(recipe)
    labels = frozenset(recipe.read_params.labels)
    clips = {
        clip.utt_id: clip
        for clip in Clip.objects.filter(submission=evaluation.submission_id).select_related(
            "waveform"
        )
    }
    _refuse(JudgeStop.CLIPS_MISSING, [i for i in texts.ids if i not in clips])
    _refuse(
        JudgeStop.TEXT_UNTAGGED, [i for i in texts.ids if not is_tagged(texts.text_of[i], labels)]
    )
    items: dict[str, Item] = {}
    for utt_id in sorted(texts.ids):
        clip = clips[utt_id]
        for profile, replicate in definition.keys:
            text = texts.text_of[utt_id]
            key = cache_key(
                definition,
                endpoint=desk.address,
                audio_sha256=clip.waveform.sha256,
                text_sha256=hash_of(text),
                profile=profile,
                replicate=replicate,
            )
            item = _clip_item(clip, text, key, (profile, replicate))
            items.setdefault(item.key, item).uses.append((utt_id, profile.name, replicate))
    return list(items.values())


def canary_items(desk: Desk, number: int) -> list[Item]:
    """Return the canaries of one check, without those that have answered.

    Raises RunStopped where the set is not there, is of another medium, lacks a language of the track or
    knows marks that are none here.
    """
    run, named = desk.run, desk.definition.canaries.set if desk.definition.canaries else ""
    of_words = Q(audio_sha256=NOTHING_SHA256)
    of_it = of_words if desk.definition.is_of_words else ~of_words
    found = list(JudgeCanary.objects.filter(of_it, set__name=named).order_by("canary_id"))
    lacking = set(run.evaluation.recipe.read_params.languages) - {one.language for one in found}
    if lacking:
        raise RunStopped(JudgeStop.CANARIES_MISSING, set=named, languages=sorted(lacking))
    _refuse(
        JudgeStop.CANARIES_MISSING,
        [one.canary_id for one in found if not desk.asking.is_known(one.marks)],
    )
    answered = JudgeAttempt.objects.filter(
        run=run, kind=AttemptKind.CANARY, state=AttemptState.ANSWERED
    )
    keys = set(answered.values_list("key", flat=True))
    items = [_canary_item(desk, canary, number) for canary in found]
    return [item for item in items if item.key not in keys]


def remember_tries(run: JudgeRun, items: list[Item]) -> None:
    """Give each item the failed calls that an earlier claim made in this round."""
    failed = JudgeAttempt.objects.filter(
        run=run, round=run.round, state=AttemptState.FAILED
    ).exclude(failure__in=NOT_THE_CLIPS_FAULT)
    counts: dict[str, int] = defaultdict(int)
    counts |= dict(failed.order_by().values_list("key").annotate(Count("pk")))
    for item in items:
        item.tries = counts[item.key]


NOT_THE_CLIPS_FAULT = (JudgeFailure.UNREACHABLE, JudgeFailure.STORAGE, JudgeFailure.REFUSED)
"""Failures that say nothing of the question: they use up none of its tries."""


def _clip_item(clip: Clip, text: str, key: str, asked: tuple[Profile, int]) -> Item:
    return Item(
        kind=AttemptKind.CLIP,
        key=key,
        language=clip.language,
        text=text,
        audio_sha256=clip.waveform.sha256,
        audio_ms=clip.waveform.frames // FRAMES_A_MS,
        profile=asked[0],
        replicate=asked[1],
        read_audio=partial(waveforms.read_bytes, clip.waveform),
    )


def _canary_item(desk: Desk, canary: JudgeCanary, number: int) -> Item:
    return Item(
        kind=AttemptKind.CANARY,
        key=f"canary:{desk.run.pk}:{number}:{canary.pk}",
        language=canary.language,
        text=canary.text,
        audio_sha256=canary.audio_sha256,
        audio_ms=canary.frames // FRAMES_A_MS,
        profile=desk.definition.profiles[0],
        replicate=0,
        read_audio=lambda: bytes(canary.audio),
        canary=canary,
    )


def _refuse(reason: JudgeStop, ids: list[str]) -> None:
    if ids:
        raise RunStopped(reason, count=len(ids), ids=sorted(ids)[:LISTED])
