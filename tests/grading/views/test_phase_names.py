"""Where a competition has several tracks, no page and no mail names a phase alone."""

from __future__ import annotations

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from competition.enums import BoardAct, Role
from competition.models import BoardChange, DeadlineChange, Phase, RoleGrant, Track
from grading.models import Notice
from grading.services import news
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, make_arena, references
from tests.site.markup import read

pytestmark = pytest.mark.django_db
NAME = "Final · Understanding"


@pytest.fixture
def two_tracks(db) -> Arena:
    """A competition with two tracks, each with a phase called Final."""
    with time_machine.travel(NOW, tick=False):
        arena = make_arena()
        Track.objects.filter(pk=arena.track.pk).update(texts={"en": {"title": "Understanding"}})
        Phase.objects.filter(pk=arena.phase.pk).update(texts={"en": {"title": "Final"}})
        other = Track.objects.create(
            competition=arena.competition,
            slug="second",
            kind=arena.track.kind,
            texts={"en": {"title": "Generation"}},
            params={},
        )
        Phase.objects.create(
            track=other,
            slug="final",
            texts={"en": {"title": "Final"}},
            references=references(other, {"u1": ("en", "[laugh] Well.")}, NOW),
            opens_at=arena.phase.opens_at,
            closes_at=arena.phase.closes_at,
        )
        yield Arena(
            type(arena.competition).objects.get(pk=arena.competition.pk),
            Track.objects.get(pk=arena.track.pk),
            Phase.objects.get(pk=arena.phase.pk),
            arena.entrant,
            arena.captain,
            arena.rows,
        )


def text_of(client, name: str, *args: str) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200, name
    return read(response.content.decode()).text


def changed(arena: Arena, acts: int = 1) -> BoardChange:
    DeadlineChange.objects.create(
        phase=arena.phase, field="closes_at", old=None, new=NOW, reason="x", at=NOW
    )
    for _ in range(acts):
        change = BoardChange.objects.create(
            phase=arena.phase, act=BoardAct.FREEZE, reason="y", at=NOW
        )
    return change


def test_a_teams_own_pages_name_the_track_with_the_phase(client, two_tracks):
    arena, slug = two_tracks, two_tracks.competition.slug
    client.force_login(arena.captain)
    text = text_of(client, "grading:submission-list", slug)
    assert text.count(NAME) >= 4  # the phase, its two links, its ledger
    assert text.count("Final · Generation") >= 4
    history = text_of(client, "grading:entrant-history", slug, arena.entrant.code)
    assert NAME in history
    assert "Final · Generation" in history
    assert NAME in text_of(client, "grading:board", slug, arena.track.slug, arena.phase.slug)
    changed(arena)
    assert NAME in text_of(client, "competition:timeline", slug)


def test_the_console_names_the_track_with_the_phase(client, two_tracks):
    arena, slug = two_tracks, two_tracks.competition.slug
    person = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=person, role=Role.ORGANIZER, granted_at=NOW
    )
    client.force_login(person)
    changed(arena)
    for name, *args in (
        ("grading:console-submissions", slug),
        ("grading:console-boards", slug),
        ("grading:console-deadlines", slug),
        ("grading:console-rescoring", slug),
        ("grading:board-act", slug, arena.phase.code, "freeze"),
    ):
        assert NAME in text_of(client, name, *args), name


def test_more_acts_on_boards_cost_no_more_statements(client, two_tracks):
    arena = two_tracks
    person = UserFactory()
    RoleGrant.objects.create(
        competition=arena.competition, user=person, role=Role.ORGANIZER, granted_at=NOW
    )
    client.force_login(person)
    path = reverse("grading:console-boards", args=[arena.competition.slug])
    counts = []
    for acts in (1, 5):
        changed(arena, acts)
        client.get(path)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            client.get(path)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_mails_name_the_track_with_the_phase(two_tracks):
    news.board_changed(change=changed(two_tracks), now=NOW)
    told = Notice.objects.filter(recipient=two_tracks.captain).get().context
    assert told["texts"]["phase"] == {"en": NAME}


def test_a_single_track_is_not_named_with_its_phase(arena):
    Phase.objects.filter(pk=arena.phase.pk).update(texts={"en": {"title": "Final"}})
    assert news.titles(Phase.objects.get(pk=arena.phase.pk)) == {"en": "Final"}
