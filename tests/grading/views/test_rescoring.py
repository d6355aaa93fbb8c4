"""The console's corrections as organizers use them, and as nobody else may."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile

from grading.enums import CheckState, RescoringState
from grading.models import Evaluation, RescoreCheck, Rescoring
from grading.services import recipes, rescore_checks, rescoring_queue, rescoring_switch
from tests.factories.grading import CANARY, NOW, scored
from tests.factories.rescoring import fail, give_score, propose, references_bytes
from tests.grading.views.addresses import of_competition, of_phase
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


@pytest.fixture
def board(arena, rebuild):
    rows = []
    for place, score in enumerate((60.0, 50.0, 40.0), 1):
        entrant, captain = arena.enter(f"Team {place}")
        rows.append(scored(arena, entrant, captain, score))
    rebuild()
    return rows


def addresses(arena) -> dict[str, str]:
    code = arena.phase.code
    names = ("rescoring", "rescoring-propose", "rescoring-switch", "rescoring-drop")
    return {name: of_competition(name, arena, code) for name in names}


def test_a_correction_goes_from_proposal_over_preview_to_the_switch(client, people, arena, board):
    client.force_login(people["organizer"])
    page = addresses(arena)
    empty = client.get(page["rescoring"]).content.decode()
    assert faults(empty) == []
    fewer = dict(list(arena.rows.items())[1:])
    sent = {
        "references": SimpleUploadedFile("references.jsonl", references_bytes(fewer)),
        "reason": "One recording was cut off.",
    }
    done = client.post(page["rescoring-propose"], sent, follow=True)
    assert done.redirect_chain[-1][0] == page["rescoring"]
    html = done.content.decode()
    assert faults(html) == []
    assert "0 of 3 scored, 0 failed, 0 running, 3 waiting." in read(html).text
    assert "3 submissions have no result under the new recipe yet" in html
    assert page["rescoring-switch"] not in html
    proposal = Rescoring.objects.get()
    for row, score in zip(board, (45.0, 50.5, 70.0), strict=True):
        give_score(proposal, row, score, at=NOW)
    html = client.get(page["rescoring"]).content.decode()
    text = read(html).text
    assert faults(html) == []
    assert text.index("Team 3") < text.index("Team 1") < text.index("Team 2")
    assert "3 → 1 +2 40.00 → 70.00 +30.00" in text
    assert "Utterances left out 1" in text
    word = proposal.recipe.digest[:12]
    sent = {"digest": proposal.recipe.digest, "confirm": "yes"}
    refused = client.post(page["rescoring-switch"], sent)
    assert "Nothing was changed." in refused.content.decode()
    assert recipes.live_recipe(arena.phase) == proposal.replaced
    client.post(page["rescoring-switch"], {**sent, "confirm": word})
    assert recipes.live_recipe(arena.phase) == proposal.recipe
    listed = client.get(of_competition("console-rescoring", arena)).content.decode()
    assert faults(listed) == []
    assert "One recording was cut off." in listed


def test_the_board_says_what_was_corrected_and_when(seen_by, arena, board):
    proposal = propose(arena, now=NOW)
    for row in board:
        give_score(proposal, row, 50.0, at=NOW)
    path = of_phase("board", arena)
    assert "corrected on" not in seen_by("anonymous", path).content.decode()
    rescoring_switch.switch(actor=None, phase=arena.phase, now=NOW)
    for who in ("anonymous", "organizer"):
        html = seen_by(who, path).content.decode()
        assert faults(html) == []
        assert html.count(f"corrected on {NOW.date().isoformat()}") == 3
        assert "The weights were wrong." in html
        assert proposal.recipe.digest[:12] in html


def test_failures_are_ticked_by_name(client, people, arena, board):
    proposal = propose(arena, now=NOW)
    fail(proposal, board[0], at=NOW)
    for row in board[1:]:
        give_score(proposal, row, 50.0, at=NOW)
    client.force_login(people["organizer"])
    page = addresses(arena)
    html = client.get(page["rescoring"]).content.decode()
    assert faults(html) == []
    code = board[0].submission.code
    assert f"Team 1 · {code}" in html
    sent = {"digest": proposal.recipe.digest, "confirm": proposal.recipe.digest[:12]}
    refused = client.post(page["rescoring-switch"], sent).content.decode()
    assert "was not accepted by name" in refused
    client.post(page["rescoring-switch"], {**sent, "accepted": [code]})
    proposal.refresh_from_db()
    assert (proposal.state, proposal.accepted_failures) == (RescoringState.SWITCHED, [code])


def test_progress_is_polled_until_every_submission_has_a_result(client, people, arena, board):
    proposal = propose(arena, now=NOW)
    client.force_login(people["organizer"])
    page = addresses(arena)["rescoring"]
    first = client.get(f"{page}?seen=nothing")
    assert (first.status_code, "hx-get" in first.content.decode()) == (200, True)
    assert client.get(f"{page}?seen=3-0-0-0").status_code == 204
    for row in board:
        give_score(proposal, row, 50.0, at=NOW)
    last = client.get(f"{page}?seen=3-0-0-0")
    assert (last.status_code, "hx-get" in last.content.decode()) == (286, False)


def test_what_is_refused_is_told_beside_what_was_typed(client, people, arena, board):
    client.force_login(people["organizer"])
    more = arena.rows | {"en_9999": ("en", f"more {CANARY}x")}
    sent = {
        "references": SimpleUploadedFile("references.jsonl", references_bytes(more)),
        "reason": "more of them",
    }
    html = client.post(addresses(arena)["rescoring-propose"], sent).content.decode()
    assert faults(html) == []
    assert "1 utterance that no submission holds" in html
    assert "more of them" in html
    assert CANARY not in html
    assert not Rescoring.objects.exists()


def test_dropping_keeps_the_board(client, people, arena, board):
    proposal = propose(arena, now=NOW)
    client.force_login(people["organizer"])
    html = client.post(addresses(arena)["rescoring-drop"], follow=True).content.decode()
    assert "Nothing has changed." in html
    proposal.refresh_from_db()
    assert proposal.state == RescoringState.CANCELLED
    again = client.post(addresses(arena)["rescoring-drop"], follow=True).content.decode()
    assert "No correction is proposed for this phase." in again


@pytest.mark.parametrize(
    ("who", "looks", "status"),
    [
        ("anonymous", 302, 302),
        ("outsider", 403, 403),
        ("captain", 403, 403),
        ("auditor", 200, 403),
    ],
)
def test_nobody_but_an_organizer_corrects_or_looks_ahead(
    client, seen_by, people, arena, board, who, looks, status
):
    propose(arena, now=NOW)
    pages = addresses(arena)
    assert seen_by(who, of_competition("console-rescoring", arena)).status_code == looks
    assert seen_by(who, pages["rescoring"]).status_code == status
    checks = of_competition("score-checks", arena, board[0].submission.code)
    assert seen_by(who, checks).status_code == status
    for name in ("rescoring-propose", "rescoring-switch", "rescoring-drop"):
        assert client.post(pages[name], {"reason": "x"}).status_code == status
    assert client.post(checks, {"reason": "x"}).status_code == status
    assert Rescoring.objects.get().state == RescoringState.OPEN
    assert not RescoreCheck.objects.exists()


def test_a_phase_of_another_competition_is_not_there(client, people, arena, board):
    client.force_login(people["organizer"])
    for name in ("rescoring", "score-checks"):
        assert client.get(of_competition(name, arena, "zzzzzzzzzz")).status_code == 404


def test_a_teams_own_pages_never_show_a_candidates_score(seen_by, client, people, arena, board):
    entrant = board[0].submission.entrant
    proposal = propose(arena, now=NOW)
    give_score(proposal, board[0], 12.345, at=NOW)
    client.force_login(board[0].submission.uploader)
    for path in (
        board[0].submission.get_absolute_url(),
        f"/competitions/{arena.competition.slug}/entrants/{entrant.code}/",
    ):
        html = client.get(path).content.decode()
        assert "12.3" not in html
        assert proposal.recipe.digest[:12] not in html


def test_an_organizer_has_a_score_computed_again(client, people, arena, board):
    client.force_login(people["organizer"])
    submission = board[0].submission
    path = of_competition("score-checks", arena, submission.code)
    assert path in client.get(submission.get_absolute_url()).content.decode()
    html = client.post(path, {"reason": "The team asks."}, follow=True).content.decode()
    assert faults(html) == []
    check = RescoreCheck.objects.get()
    assert (check.state, check.requested_by) == (CheckState.QUEUED, people["organizer"])
    again = client.post(path, {"reason": "The team asks."}).content.decode()
    assert "is being computed again already" in again
    RescoreCheck.objects.filter(pk=check.pk).update(
        state=CheckState.DIFFERS,
        finished_at=NOW,
        differences=["score"],
        found={
            **{name: getattr(board[0], name) for name in rescore_checks.COMPARED},
            "score": 61.0,
            "tallies_sha256": board[0].tallies.sha256,
        },
    )
    html = client.get(path).content.decode()
    assert faults(html) == []
    assert "Score 60.0 61.0 no" in read(html).text
    assert "propose a correction of the phase" in html


def test_pages_take_as_many_queries_for_three_rows_as_for_one(
    client, people, arena, django_assert_num_queries, rebuild
):
    client.force_login(people["organizer"])
    first = scored(arena, arena.entrant, arena.captain, 50.0)
    rebuild()
    proposal = propose(arena, now=NOW)
    give_score(proposal, first, 50.0, at=NOW)
    path = addresses(arena)["rescoring"]
    client.get(path)
    cache.clear()
    with django_assert_num_queries(23):
        client.get(path)
    for number in range(3):
        entrant, captain = arena.enter(f"Team {number}")
        give_score(proposal, scored(arena, entrant, captain, 40.0), 40.0 + number, at=NOW)
    rescoring_queue.fill(rescoring_id=proposal.pk, now=NOW)
    assert Evaluation.objects.filter(recipe=proposal.recipe).count() == 4
    cache.clear()
    with django_assert_num_queries(23):
        client.get(path)
