"""Marks that look like marks: each is refused by the server with its range, and none is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from grading.enums import RatingForm, TaskState
from grading.models import Rating, RatingTask
from tests.factories.grading import NOW
from tests.factories.hearing import ANSWER, SMALL, UUID
from tests.factories.listening import make_listening

pytestmark = pytest.mark.django_db

ODD = [
    " 4", "4 ", "\t4", "4\n", "\u00a04", "\u30004", "\u200b4", "\ufeff4", "4\0", "\x1f4",
    "+4", "-4", "-0", "04", "4.", "4.0", "4,0", ".4", "4e0", "4E0", "0x4", "0b100", "0o4", "4_0",
    "4/1", "8/2", "4%", "4!", "(4)", "[4]", "{4}", '"4"', "'4'", "`4`", "=4", "4;4", "4,4", "4-5",
    "٤", "४", "４", "四", "Ⅳ", "④", "⁴", "₄", "𝟒", "five", "A", "None", "null", "true",
    "nan", "-NaN", "inf", "1e400", "1e-400", "9" * 400, "4" * 2, "６", "NaN4", "<b>4</b>",
    "4' OR '1'='1", "../4", "%34", "&#52;", "\\u0034",
]  # fmt: skip
OUTSIDE = ["0", "6", "7", "8", "9"]
SCALES = {RatingForm.MOS: ("N",), RatingForm.NVV: tuple("APNQE")}


@pytest.mark.parametrize("form", SCALES)
def test_nothing_that_only_looks_like_a_mark_is_taken(client, form):
    listening = make_listening(now=NOW, form=form, systems=2, **SMALL)
    rater = listening.rater()
    task = listening.open_task(rater)
    client.force_login(rater.user)
    path = reverse("grading:rate-answer", kwargs={"code": rater.code, "task": task.code})
    good = ANSWER if form == RatingForm.NVV else {"N": "3"}
    wanted = "from 0 to 5" if form == RatingForm.NVV else "from 1 to 5"
    taken = []
    with time_machine.travel(NOW + timedelta(minutes=1), tick=False):
        for place, value in enumerate([*ODD, *OUTSIDE]):
            letters = [one for one in SCALES[form] if not (value == "0" and one in "AP")]
            letter = letters[place % len(letters)]
            answer = client.post(
                path, {**good, letter: value, "uuid": UUID}, HTTP_X_FRAGMENT="rating"
            )
            told = answer.json()
            words = wanted if letter in "AP" else "from 1 to 5"
            if (
                answer.status_code != 422
                or "score" not in told["message"]
                or words not in told["message"]
            ):
                taken.append((letter, value, answer.status_code, told))
        assert taken == []
        assert not Rating.objects.exists()
        both = f"{path}?N=5"  # what stands in the address is no field of the form
        sent = {**good, "N": ["9", "3"], "uuid": UUID}
        assert client.post(both, sent, HTTP_X_FRAGMENT="rating").status_code == 200
    assert Rating.objects.get().naturalness == 3
    assert RatingTask.objects.get(pk=task.pk).state == TaskState.ANSWERED
