"""What no database keeps, in what an endpoint says: it is kept with a sign for it, and stops no run."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from grading.enums import JudgeFailure, JudgeRunState
from grading.models import JudgeAnswer, JudgeAttempt
from tests.factories.judging import IDS, judged_arena, waiting
from tests.grading.judging.test_endpoint import GOOD, plain, said, scripted
from tests.grading.judging.test_run import judge

pytestmark = pytest.mark.django_db
CUT = "heard \ud83d"
"""An emoji that was cut in half, as JSON may say it and UTF-8 may not."""


def odd(number: int):
    if number == 1:
        return 502, {}, [b"<html>\0</html>"]
    if number == 2:
        return plain(said("\0 no object \ud800"))
    changed = json.dumps(json.loads(GOOD) | {"heard": CUT}, ensure_ascii=False)
    return plain(said(changed, model="m\0-1", system_fingerprint="\udfff"))


def test_nul_and_half_characters_end_no_run(settings):
    settings.JUDGE_PAUSE_SECONDS = 0.01
    evaluation = waiting(judged_arena(IDS[:2], replicates=1))
    with scripted(odd) as server:
        settings.JUDGE_BASE_URL = server.url
        run = judge(evaluation, clock=timezone.now)
    assert run.state == JudgeRunState.DONE
    failures = set(JudgeAttempt.objects.exclude(failure="").values_list("failure", flat=True))
    assert failures == {JudgeFailure.SERVER_ERROR, JudgeFailure.MALFORMED}
    kept = JudgeAnswer.objects.first()
    assert json.loads(kept.raw)["heard"] == "heard \ufffd"
    assert (kept.model_answered, kept.fingerprint) == ("m\ufffd-1", "\ufffd")


def test_an_error_with_an_endless_body_is_cut_off(settings):
    settings.JUDGE_PAUSE_SECONDS = 0.01
    sent = []

    def endless():
        while len(sent) < 200:
            sent.append(1)
            yield b"x" * (1 << 20)

    def answer(number: int):
        return (500, {}, endless()) if number == 1 else plain(said(GOOD))

    evaluation = waiting(judged_arena(IDS[:2], replicates=1))
    with scripted(answer) as server:
        settings.JUDGE_BASE_URL = server.url
        run = judge(evaluation, clock=timezone.now)
    assert run.state == JudgeRunState.DONE
    assert JudgeAttempt.objects.exclude(failure="").count() == 1
    assert len(sent) < 50
