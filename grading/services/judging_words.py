"""What a judge of words is asked about: the rows that were sent, beside what was asked of the system.

A participant's file is read in the child process, once a claim. Items are found by the SHA-256 of
their words, as clips are by that of their bytes: no words are kept in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grading.enums import AttemptKind, JudgeStop
from grading.models import Evaluation
from grading.scoring.tracks.base import NOTHING_SHA256
from grading.scoring.tracks.nvv_t2_judge import cache_key
from grading.services import child, contents, evaluations
from grading.services.child import Bounds, ChildFailed
from grading.services.judging_desk import Desk
from grading.services.judging_endpoint import RunStopped
from grading.services.judging_items import Item, hash_of, nothing

Watch = Callable[[int, int], None]


def word_items(desk: Desk, watch: Watch) -> list[Item]:
    """Return everything that a run needs, asked before or not, sorted by item.

    Raises RunStopped where the file or the references cannot be read, StorageDown, and what
    `watch` raises.
    """
    evaluation = desk.run.evaluation
    try:
        told = _questions(evaluation, watch)
    except ChildFailed as failure:
        raise RunStopped(JudgeStop.CLIPS_MISSING, error=failure.code.value) from None
    items: dict[str, Item] = {}
    for utt_id in sorted(told):
        for item in _items_of(desk, told[utt_id]):
            items.setdefault(item.key, item).uses.append(
                (utt_id, item.profile.name, item.replicate)
            )
    return list(items.values())


def _questions(evaluation: Evaluation, watch: Watch) -> Mapping[str, str]:
    with contents.opened(evaluation.submission, watch) as content:
        file = contents.file_job(evaluation.submission, content)
        job = evaluations.job_of(evaluation) | file | {"do": "questions"}
        found: Mapping[str, str] = child.run(job, bounds=Bounds.from_settings(), watch=watch)[
            "questions"
        ]
    return found


def _items_of(desk: Desk, text: str) -> list[Item]:
    text_sha256 = hash_of(text)
    return [
        Item(
            kind=AttemptKind.CLIP,
            key=cache_key(
                desk.definition,
                endpoint=desk.address,
                audio_sha256=NOTHING_SHA256,
                text_sha256=text_sha256,
                profile=profile,
                replicate=replicate,
            ),
            language="",
            text=text,
            audio_sha256=NOTHING_SHA256,
            audio_ms=0,
            profile=profile,
            replicate=replicate,
            read_audio=nothing,
        )
        for profile, replicate in desk.definition.keys
    ]
