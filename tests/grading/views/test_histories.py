from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from competition.enums import EntrantState, Feedback
from grading.enums import QuotaState, SubmissionState
from grading.identity import SINGLE_BYTES
from grading.services import upload_sessions
from tests.factories.grading import NOW, SubmissionFactory, quota_entry, scored
from tests.grading.views.addresses import of_competition
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def slot(arena, state: str, reason: str = "") -> None:
    submission = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        state=SubmissionState.REJECTED,
        validated_at=NOW,
    )
    entry = quota_entry(submission, state)
    entry.reason = reason
    entry.save()


def test_the_ledger_has_each_slot_with_what_became_of_it(client, arena):
    slot(arena, QuotaState.CHARGED)
    slot(arena, QuotaState.RESERVED)
    slot(arena, QuotaState.RELEASED, "rejected")
    client.force_login(arena.captain)
    html = client.get(of_competition("submission-list", arena)).content.decode()
    text = read(html).text
    assert faults(html) == []
    assert "2 used today, 2 in total" in text
    assert "released the file was rejected" in text
    assert "Quota today 2 of 3" in text
    assert "resets 2 Dec 2026, 12:00 UTC" in text


def test_ones_own_list_names_state_score_and_what_counts(client, arena):
    scored(arena, arena.entrant, arena.captain, 50.0, system="older-run")
    scored(arena, arena.entrant, arena.captain, 60.0, system="newer-run")
    client.force_login(arena.captain)
    text = read(client.get(of_competition("submission-list", arena)).content.decode()).text
    assert text.index("newer-run") < text.index("older-run")
    assert text.count("counts newer-run") == 1
    assert "60.00 59.00–61.00" in text


def test_without_a_team_the_page_says_how_to_get_one(seen_by, arena):
    html = seen_by("outsider", of_competition("submission-list", arena)).content.decode()
    assert faults(html) == []
    assert "Register a team" in html


def test_the_list_takes_as_many_queries_for_three_as_for_one(
    client, arena, django_assert_num_queries
):
    path = of_competition("submission-list", arena)
    client.force_login(arena.captain)
    scored(arena, arena.entrant, arena.captain, 50.0)
    client.get(path)
    with django_assert_num_queries(19):
        client.get(path)
    for score in (60.0, 70.0):
        scored(arena, arena.entrant, arena.captain, score)
    with django_assert_num_queries(19):
        client.get(path)


def history(arena) -> str:
    return of_competition("entrant-history", arena, arena.entrant.code)


def test_everybody_sees_an_entrants_scores_over_time(seen_by, arena, rebuild):
    for hours, score in enumerate((50.0, 64.0, 60.0)):
        scored(arena, arena.entrant, arena.captain, score, at=NOW - timedelta(hours=9 - hours))
    rebuild()
    html = seen_by("anonymous", history(arena)).content.decode()
    page = read(html)
    assert faults(html) == []
    assert [t.attributes["r"] for t in page.all("circle")] == ["4.5"] * 3
    assert page.text.index("60.00 59.00–61.00") < page.text.index("50.00 49.00–51.00")
    assert "place 1" in page.text


def test_a_history_shows_no_score_where_the_phase_gives_none(seen_by, arena, rebuild):
    arena.phase.feedback = Feedback.NONE
    arena.phase.save()
    scored(arena, arena.entrant, arena.captain, 61.25)
    rebuild()
    for who in ("anonymous", "rival", "captain"):
        assert "61.25" not in seen_by(who, history(arena)).content.decode()
    assert "61.25" in seen_by("organizer", history(arena)).content.decode()


def test_a_frozen_history_keeps_new_scores_from_others(seen_by, arena, rebuild):
    arena.phase.frozen_from = NOW - timedelta(hours=1)
    arena.phase.save()
    scored(arena, arena.entrant, arena.captain, 61.25)
    rebuild()
    assert "61.25" not in seen_by("rival", history(arena)).content.decode()
    assert "61.25" in seen_by("captain", history(arena)).content.decode()
    with time_machine.travel(NOW + timedelta(days=11), tick=False):
        assert "61.25" in seen_by("rival", history(arena)).content.decode()


def test_an_entrant_that_waits_is_not_there_for_others(seen_by, arena):
    arena.entrant.state = EntrantState.PENDING
    arena.entrant.save()
    seen = {
        who: seen_by(who, history(arena)).status_code
        for who in ("anonymous", "rival", "captain", "organizer", "auditor")
    }
    assert seen == {
        "anonymous": 404,
        "rival": 404,
        "captain": 200,
        "organizer": 200,
        "auditor": 200,
    }


def test_the_ledger_names_an_upload_that_is_not_complete(client, arena):
    begun = upload_sessions.begin(
        actor=arena.captain,
        phase=arena.phase,
        named=upload_sessions.Named("run.jsonl", "alder", "", SINGLE_BYTES + 1, ["0" * 64] * 4),
        created_at=NOW,
        now=NOW,
    )
    assert begun.is_new
    client.force_login(arena.captain)
    html = client.get(of_competition("submission-list", arena)).content.decode()
    assert "is reserved for the upload of run.jsonl" in html
    assert "1 used today" in html or "Quota today 1 of 3" in read(html).text
