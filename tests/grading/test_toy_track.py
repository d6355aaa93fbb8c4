"""One track more: its module, a line in the registry, a folder of cases; all the rest follows."""

from __future__ import annotations

import csv
import functools
import io
import json
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from competition.models import Competition
from grading import sandbox
from grading.enums import EvaluationState, SubmissionState
from grading.models import Evaluation, Submission
from grading.scoring import registry
from grading.scoring.cli.main import main
from grading.scoring.types import Problem, Severity
from grading.sentences import meaning, sentence
from grading.services import checking, child, evaluations, intake, loading, validation
from grading.storage import store_stream
from grading.views.board_rows import columns_of
from tests.factories.grading import enter
from tests.scoring.tracks.test_golden_folders import run_case
from tests.toy import vowels

pytestmark = pytest.mark.django_db

REAL_RUN = child.run
PHASE = ["toys", "counting", "final"]
GOLDEN = Path(vowels.__file__).parent / "golden"
CASE = json.loads((GOLDEN / "three-words.json").read_text("utf-8"))
DEFINITION = """
slug: toys
version: 1
state: published
languages: [en]
title: {en: Toys}
terms: {version: "1", text: {en: Be fair.}}
tracks:
  - slug: counting
    kind: vowels
    title: {en: Counting vowels}
    params: {limit: 5}
    phases:
      - slug: final
        title: {en: Final}
        opens_at: 2026-11-01 00:00 UTC
        closes_at: 2036-12-31 23:59 AoE
        references: words.jsonl
        feedback: full
"""


def lines(rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    """Have the track in this process, which also reads the files."""

    def run(job, **_more):
        return json.loads(json.dumps(sandbox.DOERS[job["do"]](job, lambda *_told: None)))

    monkeypatch.setattr(child, "run", run)
    with registry.also(vowels.TRACK):
        yield


@pytest.fixture
def phase(tmp_path: Path):
    """The toy's phase, loaded from a definition as any other."""
    (tmp_path / "words.jsonl").write_bytes(lines(CASE["references"]))
    plan = loading.plan(definition_text=DEFINITION, base_dir=tmp_path, now=timezone.now())
    assert plan.lines()
    assert not plan.faults
    competition = loading.apply(actor=None, plan=plan, now=timezone.now())
    return competition.tracks.get().phases.select_related("track__competition").get()


def send(phase, name: str, rows) -> Evaluation | None:
    """Upload a team's file, check and score it as a worker does."""
    now = timezone.now()
    competition = Competition.objects.get(pk=phase.track.competition_id)
    _entrant, captain = enter(competition, name)
    submission = intake.receive(
        actor=captain,
        phase=phase,
        system=f"{name} 1",
        note="",
        filename="counts.jsonl",
        stored=store_stream([lines(rows)], limit=1 << 20),
        created_at=now,
        now=now,
    )
    submission = validation.validate(submission_id=submission.pk, clock=timezone.now)
    if submission.state != SubmissionState.ACCEPTED:
        return None
    evaluation = evaluations.live_of(submission)
    return evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=timezone.now)


def counts(*numbers: int):
    told = {"provider": "Acme", "measured_on": "2026-11-20"}
    ids = ("en_1", "en_2", "ms_1")
    return [{"utt_id": i, "vowels": n, **told} for i, n in zip(ids, numbers, strict=True)]


def test_the_page_the_csv_and_the_data_say_the_same(phase, client):
    send(phase, "Near", counts(3, 0, 3))
    send(phase, "Wild", counts(3, 0, 9))
    data = client.get(reverse("grading:board-data", args=PHASE)).json()
    page = client.get(reverse("grading:board", args=PHASE)).content.decode()
    table = client.get(reverse("grading:board-csv", args=PHASE)).content.decode("utf-8-sig")
    lines_of = list(csv.DictReader(io.StringIO(table)))
    columns = columns_of(data, "")
    rows = data["views"]["final"]["rows"]
    assert [one["team"] for one in lines_of] == [row["entrant"]["team"] for row in rows]
    for row, line in zip(rows, lines_of, strict=True):
        for column in columns:
            told = {**row["components"], "score": row["score"], **_parts(row)}.get(column.key)
            assert line[column.key] == ("" if told is None else str(told))
            assert column.text(told) in page


def _parts(row):
    return {name: part["score"] for name, part in row["languages"].items()}


