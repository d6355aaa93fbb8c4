"""A judge that is none is named as such wherever its marks are shown, one word in every row."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.urls import reverse

from grading.models import Evaluation
from tests.factories.grading import NOW, Arena
from tests.grading.speech.marking import FAIR, GOOD
from tests.grading.speech.test_flow import IDS
from tests.grading.speech.test_pages import arena_of, organizer_of, page_of, scored_here, told
from tests.grading.views.addresses import of_phase
from tests.site.markup import read

pytestmark = pytest.mark.django_db
STAND_IN = "This judge is a stand-in that measures the signal"
RECORDED = "The marks are replayed from recorded answers."
RECORDING = {"kind": "recorded", "base_url": None, "recording_sha256": "0" * 64}
KINDS = [
    ({"is_stand_in": True}, STAND_IN, "stand-in judge"),
    (RECORDING, RECORDED, "recorded judge"),
]


@pytest.fixture(autouse=True)
def _in_the_phase():
    with time_machine.travel(NOW, tick=False):
        yield


def judged(**judge: Any) -> tuple[Arena, Evaluation]:
    arena = arena_of(**judge)
    return arena, scored_here(arena, {i: [GOOD if i < "u4" else FAIR] for i in IDS})


def console(arena: Arena, name: str, *args: str) -> str:
    return reverse(f"grading:{name}", args=[arena.competition.slug, *args])


@pytest.mark.parametrize(("judge", "sentence", "word"), KINDS)
def test_pages_that_show_its_scores_name_a_judge_that_is_none(client, judge, sentence, word):
    arena, evaluation = judged(**judge)
    overview = reverse("competition:competition-detail", args=[arena.competition.slug])
    history = console(arena, "entrant-history", arena.entrant.code)
    for path in (overview, history):
        text = read(page_of(client, path)).text
        assert sentence in text, path
        assert "Provisional: the marks of Judge M alone" in text, path
    html = page_of(client, history)
    assert f"<small>{word}</small>" in html
    assert f" · {word}</title>" in html
    client.force_login(arena.captain)
    assert f"<small>{word}</small>" in page_of(client, console(arena, "submission-list"))
    client.force_login(organizer_of(arena))
    assert f"<small>{word}</small>" in page_of(client, console(arena, "console-submissions"))
    marks = console(arena, "console-utterances", evaluation.submission.code)
    assert sentence in read(page_of(client, marks)).text


@pytest.mark.parametrize(
    ("judge", "kind"), [({"is_stand_in": True}, "stand-in"), (RECORDING, "recorded")]
)
def test_files_and_answers_name_a_judge_that_is_none(client, judge, kind):
    arena, evaluation = judged(**judge)
    body = client.get(of_phase("board-csv", arena)).content.decode("utf-8-sig")
    assert [row["judge"] for row in csv.DictReader(io.StringIO(body))] == [kind]
    facts = {
        "label": "Judge M",
        "is_stand_in": kind == "stand-in",
        "is_recorded": kind == "recorded",
        "is_provisional": True,
    }
    assert client.get(of_phase("board-json", arena)).json()["judge"] == facts
    assert told(arena, evaluation.submission)["result"]["judge"] == facts


def test_scores_of_a_model_are_provisional_and_say_no_more(client):
    arena, _evaluation = judged()
    html = page_of(client, console(arena, "entrant-history", arena.entrant.code))
    assert "<small>provisional</small>" in html
    assert "stand-in" not in html
    assert RECORDED not in html


def test_scores_without_a_judge_have_no_label(client, arena):
    html = page_of(client, console(arena, "entrant-history", arena.entrant.code))
    assert "provisional" not in html.lower()


def test_the_number_of_statements_does_not_grow_with_labelled_rows(
    client, django_assert_max_num_queries
):
    arena, _evaluation = judged(is_stand_in=True)
    client.force_login(arena.captain)
    path = console(arena, "submission-list")
    page_of(client, path)
    with django_assert_max_num_queries(100) as first:
        page_of(client, path)
    with time_machine.travel(NOW + timedelta(seconds=1), tick=False):
        scored_here(arena, {i: [FAIR] for i in IDS})
        with django_assert_max_num_queries(len(first)):
            page_of(client, path)
