"""`plaudit submit` where a judge marks: it says what it waits for, waits as long as asked, and ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from django.utils import timezone

from accounts.services import tokens
from grading.enums import JudgeRunState, JudgeStop
from grading.models import Evaluation, JudgeRun, Submission
from grading.services import evaluations, validation
from tests.client.program import load
from tests.factories.speech import make_speech_arena
from tests.grading.speech.marking import JUDGE
from tests.grading.speech.test_flow import IDS, REPORT
from tests.scoring.formats.sounds import zipped
from tests.wsgi import Site

pytestmark = pytest.mark.django_db
client = load()


def accept() -> None:
    """Settle the submission as the validator does."""
    Submission.objects.update(lease_until=timezone.now() + timedelta(minutes=1), attempt=1)
    validation.settle(submission=Submission.objects.get(), report=REPORT, now=timezone.now())


def note(done: int) -> None:
    key = Evaluation.objects.get().pk
    evaluations.note_judging(evaluation_id=key, done=done, total=8, now=timezone.now())


def stop() -> None:
    JudgeRun.objects.create(
        evaluation=Evaluation.objects.get(),
        definition_digest="0" * 64,
        created_at=timezone.now(),
        state=JudgeRunState.STOPPED,
        stop_reason=JudgeStop.values[0],
    )


@pytest.fixture
def pauses(monkeypatch) -> tuple[list[float], list[Callable[[], None]]]:
    """The client's pauses, not waited for, and what happens on the server in each of them."""
    made: list[float] = []
    happens: list[Callable[[], None]] = []

    def sleep(seconds: float) -> None:
        made.append(seconds)
        if happens:
            happens.pop(0)()

    monkeypatch.setattr(client.time, "sleep", sleep)
    return made, happens


@pytest.fixture
def command(settings, tmp_path, monkeypatch) -> list[str]:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    http, site = httpx.Client, Site()
    monkeypatch.setattr(client.httpx, "Client", lambda **how: http(**how, transport=site))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    now = timezone.now()
    arena = make_speech_arena(IDS, now=now, params={"judge": JUDGE})
    _, secret = tokens.create_token(
        actor=arena.captain,
        name="laptop",
        scopes=["read", "submit"],
        now=now - timedelta(days=1),
    )
    monkeypatch.setenv("PLAUDIT_SERVER", "http://127.0.0.1:8000")
    monkeypatch.setenv("PLAUDIT_TOKEN", secret)
    file = tmp_path / "run.zip"
    file.write_bytes(zipped({"u0.wav": b"RIFF"}))
    place = ["--competition", arena.competition.slug, "--track", "generation", "--phase", "final"]
    return ["submit", str(file), *place, "--system", "alder"]


def test_it_ends_after_the_time_it_was_given_and_says_how_far_the_judge_is(command, pauses, capsys):
    made, happens = pauses
    happens += [accept, lambda: note(3)]
    assert client.main([*command, "--wait", "60"]) == client.PENDING == 3
    told = capsys.readouterr()
    code = Submission.objects.get().code
    assert sum(made) == pytest.approx(60)
    assert told.err.count("the score comes when all of the judge's marks are there") == 1
    assert told.err.endswith(f"See it later with: plaudit status {code}\n")
    assert f"{code}: waiting  –\n  The judge: 3 of 8 answers\n" in told.out


def test_it_does_not_wait_for_a_judge_that_stopped(command, pauses, capsys):
    made, happens = pauses
    happens += [accept, stop]
    assert client.main(command) == client.PENDING
    assert len(made) == 2
    assert str(JudgeStop(JudgeStop.values[0]).label) in capsys.readouterr().out


def test_without_waiting_what_was_received_is_enough(command, pauses, capsys):
    assert client.main([*command, "--no-wait", "--json"]) == 0
    assert pauses[0] == []
    told = json.loads(capsys.readouterr().out)
    assert (told["stage"], told["marking"]) == ("received", None)


def test_an_end_of_the_wait_is_an_end_in_every_state(command, pauses, capsys):
    assert client.main([*command, "--wait", "0"]) == client.PENDING
    assert pauses[0] == []


@pytest.mark.parametrize("seconds", ["-1", "soon", "1e9", "99999999"])
def test_a_wait_is_a_number_of_seconds(command, seconds):
    with pytest.raises(SystemExit) as ended:
        client.main([*command, "--wait", seconds])
    assert ended.value.code == client.USAGE


def test_the_codes_that_it_ends_with_are_in_its_help(capsys):
    with pytest.raises(SystemExit):
        client.main(["submit", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "3 when the file stands but has no score yet" in told
    assert "--wait SECONDS" in told


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "Provisional: the marks of Judge M alone\n"),
        ({"is_stand_in": True}, "alone; a stand-in, whose marks say nothing about speech\n"),
        ({"is_recorded": True}, "alone; replayed from recorded answers\n"),
        ({"is_provisional": False}, "  Marks by Judge M\n"),
        (
            {"is_provisional": False, "is_stand_in": True},
            "Marks by Judge M; a stand-in, whose marks say nothing about the answers\n",
        ),
    ],
)
def test_a_score_is_printed_with_the_judge_that_made_it(capsys, facts, said):
    judge = {"label": "Judge M", "is_stand_in": False, "is_recorded": False} | facts
    submission = {"code": "c", "stage": "scored", "url": "u"}
    result = {"score": 61.5, "interval": None, "judge": judge}
    assert client.show_submission(None, submission | {"result": result}, False) == 0
    assert said in capsys.readouterr().out
    client.show_submission(None, submission | {"result": result | {"judge": None}}, False)
    assert "Provisional" not in capsys.readouterr().out
