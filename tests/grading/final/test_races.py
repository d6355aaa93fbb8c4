"""Two at once on PostgreSQL: rebuilds, selections, filings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from grading.enums import FilingKind
from grading.models import Filing, FinalBoard, FinalRanking, FinalSelection, FinalStanding
from grading.services.final import choosing, errors, filings, marks, rankings
from grading.services.final.choosing import Wish
from grading.services.final.filings import SentPaper
from tests.factories.finals import LATER, make_stage, rate
from tests.factories.grading import NOW
from tests.scoring.rating.finals import both

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def at_once(*acts):
    """Run acts in threads of their own that begin together; return what each gave or raised."""
    start = Barrier(len(acts))

    def run(act):
        start.wait()
        try:
            return act()
        except errors.SelectionStands as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_two_rebuilds_and_an_answer_between_them_leave_whole_snapshots():
    stage = make_stage()
    stage.judged("a", "70")
    rate(stage.select(), {"a-tts": both("60")})
    board = FinalBoard.objects.get(phase=stage.phase)
    at_once(
        lambda: rankings.rebuild(board_id=board.pk, now=LATER),
        lambda: rankings.rebuild(board_id=board.pk, now=LATER),
        lambda: marks.note_change(phase_id=stage.phase.pk, now=LATER),
    )
    rankings.rebuild(board_id=board.pk, now=LATER)
    board.refresh_from_db()
    assert board.built == board.wanted
    found = rankings.take(board)
    same = FinalRanking.objects.filter(board=board, inputs_digest=found.inputs_digest)
    assert same.get().digest == found.digest
    assert rankings.newest(board) == same.get()
    assert FinalStanding.objects.filter(ranking=same.get()).count() == 3


def test_of_two_selections_at_once_one_is_recorded():
    stage = make_stage()
    stage.judged("a", "70")
    stage.board()
    digest = choosing.propose(stage.phase, wish=Wish(), now=NOW).digest

    def record():
        return choosing.record(
            actor=stage.organizer, phase=stage.phase, wish=Wish(), digest=digest, now=NOW
        )

    found = at_once(record, record)
    assert sorted(isinstance(one, FinalSelection) for one in found) == [False, True]
    assert FinalSelection.objects.count() == 1


def test_papers_filed_at_once_get_numbers_of_their_own():
    stage = make_stage()
    stage.judged("a", "70")
    system = stage.select().systems.get()
    sent = SentPaper(text="A small model.")

    def file():
        return filings.file(
            actor=system.submission.uploader,
            system=system,
            kind=FilingKind.MATERIAL,
            sent=sent,
            now=NOW,
        )

    at_once(file, file, file)
    assert sorted(Filing.objects.values_list("number", flat=True)) == [1, 2, 3]