def test_its_golden_cases_run():
    for path in GOLDEN.glob("*.json"):
        run_case("vowels", json.loads(path.read_text("utf-8")))


def test_it_appears_on_board_page_methodology_api_and_exports(phase, client):
    near = send(phase, "Near", counts(3, 0, 3))
    far = send(phase, "Far", counts(3, 2, 1))
    wild = send(phase, "Wild", counts(3, 0, 9))
    assert [one.state for one in (near, far, wild)] == [EvaluationState.SCORED] * 3
    assert (near.score, far.score, wild.score) == (1 / 3, 1.0, None)
    page = client.get(reverse("grading:board", args=PHASE)).content.decode()
    assert page.index(">Near<") < page.index(">Far<") < page.index("Without a score")
    assert page.index("Without a score") < page.index(">Wild<")
    assert "One count is off by more than the limit." in page
    assert "lower is better" in page
    assert "0.333" in page
    assert "1/3" in page
    data = client.get(reverse("grading:board-data", args=PHASE)).json()
    assert data["lower_is_better"] is True
    rows = data["views"]["final"]["rows"]
    assert [row["place"] for row in rows] == [1, 2, None]
    assert (
        client.get("/api/v1/competitions/toys/tracks/counting/phases/final/board/").json() == data
    )
    table = client.get(reverse("grading:board-csv", args=PHASE)).content.decode("utf-8-sig")
    found = list(csv.DictReader(io.StringIO(table)))
    assert [row["team"] for row in found] == ["Near", "Far", "Wild"]
    assert [row["withheld_reason"] for row in found] == ["", "", "TOO_WILD"]
    assert found[0]["provider"] == "Acme"
    told = client.get(reverse("grading:methodology", args=PHASE[:2])).content.decode()
    assert "mean |sent − right|, withheld over 5" in told
    assert "banana" in told
    assert (
        "{&quot;utt_id&quot;"
        in client.get(reverse("competition:data", args=["toys"])).content.decode()
    )


def test_a_row_without_a_score_is_never_sorted(phase, client):
    send(phase, "Wild", counts(3, 0, 9))
    send(phase, "Far", counts(3, 2, 1))
    for order in ("", "&order=reverse"):
        page = client.get(f"{reverse('grading:board', args=PHASE)}?sort=hits{order}")
        text = page.content.decode()
        assert text.index(">Far<") < text.index(">Wild<")


def test_its_own_problems_are_told_in_its_own_words(phase):
    assert send(phase, "Wrong", counts(3, -1, 2)) is None
    found = Submission.objects.get()
    problem = found.problems.get(code="NOT_A_COUNT")
    told = Problem(problem.code, Severity.ERROR, params=problem.params)
    assert sentence(told) == "-1 is no number of vowels."
    assert meaning("NOT_A_COUNT") == "A count is a whole number, 0 or more."


def test_the_child_process_reads_and_scores_it(phase, monkeypatch):
    monkeypatch.setattr(child, "run", functools.partial(REAL_RUN, module="tests.toy.sandbox"))
    assert send(phase, "Near", counts(3, 0, 3)).score == 1 / 3


def test_a_file_can_be_checked_without_sending_it(phase, tmp_path: Path):
    _entrant, captain = enter(phase.track.competition, "Careful")
    path = tmp_path / "counts.jsonl"
    path.write_bytes(lines(counts(3, 0, 2)))
    report = checking.check_only(
        actor=captain, phase=phase, path=path, filename=path.name, now=timezone.now()
    )
    assert report.accepted


def test_the_command_line_checks_and_scores_it(tmp_path: Path, capsys):
    (tmp_path / "ref.jsonl").write_bytes(lines(CASE["references"]))
    (tmp_path / "sent.jsonl").write_bytes(lines(CASE["submission"]))
    known = ["vowels", "--reference", str(tmp_path / "ref.jsonl")]
    sent = ["--submission", str(tmp_path / "sent.jsonl")]
    assert main(["check", *known, *sent]) == 0
    assert main(["score", *known, *sent, "--json"]) == 0
    assert '"score": 1.0' in capsys.readouterr().out
    assert main(["score", *known, *sent]) == 0
    shown = capsys.readouterr().out
    assert "Miscount 1.000" in shown
    assert main(["methodology", "vowels"]) == 0
    (tmp_path / "sent.jsonl").write_bytes(lines(counts(1, -1, 1)))
    assert main(["check", *known, *sent]) == 1
    assert "-1 is no number of vowels." in capsys.readouterr().out
