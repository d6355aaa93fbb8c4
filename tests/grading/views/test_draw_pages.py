"""Pages of draws: found from the competition's pages, and offering what does something alone."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from competition.enums import Pool
from competition.models import DatasetVersion, DrawWindow
from grading.services import draws
from grading.services.draws import Plan
from tests.factories.competition import NOW, RoleGrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory

pytestmark = pytest.mark.django_db

OPENS, CLOSES = NOW + timedelta(days=1), NOW + timedelta(days=8)
DURING, AFTER = NOW + timedelta(days=2), NOW + timedelta(days=9)


@pytest.fixture
def version() -> DatasetVersion:
    """A pool of eight clips."""
    made: DatasetVersion = DatasetVersionFactory(clip_count=8)
    for number in range(8):
        DatasetClipFactory(version=made, utt_id=f"clip_{number}")
    return made


@pytest.fixture
def window(version: DatasetVersion) -> DrawWindow:
    plan = Plan(n=3, opens_at=OPENS, closes_at=CLOSES)
    return draws.commit(actor=None, version=version, plan=plan, now=NOW)


def console(window: DrawWindow, now: datetime) -> str:
    """Return what an organizer reads on the window's page at a moment."""
    client = Client()
    with time_machine.travel(now, tick=False):
        client.force_login(RoleGrantFactory(competition=window.competition).user)
        path = reverse("grading:console-draw", args=[window.competition.slug, window.code])
        return str(client.get(path).content.decode())


def test_a_draw_is_offered_where_it_does_something(window: DrawWindow) -> None:
    act = reverse("grading:window-act", args=[window.competition.slug, window.code, "draw"])
    assert act not in console(window, NOW)
    assert act in console(window, DURING)
    assert act in console(window, AFTER)
    draws.draw(window=window, now=DURING)
    assert act not in console(window, DURING)
    assert act not in console(window, AFTER)
    client = Client()
    with time_machine.travel(DURING, tick=False):
        client.force_login(RoleGrantFactory(competition=window.competition).user)
        assert "nothing has changed" in client.post(act, follow=True).content.decode()


def test_the_page_says_what_comes_next(window: DrawWindow) -> None:
    assert "Come back when the window opens" in console(window, NOW)
    assert "Next: draw its clips" in console(window, DURING)
    assert "before you reveal the seed" in console(window, AFTER)
    draws.draw(window=window, now=DURING)
    assert "you publish the seed here" in console(window, DURING)
    assert "Next: reveal the seed" in console(window, AFTER)
    draws.reveal(actor=None, window=window, now=AFTER)
    assert "Nothing is left to do" in console(window, AFTER)


def test_a_window_that_nothing_was_drawn_from_is_revealed_without_an_offer(
    window: DrawWindow,
) -> None:
    draws.reveal(actor=None, window=window, now=AFTER)
    act = reverse("grading:window-act", args=[window.competition.slug, window.code, "draw"])
    assert act not in console(window, AFTER)


def test_all_that_is_wrong_with_a_window_stands_at_its_fields(version: DatasetVersion) -> None:
    competition = version.dataset.competition
    held: DatasetVersion = DatasetVersionFactory(dataset__competition=competition)
    DatasetClipFactory(version=held, audio__pool=Pool.HELD_OUT)
    client, path = Client(), reverse("grading:window-create", args=[competition.slug])
    client.force_login(RoleGrantFactory(competition=competition).user)
    wrong = {
        "version": version.pk, "n": "9", "strata": "tier",
        "opens_at": "2020-01-02 00:00 AoE", "closes_at": "2020-01-01 00:00 AoE",
    }  # fmt: skip
    form = client.post(path, wrong).context["form"]
    assert set(form.errors) == {"n", "opens_at", "closes_at"}
    assert list(form.fields["version"].queryset) == [version]


@pytest.mark.parametrize("name", ["competition-detail", "data", "timeline"])
def test_draws_have_a_tab_once_there_is_a_window(version: DatasetVersion, name: str) -> None:
    competition = version.dataset.competition
    path = reverse(f"competition:{name}", args=[competition.slug])
    listed = reverse("grading:draws", args=[competition.slug])
    assert f'href="{listed}"' not in Client().get(path).content.decode()
    plan = Plan(n=3, opens_at=OPENS, closes_at=CLOSES)
    draws.commit(actor=None, version=version, plan=plan, now=NOW)
    assert f'href="{listed}"' in Client().get(path).content.decode()
