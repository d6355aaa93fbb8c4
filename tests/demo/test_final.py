from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from competition.models import DeadlineChange, Entrant, Phase
from grading.demo import prepare as preparing
from grading.demo import upload_speech as speaking
from grading.demo.api_client import Api, UploadError
from grading.demo.entrants import ENTRANTS
from grading.demo.prepare import prepare
from grading.demo.rating import open_rating
from grading.demo.speakers import RECORDINGS
from grading.demo.upload_speech import await_judge, upload_speech
from grading.enums import EvaluationState, JudgeRunState, JudgeStop, ProtocolState, SubmissionState
from grading.models import (
    Evaluation,
    FinalSelection,
    JudgeRun,
    Rater,
    RatingProtocol,
    Stimulus,
    Submission,
)
from grading.services import recipes
from tests.factories.grading import SubmissionFactory
from tests.factories.judging import serving
from tests.wsgi import Site

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TEAMS = {"Team Alder", "Team Estuary"}
FEW = tuple(entrant for entrant in ENTRANTS if entrant.team in TEAMS)
KEPT = 8


def quietly(*_: object) -> None:
    """Take what is said."""


@pytest.fixture
def small_demo(settings, tmp_path: Path, monkeypatch) -> None:
    """The demo with two entrants, eight texts of a language, and one replicate of each mark."""
    settings.VAR_DIR = tmp_path / "var"
    settings.JUDGE_API_KEY = "stand-in"
    folder = tmp_path / "nvv-demo"
    shutil.copytree(preparing.FOLDER, folder)
    texts = folder / "references" / "generation.jsonl"
    rows = texts.read_text(encoding="utf-8").splitlines(keepends=True)
    half = len(rows) // 2
    texts.write_text("".join([*rows[:KEPT], *rows[half : half + KEPT]]), encoding="utf-8")
    definition = folder / "competition.yaml"
    text = definition.read_text(encoding="utf-8")
    assert "replicates: 3" in text
    definition.write_text(text.replace("replicates: 3", "replicates: 1"), encoding="utf-8")
    for module in (preparing, speaking):
        monkeypatch.setattr(module, "FOLDER", folder)
    for module in ("people", "prepare", "upload_speech"):
        monkeypatch.setattr(f"grading.demo.{module}.ENTRANTS", FEW)
    prepare(now=NOW, say=quietly)


def send(now: datetime = NOW) -> int:
    with httpx.Client(transport=Site(), base_url="http://testserver") as http:
        return upload_speech(Api(http), now=now, show=quietly)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_demo_s_track_2_goes_from_archives_to_an_open_rating(settings, small_demo) -> None:
    with serving() as judge:
        settings.JUDGE_BASE_URL = f"http://127.0.0.1:{judge.server_port}/v1"
        assert send() == 3
        assert await_judge(show=quietly) == 2
    states = Submission.objects.values_list("filename", "state")
    assert dict(states) == {
        one.filename: SubmissionState.REJECTED if one.spoiled else SubmissionState.ACCEPTED
        for one in RECORDINGS
        if one.team in TEAMS
    }
    scores = dict(Evaluation.objects.values_list("submission__system", "score"))
    assert scores["alder-voice-2"] > scores["estuary-tts"]
    assert set(JudgeRun.objects.values_list("state", flat=True)) == {JudgeRunState.DONE}

    later = NOW + timedelta(hours=1)
    protocol = open_rating(now=later, show=quietly)
    assert protocol.state == ProtocolState.OPEN
    assert DeadlineChange.objects.get().phase.track.slug == "generation"
    assert FinalSelection.objects.get().systems.count() == 2
    assert not Stimulus.objects.filter(prepared_at=None).exists()
    assert set(Rater.objects.values_list("user__name", "is_simulated")) == {
        (f"Rater {number}", False) for number in range(1, 5)
    }

    # everything a second time: nothing is sent, nothing is made
    assert send(later) == 0
    assert await_judge(show=quietly) == 2
    assert open_rating(now=later, show=quietly) == protocol
    assert (Submission.objects.count(), RatingProtocol.objects.count()) == (3, 1)


@pytest.mark.django_db
def test_a_judge_that_stopped_is_told_with_its_reason(small_demo) -> None:
    evaluation = _waiting_evaluation()
    JudgeRun.objects.create(
        evaluation=evaluation,
        definition_digest="0" * 64,
        state=JudgeRunState.STOPPED,
        stop_reason=JudgeStop.CANARY_CHANGED,
        created_at=NOW,
    )
    with pytest.raises(UploadError, match="the judge stopped: "):
        await_judge(show=quietly)


def _waiting_evaluation() -> Evaluation:
    phase = Phase.objects.get(track__slug="generation", slug="final")
    entrant = Entrant.objects.get(team__name="Team Alder")
    submission = SubmissionFactory(
        entrant=entrant,
        phase=phase,
        uploader=entrant.team.members.get(),
        state=SubmissionState.ACCEPTED,
        validated_at=NOW,
    )
    return Evaluation.objects.create(
        submission=submission,
        recipe=recipes.live_recipe(phase),
        state=EvaluationState.WAITING,
        queued_at=NOW,
    )
