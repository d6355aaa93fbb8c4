"""One call to a judge in the database: written before it is sent, and what came of it.

An answer is stored whoever holds the run by then: it is paid for. Only the run's progress is fenced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from grading.enums import AttemptKind, AttemptState, JudgeStop
from grading.judges.asking import MARK
from grading.judges.base import CallFailed, Reply, Usage
from grading.judges.wire import LONGEST_KEPT
from grading.models import JudgeAnswer, JudgeAttempt, JudgeRating, JudgeRun
from grading.models.judging_answer import FIVE, ONE
from grading.scoring.tracks.nvv_t2_judge import JudgeDefinition
from grading.scoring.tracks.nvv_t2_judge_answer import JudgeMarks
from grading.services import judging_claims as claims
from grading.services import judging_gate as gates
from grading.services.child import ClaimLost
from grading.services.judging_desk import Desk
from grading.services.judging_endpoint import RunStopped, source_of
from grading.services.judging_items import Item

BUSY_SECONDS = 1.0
"""When to look again for an answer that another run is asking for."""
SPARE_SECONDS = 60
BATCH = 500


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that is written down and may be sent from `at` on, asked for in `answer_format`."""

    attempt: JudgeAttempt
    at: datetime
    answer_format: str


@dataclass(frozen=True, slots=True)
class Later:
    """No slot now; `is_busy` where it is this question that another run is asking."""

    seconds: float
    is_busy: bool = False


def begin(
    *, desk: Desk, item: Item, answer_format: str, clock: Callable[[], datetime]
) -> Begun | Later | None:
    """Take a slot and write the call down; None where the answer was there and is used now.

    Raises RunStopped when the budget is used up, ClaimLost.
    """
    with transaction.atomic():
        gate = gates.locked(desk.address, clock())
        now = clock()  # the lock may have taken its time
        if item.kind == AttemptKind.CLIP and _use_known(desk, item):
            return None
        wait = gates.seconds_to_wait(gate, desk.definition.limits, now)
        if wait > 0:
            return Later(wait)
        flying = JudgeAttempt.objects.filter(key=item.key, state=AttemptState.IN_FLIGHT)
        if flying.exists():
            return Later(BUSY_SECONDS, is_busy=True)
        _charge(desk.run, item)
        at = gates.take_turn(gate, desk.definition.limits, now)
        return Begun(_write(desk, item, at), at, answer_format)


def use_known(*, desk: Desk, items: list[Item]) -> list[Item]:
    """Use every answer that is there already; return the items that have none. Raises ClaimLost."""
    left: list[Item] = []
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        answers = JudgeAnswer.objects.filter(cache_key__in=[item.key for item in batch])
        ids = dict(answers.values_list("cache_key", "pk"))
        with transaction.atomic():
            _link(desk.run, [(use, ids[i.key]) for i in batch if i.key in ids for use in i.uses])
        left += [item for item in batch if item.key not in ids]
    return left


def record_answer(
    *, desk: Desk, item: Item, begun: Begun, reply: Reply, marks: JudgeMarks, now: datetime
) -> None:
    """Store an answer that counts and use it. Raises ClaimLost once it is stored."""
    cost = cost_of(desk.definition, reply.usage, item.audio_ms)
    with transaction.atomic():
        if item.kind == AttemptKind.CLIP:
            fields = _answer_fields(desk, item, begun, reply) | _mark_fields(marks)
            answer, _ = JudgeAnswer.objects.get_or_create(
                cache_key=item.key, defaults=fields | {"cost_micro": cost, "answered_at": now}
            )
        _end(begun.attempt, reply.usage, cost, now, {
            "state": AttemptState.ANSWERED,
            "latency_ms": reply.latency_ms,
            "marks": {**marks.marks, "is_absent": marks.is_absent},
            "raw": "" if item.kind == AttemptKind.CLIP else reply.text[:LONGEST_KEPT],
        })  # fmt: skip
        is_mine = claims.mine(desk.run).exists()
        if item.kind == AttemptKind.CLIP:
            is_mine = _linked(desk.run, [(use, answer.pk) for use in item.uses])
    if not is_mine:
        raise ClaimLost


def record_failure(
    *, desk: Desk, item: Item, begun: Begun, failed: CallFailed, now: datetime
) -> None:
    """Store that a call gave no marks, with what came instead and what it cost."""
    sent = failed.was_sent
    charged = sent and (failed.http_status is None or bool(failed.usage.input_tokens))
    cost = cost_of(desk.definition, failed.usage, item.audio_ms) if charged else 0
    with transaction.atomic():
        _end(begun.attempt, failed.usage, cost, now, {
            "state": AttemptState.FAILED,
            "failure": failed.failure,
            "http_status": failed.http_status,
            "was_sent": sent,
            "raw": failed.raw[:LONGEST_KEPT],
        })  # fmt: skip
        if not sent:
            JudgeRun.objects.filter(pk=desk.run.pk, calls__gte=1).update(
                calls=F("calls") - 1, audio_ms=F("audio_ms") - item.audio_ms
            )


