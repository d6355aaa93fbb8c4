"""A validation report on the page: true totals, and what the sender must know despite a green verdict."""

from __future__ import annotations

import pytest

from grading.models import Submission
from tests.api.conftest import client_of
from tests.factories.grading import submit
from tests.grading.views.addresses import of_phase
from tests.site.markup import read

pytestmark = [pytest.mark.django_db(transaction=True)]


def shown(client, arena, submission) -> str:
    client.force_login(arena.captain)
    return read(client.get(submission.get_absolute_url()).content.decode()).text


def test_codes_are_counted_over_all_problems_not_only_the_listed(client, arena):
    arena.phase.limits = {"listed_problems": 5}
    arena.phase.save()
    submission = submit(arena, dict.fromkeys(arena.rows, "[giggle] [ x"))
    text = shown(client, arena, submission)
    assert "UNSUPPORTED_NVV_TAG 16 error" in text
    assert "MALFORMED_NVV_TAG 16 error" in text
    assert "5 of 32 problems are listed" in text
    report = client_of(arena.captain).get(f"/api/v1/submissions/{submission.code}/report/").json()
    assert {one["code"]: one["count"] for one in report["counts"]} == {
        "UNSUPPORTED_NVV_TAG": 16,
        "MALFORMED_NVV_TAG": 16,
    }
    Submission.objects.filter(pk=submission.pk).update(problem_counts=None)
    assert "Counts of the 5 listed problems." in shown(client, arena, submission)


def test_look_alikes_alone_are_warned_of_beside_the_good_verdict(client, arena):
    submission = submit(arena, dict.fromkeys(arena.rows, "【laugh】 x"))
    assert "the score will be near zero" in shown(client, arena, submission)


def test_a_clean_file_has_no_problems(client, arena):
    assert "No problems: 16 rows" in shown(client, arena, submit(arena, arena.perfect()))


def test_what_changes_with_the_state_is_inside_the_refreshed_part(client, arena):
    submission = submit(arena, {"en_0000": "only one"})
    client.force_login(arena.captain)
    html = client.get(submission.get_absolute_url(), {"seen": "older"}).content.decode()
    text = read(html).text
    assert "no slot used" in text
    assert "Quota today 0 of 3" in text
    assert of_phase("submission-create", arena) in html
