from __future__ import annotations

from datetime import UTC, datetime, timedelta

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
    assert ">2 Dec 2026, 11:59 UTC</time>" in html
    assert 'data-local="2026-12-02T11:59:59Z"></span>' in html


def test_an_end_within_a_minute_is_shown_as_that_minute():
    html = times.deadline(NOON + timedelta(seconds=30))
    assert ">2 Dec 2026, 12:00 UTC</time>" in html


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 11, 30, 0, 5, tzinfo=UTC), "30 Nov 2026, 00:05:00 UTC · 29 Nov, 12:05 AoE"),
        (datetime(2026, 11, 30, 15, 0, tzinfo=UTC), "30 Nov 2026, 15:00:00 UTC · 03:00 AoE"),
    ],
)
def test_a_moment_in_two_zones_has_both_days_where_they_differ(moment, text):
    assert f">{text}</time>" in times.clock_time(moment)


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
        (datetime(2026, 12, 2, 11, 59, 59, tzinfo=UTC), "0d0h0min1s"),
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


def test_a_closing_phase_says_what_may_still_end_and_until_when():
    phase = Phase(opens_at=datetime(2026, 11, 1, 12, tzinfo=UTC), closes_at=NOON, grace_minutes=30)
    source = "{% clock phase %}"
    html = shown(source, phase=phase, server_now=NOON + timedelta(minutes=1))
    assert "only uploads that began in time may still end, until" in html
    assert "2 Dec 2026, 12:30 UTC" in html
    html = shown(source, phase=phase, server_now=NOON + timedelta(minutes=30))
    assert "may still end" not in html