def cost_of(definition: JudgeDefinition, usage: Usage, audio_ms: int) -> int:
    """Return what a call cost in millionths of the definition's currency; 0 without a price."""
    if definition.price is None:
        return 0
    audio = usage.audio_tokens or 0
    return definition.price.micro(
        text=max((usage.input_tokens or 0) - audio, 0),
        audio=audio,
        output=usage.output_tokens or 0,
        audio_ms=audio_ms,
    )


def _use_known(desk: Desk, item: Item) -> bool:
    answer_id = JudgeAnswer.objects.filter(cache_key=item.key).values_list("pk", flat=True).first()
    if answer_id is not None:
        _link(desk.run, [(use, answer_id) for use in item.uses])
    return answer_id is not None


def _link(run: JudgeRun, found: list[tuple[tuple[str, str, int], int]]) -> None:
    """Give the run the marks of stored answers; part of a transaction. Raises ClaimLost."""
    if not found:
        return
    if not claims.mine(run).update(done=F("done") + len(found)):
        raise ClaimLost
    JudgeRating.objects.bulk_create(
        JudgeRating(
            run=run, utt_id=utt_id, profile=profile, replicate=replicate, answer_id=answer_id
        )
        for (utt_id, profile, replicate), answer_id in found
    )


def _linked(run: JudgeRun, found: list[tuple[tuple[str, str, int], int]]) -> bool:
    """Return whether the run could be given marks: an answer stays where the claim is lost."""
    try:
        with transaction.atomic():
            _link(run, found)
    except ClaimLost:
        return False
    return True


def _charge(run: JudgeRun, item: Item) -> None:
    """Count a call against the budget, before it is sent. Raises RunStopped, ClaimLost."""
    held = claims.mine(run).select_for_update().first()
    if held is None:
        raise ClaimLost
    if held.most_calls is not None and held.calls >= held.most_calls:
        raise RunStopped(JudgeStop.BUDGET_CALLS)
    if held.most_audio_ms is not None and held.audio_ms + item.audio_ms > held.most_audio_ms:
        raise RunStopped(JudgeStop.BUDGET_AUDIO)
    if held.most_cost_micro is not None and _expected_cost(held) > held.most_cost_micro:
        raise RunStopped(JudgeStop.BUDGET_COST)
    JudgeRun.objects.filter(pk=run.pk).update(
        calls=F("calls") + 1, audio_ms=F("audio_ms") + item.audio_ms
    )


def _expected_cost(run: JudgeRun) -> int:
    """Return the cost so far, with what is in flight and one call more at the mean of this run."""
    flying = run.attempts.filter(state=AttemptState.IN_FLIGHT).count()
    ended = max(run.calls - flying, 1)
    return run.cost_micro + -(-run.cost_micro * (flying + 1) // ended)


def _write(desk: Desk, item: Item, at: datetime) -> JudgeAttempt:
    lasts = timedelta(seconds=2 * desk.definition.timeout_seconds + SPARE_SECONDS)
    return JudgeAttempt.objects.create(
        run=desk.run,
        claim=desk.run.attempt,
        kind=item.kind,
        key=item.key,
        canary=item.canary,
        round=desk.run.round,
        endpoint=desk.address,
        started_at=at,
        expires_at=at + lasts,
        audio_ms=item.audio_ms,
    )


def _end(
    attempt: JudgeAttempt, usage: Usage, cost: int, now: datetime, fields: dict[str, Any]
) -> None:
    """Write what came of a call; one that was lost meanwhile stays lost, with what it cost."""
    cost_fields = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_micro": cost,
    }
    row = JudgeAttempt.objects.filter(pk=attempt.pk)
    held = row.filter(state=AttemptState.IN_FLIGHT)
    if not held.update(ended_at=now, **cost_fields, **fields):
        row.update(**cost_fields)
    JudgeRun.objects.filter(pk=attempt.run_id).update(
        input_tokens=F("input_tokens") + (usage.input_tokens or 0),
        output_tokens=F("output_tokens") + (usage.output_tokens or 0),
        cost_micro=F("cost_micro") + cost,
    )


def _answer_fields(desk: Desk, item: Item, begun: Begun, reply: Reply) -> dict[str, Any]:
    definition = desk.definition
    return {
        "protocol_digest": definition.protocol_digest,
        "audio_sha256": item.audio_sha256,
        "text_sha256": item.text_sha256,
        "profile": item.profile.name,
        "replicate": item.replicate,
        "seed": definition.seeds[item.replicate],
        "source": source_of(definition),
        "endpoint": desk.address,
        "model_asked": definition.model,
        "model_answered": reply.model,
        "fingerprint": reply.fingerprint,
        "prompt_sha256": definition.prompt_sha256,
        "answer_format": begun.answer_format,
        "raw": reply.text,
        "input_tokens": reply.usage.input_tokens,
        "audio_tokens": reply.usage.audio_tokens,
        "output_tokens": reply.usage.output_tokens,
        "latency_ms": reply.latency_ms,
    }


def _mark_fields(marks: JudgeMarks) -> dict[str, Any]:
    columns = {**FIVE, MARK: ONE}
    numbers = {columns[name]: mark for name, mark in marks.marks.items()}
    return {**numbers, "is_absent": marks.is_absent}
