"""`manage.py rescore`, from the proposal to the switch."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from grading.enums import RescoringState
from grading.models import Rescoring
from grading.services import doorbell, recipes
from tests.factories.grading import NOW, scored
from tests.factories.rescoring import fail, give_score, references_bytes

pytestmark = pytest.mark.django_db


@pytest.fixture
def board(arena, monkeypatch):
    monkeypatch.setattr(doorbell, "_send", lambda name, row: None)
    rows = []
    for place, score in enumerate((60.0, 50.0, 40.0), 1):
        entrant, captain = arena.enter(f"Team {place}")
        rows.append(scored(arena, entrant, captain, score))
    return rows


def rescore(arena, act: str, *arguments: str) -> str:
    out = StringIO()
    place = (arena.competition.slug, arena.track.slug, arena.phase.slug)
    call_command("rescore", act, *place, *arguments, stdout=out)
    return out.getvalue()


def test_from_proposal_to_switch(arena, board, tmp_path):
    file = tmp_path / "references.jsonl"
    file.write_bytes(references_bytes(dict(list(arena.rows.items())[1:])))
    said = rescore(arena, "propose", "--references", str(file), "--reason", "One clip was cut.")
    proposal = Rescoring.objects.get()
    digest = proposal.recipe.digest
    assert digest in said
    assert "waiting   3" in rescore(arena, "status")
    fail(proposal, board[0], at=NOW)
    give_score(proposal, board[1], 50.0, at=NOW)
    give_score(proposal, board[2], 70.0, at=NOW)
    shown = rescore(arena, "preview")
    code = board[0].submission.code
    assert f"failed: {code} SCORER_CRASHED  Team 1" in shown
    assert "2 of 3 lines change" in shown
    for arguments in (("--to", "0" * 12), ("--to", digest[:11]), ("--to", digest)):
        with pytest.raises(CommandError):
            rescore(arena, "switch", *arguments)
    assert recipes.live_recipe(arena.phase) == proposal.replaced
    rescore(arena, "switch", "--to", digest[:12], "--accept-failure", code)
    assert recipes.live_recipe(arena.phase) == proposal.recipe


def test_what_is_dropped_or_cannot_be_found_is_said(arena, board, tmp_path):
    with pytest.raises(CommandError, match="No correction is proposed"):
        rescore(arena, "status")
    with pytest.raises(CommandError, match="No such file"):
        rescore(arena, "propose", "--references", str(tmp_path / "none"), "--reason", "x")
    file = tmp_path / "bad.jsonl"
    file.write_bytes(b'{"utt_id": "en_0000"}\n')
    with pytest.raises(CommandError, match="The references have faults"):
        rescore(arena, "propose", "--references", str(file), "--reason", "x")
    with pytest.raises(CommandError, match="There is no such phase"):
        call_command("rescore", "status", "none", "none", "none")
    file.write_bytes(references_bytes(dict(list(arena.rows.items())[1:])))
    rescore(arena, "propose", "--references", str(file), "--reason", "x")
    rescore(arena, "cancel")
    assert Rescoring.objects.get().state == RescoringState.CANCELLED
