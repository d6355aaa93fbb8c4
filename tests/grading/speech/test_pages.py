"""Pages of a track that is scored by marks: board, submission, history, console, methodology, exports."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import time_machine

from accounts.models import User
from competition.enums import Feedback, Role
from competition.models import Phase, RoleGrant
from grading import sandbox
from grading.enums import JudgeRunState, JudgeStop
from grading.models import Board, Evaluation, JudgeRun, Submission
from grading.services import evaluations, judging_marks, standings
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, scored
from tests.factories.speech import make_speech_arena
from tests.grading.speech.marking import FAIR, GOOD, JUDGE, POOR, give
from tests.grading.speech.test_flow import IDS, accepted
from tests.grading.views.addresses import of_phase
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_the_phase():
    with time_machine.travel(NOW, tick=False):
        yield


def arena_of(**judge: Any) -> Arena:
    return make_speech_arena(IDS, params={"judge": {**JUDGE, **judge}}, feedback=Feedback.FULL)


def scored_here(arena: Arena, marks: dict[str, Any], **who: Any) -> Evaluation:
    """Return a scored evaluation; what the child process does is done in this one."""
    evaluation = accepted(arena, **who)
    give(evaluation, marks)
    evaluations.release(evaluation_id=evaluation.pk, now=NOW)
    claimed = evaluations.claim(evaluation_id=evaluation.pk, worker="w", now=NOW)
    job = evaluations.job_of(claimed) | {"marks": judging_marks.marks_of(claimed)}
    evaluations.finish(evaluation=claimed, result=sandbox.evaluate(job, _quiet), now=NOW)
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=NOW)
    return Evaluation.objects.get(pk=evaluation.pk)


def _quiet(_done: int, _total: int) -> None:
    return


def organizer_of(arena: Arena) -> User:
    person = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=person, role=Role.ORGANIZER, granted_at=NOW
    )
    return person


@pytest.fixture
def speech(db) -> Arena:
    return arena_of()


@pytest.fixture
def full(speech: Arena) -> Arena:
    """Two teams with scores, the first of which improved."""
    scored_here(speech, {i: [POOR if i < "u3" else FAIR] for i in IDS})
    scored_here(speech, {i: [GOOD if i < "u5" else FAIR] for i in IDS})
    rival, captain = speech.enter("Team Rival")
    scored_here(
        speech, {i: [FAIR if i < "u6" else POOR] for i in IDS}, entrant=rival, uploader=captain
    )
    return speech


def told(arena: Arena, submission: Submission) -> dict[str, Any]:
    """Return what the API tells the captain of a submission."""
    answer = client_of(arena.captain).get(f"/api/v1/submissions/{submission.code}/")
    assert answer.status_code == 200
    return answer.json()


def page_of(client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    html = response.content.decode()
    assert faults(html) == []
    return html


def test_the_board_has_the_tracks_own_columns_and_says_that_it_is_provisional(client, full):
    text = read(page_of(client, of_phase("board", full))).text
    assert "Provisional: the marks of Judge M alone" in text
    for word in ("accuracy of the vocalization", "effect of the vocalization", "naturalness"):
        assert word in text
    assert "mNTD" not in text
    assert "Tagged error rate" not in text
    assert "90–93" not in text
    for view in ("en", "zh"):
        assert "Band 1" in read(page_of(client, of_phase("board", full) + f"?view={view}")).text
    turned = page_of(client, of_phase("board", full) + "?sort=Q&order=reverse")
    assert turned.index("Team Rival") < turned.index(full.entrant.team.name)


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ({"is_stand_in": True}, "This judge is a stand-in that measures the signal"),
        (
            {"kind": "recorded", "base_url": None, "recording_sha256": "0" * 64},
            "The marks are replayed from recorded answers.",
        ),
    ],
)
def test_a_judge_that_is_none_is_labelled_beside_every_score(client, judge, said):
    arena = arena_of(**judge)
    evaluation = scored_here(arena, {i: [GOOD] for i in IDS})
    assert said in read(page_of(client, of_phase("board", arena))).text
    client.force_login(arena.captain)
    own = read(page_of(client, evaluation.submission.get_absolute_url())).text
    assert said in own
    assert "Provisional: the marks of Judge M alone" in own


def test_a_board_of_transcripts_says_nothing_of_judges(client, arena):
    scored(arena, arena.entrant, arena.captain, 50.0)
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=NOW)
    text = read(page_of(client, of_phase("board", arena))).text
    assert "Provisional" not in text
    assert "Tagged error rate" in text


def test_exports_have_the_columns_of_the_board(client, full):
    body = client.get(of_phase("board-csv", full)).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(body)))
    assert [row["team"] for row in rows] == [full.entrant.team.name, "Team Rival"]
    assert list(rows[0])[8:] == [
        "score", "low", "high", "zh", "en", "A", "P", "N", "Q", "E", "differs_from_first", "difference",
        "withheld_reason", "corrected_on", "judge",
    ]  # fmt: skip
    assert float(rows[0]["A"]) == Evaluation.objects.order_by("-score")[0].components["A"]
    assert {row["judge"] for row in rows} == {"model"}
    data = json.loads(client.get(of_phase("board-data", full)).content)
    assert [column["key"] for column in data["columns"]] == ["score", "A", "P", "N", "Q", "E"]
    assert data["recipe"]["params"]["judge"]["label"] == "Judge M"
    assert data["views"]["en"]["rows"][0]["components"].keys() == {"A", "P", "N", "Q", "E"}


def test_the_submission_shows_shares_and_what_moved(client, full):
    client.force_login(full.captain)
    best = Evaluation.objects.order_by("-score")[0]
    text = read(page_of(client, best.submission.get_absolute_url())).text
    assert "A, weight 0.30" in text
    assert "Shares of the mean marks: A accuracy of the vocalization" in text
    assert "TP" not in text
    assert "By label" not in text
    assert "appear when the phase closes" not in text


def test_a_waiting_submission_shows_how_far_its_judge_is(client, speech):
    client.force_login(speech.captain)
    evaluation = accepted(speech)
    path = evaluation.submission.get_absolute_url()
    assert "Waiting for the judge" in read(page_of(client, path)).text
    evaluations.note_judging(evaluation_id=evaluation.pk, done=3, total=8, now=NOW)
    text = read(page_of(client, path)).text
    assert "3 of 8 answers of the judge" in text
    assert "Scoring has begun, so it counts" in text
    api = told(speech, evaluation.submission)
    assert (api["stage"], api["reason"], api["result"]) == ("waiting", "", None)


def test_a_stopped_judge_is_told_in_words_on_the_page_and_by_the_api(client, speech):
    client.force_login(speech.captain)
    evaluation = accepted(speech)
    stop = JudgeStop.values[0]
    JudgeRun.objects.create(
        evaluation=evaluation,
        definition_digest="0" * 64,
        created_at=NOW,
        state=JudgeRunState.STOPPED,
        stop_reason=stop,
    )
    reason = str(JudgeStop(stop).label)
    assert reason in read(page_of(client, evaluation.submission.get_absolute_url())).text
    api = told(speech, evaluation.submission)
    assert api["reason"] == reason


def test_without_a_judge_the_page_says_so(client):
    arena = make_speech_arena(IDS)
    client.force_login(arena.captain)
    evaluation = accepted(arena)
    text = read(page_of(client, evaluation.submission.get_absolute_url())).text
    assert "No judge is named for this phase yet" in text


def test_a_teams_history_has_the_parts_of_its_track(client, full):
    text = read(
        page_of(client, f"/competitions/{full.competition.slug}/entrants/{full.entrant.code}/")
    ).text
    assert "mNTD" not in text
    assert "on the board" in text


def test_organizers_see_marks_utterance_by_utterance_and_no_alignment(client, full):
    client.force_login(organizer_of(full))
    code = Evaluation.objects.order_by("-score")[0].submission.code
    path = f"/competitions/{full.competition.slug}/console/submissions/{code}/"
    html = page_of(client, path + "?order=A")
    assert "marks after cap, median and mean" in read(html).text
    assert html.index("u5") < html.index("u0")
    assert client.get(path + "?utt=u0").status_code == 404
    assert "waiting for marks" not in read(html).text


def test_the_console_lists_what_waits_for_marks(client, speech):
    client.force_login(organizer_of(speech))
    evaluation = accepted(speech)
    evaluations.note_judging(evaluation_id=evaluation.pk, done=2, total=8, now=NOW)
    base = f"/competitions/{speech.competition.slug}/console/"
    text = read(page_of(client, base)).text
    assert "waiting for marks" in text
    assert "25 %" in text
    listed = page_of(client, f"{base}submissions/?state=waiting")
    assert evaluation.submission.system in read(listed).text


def test_the_methodology_and_the_data_page_are_the_tracks_own(client, speech):
    base = f"/competitions/{speech.competition.slug}"
    text = read(page_of(client, f"{base}/tracks/{speech.track.slug}/methodology/")).text
    assert "norm(m) = max(0, min(1, (m − 1) / 4))" in text
    assert "--marks marks.jsonl" in text
    assert "Judge M" in text
    data = read(page_of(client, f"{base}/data/")).text
    assert "One WAV file for each text" in data
    assert "JSON object per line" not in data


def test_rounded_feedback_gives_two_decimals_and_no_mean_marks(client, full):
    Phase.objects.filter(pk=full.phase.pk).update(feedback=Feedback.ROUNDED)
    client.force_login(full.captain)
    best = Evaluation.objects.order_by("-score")[0]
    api = told(full, best.submission)
    part = api["result"]["languages"]["en"]
    assert set(part) == {
        "score",
        "A",
        "P",
        "N",
        "Q",
        "E",
        "interval",
        "interval_reason",
        "utterances",
    }
    assert part["A"] == round(best.languages["en"]["A"], 2)
