"""What people see of archives of clips: what to send, how far it is, what was found."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from grading.models import Submission
from grading.views.clips_page import length
from tests.browser.speech_world import IDS, make_speech_world
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(client):
    captain, things = make_speech_world(timezone.now())
    client.force_login(captain)

    def page(name: str, thing: str, query: str = "") -> str:
        answer = client.get(reverse(f"grading:{name}", kwargs=things[thing]) + query)
        assert answer.status_code == 200
        return re.sub(r"\s+", " ", answer.content.decode())

    return page


def rows(page: str) -> list[str]:
    return re.findall(r'<span class="mono">(gen_[^<]*)</span>', page)


def test_the_submit_page_says_what_this_track_takes(pages):
    page = pages("submission-create", "speech place")
    for said in (
        "gen_en_001.wav",
        "gen_zh_001.wav",
        "16-bit PCM, mono, 16,000 Hz",
        "0.1 to 60 seconds",
        "zip, tar or tar.gz",
        "At most 2 GiB",
        "the 40 utterances",
        "python -m grading.scoring check nvv-t2",
        "Files of up to 63.9 MiB can be checked here.",
        "/manifest/",
    ):
        assert said in page, said
    assert "JSON Lines" not in page
    assert "text_with_nvvs" not in page


def test_an_accepted_submission_shows_clips_durations_and_the_screen_apart(pages):
    page = pages("submission-detail", "clips")
    assert "40 clips, 2 min 08 s" in page
    assert page.count("20 clips, 1 min 04 s") == 2
    assert "remarks on 20 clips" in page
    assert "10 clips could not be measured" in page
    assert "It enters no score and no rank" in page
    report = page[page.index('id="report"') :]
    assert "SCREEN_" not in report, "the report is the one that the offline check gives"


def test_a_rejected_one_names_the_files_and_no_clips(pages):
    page = pages("submission-detail", "clips rejected")
    assert "mine/gen_zh_001.wav" in page
    assert "The sample rate is 44100 Hz; it must be 16000 Hz." in page
    assert "code, file or utt_id" in page
    assert "Did you mean" not in page
    assert 'id="clips"' not in page
    assert "There are no clips." in pages("clip-list", "clips rejected")


def test_progress_is_told_in_clips(pages):
    page = pages("submission-detail", "clips busy")
    assert "automatic screen" in page
    assert "12 of 40 clips" in page


def test_clips_are_paged_searched_and_chosen_by_what_was_found(pages):
    first, second = pages("clip-list", "clips"), pages("clip-list", "clips", "?page=2")
    assert rows(first) + rows(second) == sorted(IDS)
    assert rows(pages("clip-list", "clips", "?q=ZH_007")) == ["gen_zh_007"]
    dull = pages("clip-list", "clips", "?screen=SCREEN_BANDWIDTH")
    assert len(rows(dull)) == 10
    assert "10 of 40 clips fit the search." in dull
    assert "above 1800 Hz, less than 2600 Hz" in dull
    assert len(rows(pages("clip-list", "clips", "?screen=any"))) == 20
    assert "not measured" in pages("clip-list", "clips", "?screen=failed&q=gen")
    nothing = pages("clip-list", "clips", "?q=%3Cscript%3E")
    assert "No clip fits this search." in nothing
    assert "<script>" not in nothing.partition("<main")[2]


def test_nobody_else_sees_clips(client, pages):
    code = Submission.objects.filter(state="accepted").get().code
    client.force_login(UserFactory())
    assert client.get(reverse("grading:clip-list", args=[code])).status_code == 404


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.1, "0.1 s"),
        (59.94, "59.9 s"),
        (60, "1 min 00 s"),
        (3_599, "59 min 59 s"),
        (7_500, "2 h 05 min"),
    ],
)
def test_durations_are_told_as_people_say_them(seconds: float, said: str):
    assert length(seconds) == said
