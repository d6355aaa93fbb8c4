"""An organizer brings outputs, sees their scores come, and publishes, without a reload of their own."""

from __future__ import annotations

import pytest
from django.utils import timezone

from grading.enums import VerificationState
from grading.models import VerificationPublication, VerificationRun
from tests.browser.conftest import session_of, until
from tests.factories.competition import RoleGrantFactory
from tests.factories.verification import make_stage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LEAVES = """() => [...document.querySelectorAll("td *")].filter((node) => {
  const cell = node.closest("td").getBoundingClientRect();
  return node.getBoundingClientRect().right > cell.right + 1 && !node.closest(".hidden");
}).map((node) => node.textContent.trim().slice(0, 60))"""
PROBLEM = {"code": "MISSING_SAMPLES", "severity": "error", "line": None, "member": None}


@pytest.fixture
def stage(settings, tmp_path):
    settings.HIDDEN_FILES, settings.PUBLIC_FILES = tmp_path / "hidden", tmp_path / "public"
    return make_stage()


def look(open_page, live_server, stage, found):
    organizer = RoleGrantFactory(competition=stage.arena.competition).user
    page = open_page("/")
    page.context.add_cookies(session_of(organizer, live_server.url))
    page.goto(f"/competitions/{stage.arena.competition.slug}/console/verification/{found.code}/")
    return page


def waiting(stage, found, place: int) -> VerificationRun:
    """Return an output that waits, as while no worker has come to it."""
    done = stage.scored(found, place, place)
    VerificationRun.objects.filter(pk=done.pk).update(
        state=VerificationState.QUEUED, finished_at=None
    )
    return done


def end(run: VerificationRun, state: str, **fields: object) -> None:
    VerificationRun.objects.filter(pk=run.pk).update(
        state=state, finished_at=timezone.now(), **fields
    )


def test_scores_come_and_are_published_without_a_reload(open_page, live_server, stage):
    found = stage.begin()
    for place in (0, 1):
        stage.scored(found, place, place)
    last = waiting(stage, found, 2)
    page = look(open_page, live_server, stage, found)
    assert "Still missing: " in page.inner_text("#publish")
    end(last, VerificationState.SCORED)
    until(page, "document.querySelector('#publish form') !== null")
    assert "queued" not in page.inner_text("#outputs")
    assert "Every output is scored." in page.inner_text("#lines")
    page.fill("#publish [name=confirm]", page.inner_text("#publish label").split()[1])
    page.click("#publish button.danger")
    page.wait_for_selector("text=The final standing is published.")
    assert VerificationPublication.objects.filter(verification=found).exists()


def test_what_is_wrong_with_an_output_comes_by_itself_and_stays_in_its_cell(
    open_page, live_server, stage
):
    found = stage.begin()
    run = waiting(stage, found, 0)
    page = look(open_page, live_server, stage, found)
    ids = [f"an_id_that_is_rather_long_{number}" for number in range(5)]
    problem = PROBLEM | {"utt_id": ids[0], "params": {"count": 5, "of": 12, "ids": ids}}
    end(run, VerificationState.REJECTED, problems=[problem], problems_total=1)
    until(page, "document.querySelector('#outputs').textContent.includes('1 problem')")
    assert "Mend the file and bring it again." in page.inner_text("#outputs")
    assert page.evaluate(LEAVES) == []
