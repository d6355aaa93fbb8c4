"""The script of the README finds every digit of a row of each example again."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import User
from competition.models import Phase
from grading import sandbox
from grading.demo import showcase
from grading.models import Board, Submission
from grading.services import child, evaluations, receipts, standings, validation

pytestmark = pytest.mark.django_db

README = Path(settings.BASE_DIR) / "README.md"


def script() -> str:
    """The script of the README."""
    found = re.search(
        r"## Compute a row again.*?```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    assert found is not None
    return found[1]


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    """Read files in this process: what the child would find, without starting one for each."""

    def run(job, **_more) -> Any:
        return json.loads(json.dumps(sandbox.DOERS[job["do"]](job, lambda *_told: None)))

    monkeypatch.setattr(child, "run", run)


def score_one_team(slug: str, team: str, monkeypatch) -> list[Submission]:
    """Load an example with one of its teams alone; score what it sent and build the boards."""
    chosen = [one for one in showcase.entries_of(slug) if one["team"] == team]
    monkeypatch.setattr(showcase, "entries_of", lambda _slug: chosen)
    monkeypatch.setattr(showcase, "EXAMPLES", (slug,))
    organizer = User.objects.create_superuser("admin@example.org", "a long password")
    showcase.prepare_examples(organizer=organizer, now=timezone.now(), say=lambda _text: None)
    for submission in Submission.objects.all():
        done = validation.validate(submission_id=submission.pk, clock=timezone.now)
        evaluation = evaluations.live_of(done)
        evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=timezone.now)
    for board in Board.objects.all():
        standings.rebuild(board_id=board.pk, now=timezone.now())
    return list(Submission.objects.select_related("phase__track__competition", "entrant__team"))


def run_script(monkeypatch, capsys, files: list[Path]) -> str:
    """Run the README's script as its user does, with the running scorer in place of the zip."""
    monkeypatch.setattr(sys, "argv", ["again.py", str(settings.BASE_DIR), *map(str, files)])
    monkeypatch.setattr(sys, "path", list(sys.path))
    capsys.readouterr()
    exec(compile(script(), "again.py", "exec"), {"__name__": "__main__"})  # noqa: S102  it is ours
    return str(capsys.readouterr().out)


def published(folder: Path, phase: Phase) -> Path:
    path = folder / f"{phase.track.slug}-data.json"
    path.write_text(json.dumps(Board.objects.get(phase=phase).data), "utf-8")
    return path


def files_of(folder: Path, submission: Submission, slug: str) -> list[Path]:
    phase = submission.phase
    receipt = folder / f"{phase.track.slug}-receipt.json"
    made = receipts.receipt(submission=submission, now=timezone.now())
    receipt.write_text(json.dumps(made), "utf-8")
    example = showcase.FOLDER / slug
    one = next(
        one for one in showcase.entries_of(slug) if one["team"] == submission.entrant.team.name
    )
    sent = next(one["file"] for one in one["files"] if one["track"] == phase.track.slug)
    text = (example / "competition.yaml").read_text("utf-8")
    block = text[text.index(f"slug: {phase.track.slug}\n") :]
    reference = re.search(r"references: (\S+)", block)
    assert reference is not None
    return [published(folder, phase), receipt, example / reference[1], example / sent]


@pytest.mark.parametrize(
    ("slug", "team", "rows"),
    [
        ("cantonese-pillars", "Team Ferry", 6),
        ("sea-leaderboard", "Team Monsoon", 3),
        ("stt-board", "Heron Voice", 3),
        ("meeting-protocol", "Cobalt", 1),
    ],
)
def test_a_stranger_finds_every_digit_again(slug, team, rows, tmp_path, monkeypatch, capsys):
    submissions = score_one_team(slug, team, monkeypatch)
    files = [path for one in submissions for path in files_of(tmp_path, one, slug)]
    composed = Phase.objects.filter(track__competition__slug=slug, track__kind="pillars")
    files += [published(tmp_path, phase) for phase in composed]
    said = run_script(monkeypatch, capsys, files)
    assert said.count(team) == rows
