"""The server's own submission: sent on time, scored end to end, its digits compared, seen by nobody."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from competition.models import Competition
from grading import canary_challenge as challenge
from grading import tasks
from grading.enums import EvaluationState, SubmissionKind, SubmissionState
from grading.models import Evaluation, Notice, QuotaEntry, Standing, Submission
from grading.scoring import evaluate, registry
from grading.scoring.types import Limits
from grading.services import canary, health, loading, sweep
from grading.services.canary import CanaryState
from tests.factories.accounts import UserFactory
from tests.factories.competition import REFERENCES
from tests.factories.grading import NOW
from tests.factories.tasks import run
from tests.grading.test_loading import DEFINITION

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=10)


def test_the_known_digits_are_what_the_scorer_gives():
    track = registry.get(challenge.KIND)
    params = track.params(challenge.PARAMS)
    checked = track.check(
        challenge.predictions(1), ids=challenge.languages(), params=params, limits=Limits()
    )
    found = evaluate.evaluate(
        track=track,
        params=params,
        references=track.references(challenge.references(), params),
        given=checked.predictions,
        phase_code=challenge.phase_code(),
    ).as_json()
    low, high = found["interval"]
    digits = {"score": found["score"], "low": low, "high": high, **found["components"]}
    assert digits == challenge.EXPECTED


def test_every_canary_has_bytes_of_its_own_and_the_same_content():
    files = [challenge.predictions(number) for number in range(200)]
    assert len(set(files)) == 200
    assert len({file.replace(b" ", b"") for file in files}) == 1


@pytest.fixture
def sent():
    """A canary that went the whole way."""
    submission = canary.start_if_due(now=NOW)
    run(tasks.validate_submission, submission.pk)
    Evaluation.objects.update(started_at=NOW, finished_at=NOW + timedelta(seconds=2))
    return submission


def test_a_canary_is_scored_end_to_end_with_the_right_digits(sent):
    verdict = canary.look(now=NOW + timedelta(minutes=1))
    assert (verdict.state, verdict.took) == (CanaryState.WELL, timedelta(seconds=2))
    assert sent.kind == SubmissionKind.CANARY


def test_one_is_sent_every_ten_minutes_and_not_before(sent):
    assert canary.start_if_due(now=NOW + timedelta(minutes=9)) is None
    again = canary.start_if_due(now=LATER)
    assert again.number == sent.number + 1
    assert again.content_id != sent.content_id


def test_none_is_sent_where_it_is_switched_off(settings):
    settings.CANARY_SECONDS = 0
    assert canary.start_if_due(now=NOW) is None
    assert canary.look(now=NOW).state == CanaryState.NONE


def test_two_servers_send_one(sent):
    phase = canary.ensure_phase(now=LATER)
    stored = canary.storage.store_stream([challenge.predictions(2)], limit=canary.LARGEST)
    first = canary._send(sent.entrant, phase, 2, stored, LATER)
    assert first is not None
    assert canary._send(sent.entrant, phase, 2, stored, LATER) is None


def test_canaries_take_no_quota_no_board_no_mail_and_no_page(sent, client: Client):
    sweep.sweep(now=LATER)
    assert not QuotaEntry.objects.exists()
    assert not Standing.objects.exists()
    assert not Notice.objects.exists()
    for user in (None, UserFactory()):
        if user:
            client.force_login(user)
        assert canary.SLUG not in client.get("/").content.decode()
        assert client.get(f"/competitions/{canary.SLUG}/").status_code == 404
        assert client.get(f"/submissions/{sent.code}/").status_code in {302, 404}


def test_an_administrator_can_look_at_a_canary(sent, client: Client):
    client.force_login(UserFactory(is_superuser=True, is_staff=True))
    for path in (f"/submissions/{sent.code}/", f"/competitions/{canary.SLUG}/console/"):
        assert client.get(path).status_code == 200
    assert client.get(f"/competitions/{canary.SLUG}/console/boards/").status_code == 200


def test_wrong_digits_are_an_alarm(sent, monkeypatch):
    monkeypatch.setitem(challenge.EXPECTED, "score", 1.0)
    (finding,) = health.examine(now=LATER, parts=("canary",))
    assert not finding.ok
    assert "other digits" in finding.remedy


def test_a_canary_that_does_not_come_back_is_an_alarm(sent):
    late = NOW + timedelta(minutes=26)
    assert canary.look(now=NOW + timedelta(minutes=24)).state == CanaryState.WELL
    assert canary.look(now=late).state == CanaryState.LATE


def test_the_first_canary_that_never_ends_is_an_alarm():
    assert canary.look(now=NOW).state == CanaryState.NONE
    canary.start_if_due(now=NOW)
    assert canary.look(now=NOW + timedelta(minutes=1)).state == CanaryState.NONE
    assert canary.look(now=NOW + timedelta(minutes=26)).state == CanaryState.LATE


@pytest.mark.slow
def test_a_canary_that_fails_is_an_alarm_until_the_next_one_is_well(sent):
    Evaluation.objects.update(
        state=EvaluationState.FAILED, score=None, failure_code="SCORER_MEMORY"
    )
    Submission.objects.update(state=SubmissionState.FAILED, failure_code="SCORER_MEMORY")
    verdict = canary.look(now=LATER)
    assert (verdict.state, verdict.code) == (CanaryState.FAILED, "SCORER_MEMORY")
    again = canary.start_if_due(now=LATER)
    run(tasks.validate_submission, again.pk)
    assert canary.look(now=LATER).state == CanaryState.WELL


def test_bytes_of_old_canaries_are_removed_and_their_scores_stay(sent):
    assert canary.remove_old_bytes(NOW + timedelta(hours=23)) == 0
    canary.remove_old_bytes(NOW + timedelta(hours=25))
    sent.refresh_from_db()
    assert sent.storage_key == ""
    assert canary.look(now=LATER).state == CanaryState.WELL


def test_the_challenge_is_made_once(sent):
    canary.ensure_phase(now=LATER)
    assert Competition.objects.count() == 1


def test_no_competition_of_anybody_takes_its_name(tmp_path):
    text = DEFINITION.replace("slug: challenge", f"slug: {canary.SLUG}")
    for name in ("dev.jsonl", "final.jsonl"):
        (tmp_path / name).write_bytes(REFERENCES)
    made = loading.plan(definition_text=text, base_dir=tmp_path, now=NOW)
    assert [fault.path for fault in made.faults] == ["slug"]
    assert "the server's own" in made.faults[0].message
