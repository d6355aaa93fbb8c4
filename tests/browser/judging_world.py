"""A phase whose clips a judge marks: a run of every look, for the console's pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from competition.enums import Role
from competition.models import RoleGrant
from grading.enums import AnswerSource, AttemptKind, AttemptState, JudgeRunState, JudgeStop
from grading.models import Evaluation, JudgeAnswer, JudgeAttempt, JudgeRating, JudgeRun
from tests.factories.accounts import UserFactory
from tests.factories.grading import Arena
from tests.factories.judging import judged_arena, waiting

PRICE = {"currency": "EUR", "as_of": "2026-11-01", "audio_minute": "0.06"}
FAILURES = ("rate-limited", "server-error", "malformed", "audio-dropped", "audio-dropped")


def make_judging_world(now: datetime) -> tuple[dict[str, User | None], dict[str, dict[str, str]]]:
    """Return the organizer of the phase, and what the addresses of the pages are made of."""
    arena = judged_arena(now=now, price=PRICE, budget={"cost": "0.05", "calls": 40})
    arena.competition.texts = {"en": {"title": "Generated Laughter"}}
    arena.competition.save()
    organizer = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=organizer, role=Role.ORGANIZER, granted_at=now
    )
    done = _run(arena, now, state=JudgeRunState.DONE, done=8, calls=9, ended_at=now)
    running = _run(arena, now, state=JudgeRunState.RUNNING, done=3, calls=4, lease_until=now)
    stopped = _run(
        arena,
        now,
        state=JudgeRunState.STOPPED,
        stop_reason=JudgeStop.BUDGET_COST,
        stop_detail={"ids": ["gen_en_2", "gen_zh_2"], "count": 2},
        done=5,
        calls=11,
    )
    changed = _run(
        arena,
        now,
        state=JudgeRunState.STOPPED,
        stop_reason=JudgeStop.CANARY_CHANGED,
        stop_detail={"canary": "en_laugh_4", "marks": ["A", "P"]},
        done=2,
        calls=26,
    )
    _answer(done, now)
    _fail(stopped, now)
    slug = arena.competition.slug
    return {"judge organizer": organizer}, {
        "judged": {"slug": slug},
        "judged done": {"slug": slug, "code": done.code},
        "judged stopped": {"slug": slug, "code": stopped.code},
        "judged under way": {"slug": slug, "code": running.code},
        "judged changed": {"slug": slug, "code": changed.code},
        "waiting for marks": {"code": stopped.evaluation.submission.code},
    }


def _run(arena: Arena, now: datetime, **fields: Any) -> JudgeRun:
    evaluation: Evaluation = waiting(arena, now=now)
    return JudgeRun.objects.create(
        evaluation=evaluation,
        definition_digest=evaluation.recipe.read_params.judge.digest,
        created_at=now,
        started_at=now - timedelta(minutes=3),
        needed=8,
        audio_ms=34_200,
        input_tokens=9_120,
        output_tokens=3_310,
        cost_micro=34_200,
        most_calls=40,
        most_cost_micro=50_000,
        **fields,
    )


def _answer(run: JudgeRun, now: datetime) -> None:
    answer = JudgeAnswer.objects.create(
        cache_key="c" * 64,
        protocol_digest="p" * 64,
        audio_sha256="a" * 64,
        text_sha256="t" * 64,
        profile="neutral",
        replicate=0,
        seed=1,
        source=AnswerSource.STAND_IN,
        endpoint="http://127.0.0.1:1/v1",
        model_asked="stand-in",
        model_answered="plaudit-stand-in",
        fingerprint="stand-in-1",
        prompt_sha256="q" * 64,
        answer_format="json_schema",
        raw="{}",
        is_absent=False,
        cost_micro=3_800,
        latency_ms=900,
        answered_at=now,
        **{f"mark_{name}": 4.0 for name in "apnqe"},
    )
    JudgeRating.objects.create(
        run=run, utt_id="gen_en_1", profile="neutral", replicate=0, answer=answer
    )


def _fail(run: JudgeRun, now: datetime) -> None:
    for number, failure in enumerate(FAILURES):
        JudgeAttempt.objects.create(
            run=run,
            claim=1,
            kind=AttemptKind.CLIP,
            key=f"{number:064x}",
            round=0,
            endpoint="http://127.0.0.1:1/v1",
            state=AttemptState.FAILED,
            failure=failure,
            started_at=now,
            expires_at=now,
            ended_at=now,
            audio_ms=3_400,
        )
