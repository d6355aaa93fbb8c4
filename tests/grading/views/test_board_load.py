"""A board with many rows, asked for by many: the same few queries, and every reader's own page."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competition.models import EntrantMember
from grading.models import Evaluation
from tests.factories.grading import NOW, scored
from tests.grading.views.addresses import of_phase
from tests.proofs.crowd import crowd

pytestmark = pytest.mark.django_db

PAGES = ("board", "board-csv", "board-json", "board-data")


def queries_of(seen_by, who: str, path: str) -> int:
    seen_by(who, path)
    with CaptureQueriesContext(connection) as found:
        assert seen_by(who, path).status_code == 200
    return len(found)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["anonymous", "captain", "organizer"])
def test_as_many_queries_for_two_hundred_entrants_as_for_ten(arena, seen_by, who):
    counts = {}
    for entrants in ("10", "200"):
        crowd(entrants, entrants)
        paths = {page: of_phase(page, arena) for page in PAGES}
        counts[entrants] = {page: queries_of(seen_by, who, path) for page, path in paths.items()}
        body = json.loads(seen_by(who, paths["board-json"]).content)
        assert len(body["rows"]) == int(entrants)
    assert counts["10"] == counts["200"]


def own_team(html: str) -> str:
    """Return the code of the row that is marked as the reader's own, empty for none."""
    before, *after = html.split('<span class="badge you">')
    assert len(after) < 2
    return before.rsplit('id="team-', 1)[1].split('"')[0] if after else ""


def test_a_kept_table_shows_each_reader_their_own_team_and_words(arena, seen_by, people):
    crowd("5", "5")
    path, spoken = of_phase("board", arena), ("en", "zh-hans", "zh-hant")
    readers = {"anonymous": "", "captain": arena.entrant.code, "organizer": ""}
    rival = EntrantMember.objects.get(user=people["rival"]).entrant.code
    for _again in range(2):
        for who, code in {**readers, "rival": rival}.items():
            pages = [
                seen_by(who, path, headers={"Accept-Language": one}).content.decode()
                for one in spoken
            ]
            assert [own_team(html) for html in pages] == [code] * 3
            assert ["Rank range" in html for html in pages] == [True, False, False]
            assert len(set(pages)) == len(spoken)


def test_a_freeze_keeps_what_organizers_see_apart(arena, seen_by, rebuild):
    scored(arena, arena.entrant, arena.captain, 40.0)
    Evaluation.objects.update(finished_at=NOW - timedelta(hours=1))
    arena.phase.frozen_from = NOW - timedelta(minutes=30)
    arena.phase.save()
    scored(arena, *arena.enter("Team Late"), 50.0)
    rebuild()
    for _again in range(2):
        for who, is_there in {"anonymous": False, "organizer": True, "rival": False}.items():
            for page in ("board", "board-csv", "board-json"):
                found = seen_by(who, of_phase(page, arena)).content.decode()
                assert ("Team Late" in found) is is_there
            assert "Team Late" not in seen_by(who, of_phase("board-data", arena)).content.decode()
