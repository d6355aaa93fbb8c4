from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.template import Context, Template

from competition.models import Phase
from competition.templatetags import times

NOON = datetime(2026, 12, 2, 12, tzinfo=UTC)


def shown(source: str, **context: object) -> str:
    return Template("{% load times %}" + source).render(Context(context))


def test_an_end_is_shown_as_the_last_minute_that_counts():
    html = times.deadline(NOON)
    assert '<time datetime="2026-12-02T12:00:00Z">1 Dec 2026, 23:59 AoE</time>' in html
    assert ">2 Dec 2026, 12:00 UTC</time>" in html
    assert 'data-local="2026-12-02T12:00:00Z"></span>' in html


def test_a_beginning_is_shown_as_it_is():
    assert ">2 Dec 2026, 00:00 AoE</time>" in times.opening(NOON)


def test_a_moment_that_is_missing_is_a_dash():
    assert times.moment(None) == "–"
    assert times.day(None) == "–"
    assert times.changed_date(None, "frozen_from") == "–"


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (datetime(2026, 11, 29, 22, 6, tzinfo=UTC), "2d13h54min"),
        (datetime(2026, 12, 2, 11, 59, 59, tzinfo=UTC), "0d0h0min"),
        (NOON, "Closed"),
        (datetime(2026, 10, 31, 12, tzinfo=UTC), "1d0h0min"),
    ],
)
def test_the_clock_counts_to_what_is_next(now, words):
    phase = Phase(opens_at=datetime(2026, 11, 1, 12, tzinfo=UTC), closes_at=NOON)
    html = shown("{% clock phase %}", phase=phase, server_now=now)
    text = "".join(Template("{{ html|striptags }}").render(Context({"html": html})).split())
    assert text.startswith(words)


def test_the_clock_knows_the_server_s_time_so_that_a_wrong_clock_at_home_does_not_matter():
    phase = Phase(opens_at=datetime(2026, 11, 1, 12, tzinfo=UTC), closes_at=NOON)
    now = datetime(2026, 11, 29, 22, 6, tzinfo=UTC)
    html = shown("{% clock phase %}", phase=phase, server_now=now)
    assert 'data-until="2026-12-02T12:00:00Z" data-now="2026-11-29T22:06:00Z"' in html


@pytest.mark.parametrize("state", ["upcoming", "open", "grace", "closed"])
def test_every_state_of_a_phase_has_its_word(state):
    assert state[:4] in times.phase_badge(state) or "closing" in times.phase_badge(state)
