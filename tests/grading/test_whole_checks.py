"""The server checks a file against the references where a track asks for it: what scoring would lose is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from competition.models import Phase
from competition.services.errors import ReferencesMissing, ReferencesUnreachable
from grading import sandbox
from grading.demo import showcase
from grading.enums import SubmissionState
from grading.models import Submission
from grading.scoring import registry
from grading.services import checking, child, errors, intake, known, validation
from grading.storage import store_stream
from tests.factories.grading import enter

pytestmark = pytest.mark.django_db
REGION = showcase.FOLDER / "sea-leaderboard"


@pytest.fixture
def phase(monkeypatch, settings, tmp_path) -> Phase:
    """The example's phase of voice agents; the child's work is done in this process."""
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"

    def run(job, **_more) -> Any:
        return json.loads(json.dumps(sandbox.DOERS[job["do"]](job, lambda *_told: None)))

    monkeypatch.setattr(child, "run", run)
    competition = showcase.load_example("sea-leaderboard", timezone.now())
    phases = Phase.objects.select_related("track__competition", "references")
    return phases.get(track__competition=competition, track__slug="agent")


@pytest.fixture
def captain(phase):
    _entrant, captain = enter(phase.track.competition)
    return captain


def sent(*, is_wrong: bool) -> bytes:
    """Return the rows of a team, the first item's under another subtask where they are wrong."""
    text = (REGION / "entries/banyan/agent.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    first = rows[0]["utt_id"]
    for row in rows if is_wrong else ():
        if row["utt_id"] == first:
            row |= {"subtask": "quiz" if row["subtask"] != "quiz" else "chat", "score": 1}
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def offline(phase: Phase, data: bytes) -> list[tuple[str, int | None]]:
    """Return codes and lines of the offline verdict, by whoever holds the references."""
    track = registry.get("voice-agent")
    params = track.params(phase.track.params)
    references = track.references((REGION / "references/agent.jsonl").read_bytes(), params)
    found = track.check_against(data, references=references, params=params, limits=track.limits({}))
    return [(one.code, one.line) for one in found.report.problems]


def test_check_only_says_what_the_offline_check_says(phase, captain, tmp_path):
    for is_wrong in (False, True):
        data = sent(is_wrong=is_wrong)
        path = tmp_path / "run.jsonl"
        path.write_bytes(data)
        report = checking.check_only(
            actor=captain, phase=phase, path=path, filename="run.jsonl", now=timezone.now()
        )
        assert [(one.code, one.line) for one in report.problems] == offline(phase, data)
        assert (report.errors == 0) is not is_wrong
    assert {code for code, _line in offline(phase, data)} == {"OTHER_SUBTASK"}


def test_a_submission_is_rejected_with_the_same_codes_and_lines(phase, captain):
    data, now = sent(is_wrong=True), timezone.now()
    intake.receive(
        actor=captain,
        phase=phase,
        system="a",
        note="",
        filename="run.jsonl",
        stored=store_stream([data], limit=1 << 20),
        created_at=now,
        now=now,
    )
    validation.validate(submission_id=Submission.objects.get().pk, clock=timezone.now)
    submission = Submission.objects.get()
    assert submission.state == SubmissionState.REJECTED
    told = submission.problems.order_by("position").values_list("code", "line")
    assert list(told) == offline(phase, data)


@pytest.mark.parametrize("error", [ReferencesMissing, ReferencesUnreachable])
def test_references_that_cannot_be_had_are_no_verdict(phase, captain, tmp_path, monkeypatch, error):
    def bring(_version) -> Any:
        raise error("gone")

    monkeypatch.setattr(known.references, "bring", bring)
    path = tmp_path / "run.jsonl"
    path.write_bytes(sent(is_wrong=False))
    with pytest.raises(errors.ScorerFailed):
        checking.check_only(
            actor=captain, phase=phase, path=path, filename="run.jsonl", now=timezone.now()
        )
