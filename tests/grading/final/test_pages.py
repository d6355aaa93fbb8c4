"""Who sees a final board when: page, CSV, JSON and API say the same, and nothing before its time."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from competition.enums import BoardAct, EntrantKind, Role
from competition.models import EntrantMember, RoleGrant
from competition.services import publication
from competition.services.errors import ReasonMissing, WrongState
from grading.models import FinalAct, FinalBoard, FinalSystem, Notice, Rater, RatingExclusion
from grading.services.final import errors, marks, publishing
from tests.factories.accounts import UserFactory
from tests.factories.finals import LATER, Stage, rate
from tests.factories.grading import NOW
from tests.scoring.rating.finals import both

PEOPLE = "61.37"
"""A score of people that no page, file or mail may hold before its time."""


@pytest.fixture
def final(stage) -> Stage:
    """Two rated systems, one heard by the judge alone, a reference; a snapshot that is not published."""
    stage.judged("alpha", "70")
    stage.judged("beta", "60")
    stage.judged("gamma", "20")
    voice = stage.judged("voice", "90", kind=EntrantKind.UNOFFICIAL)
    selection = stage.select(n=2, reference=voice.code)
    rate(selection, {"alpha-tts": both(PEOPLE), "beta-tts": both("55"), "voice-tts": both("80")})
    stage.rank()
    return stage


def names_of(stage: Stage) -> list[str]:
    return [stage.competition.slug, "generation", "final"]


def addresses(stage: Stage) -> list[str]:
    urls = [
        reverse(f"grading:{name}", args=names_of(stage)) for name in ("final-csv", "final-json")
    ]
    return urls + [
        reverse(f"api-v1:{name}", args=names_of(stage)) for name in ("final", "final-csv")
    ]


def act(stage: Stage, kind: BoardAct, *, reason: str = "as planned") -> FinalAct:
    return publishing.act(
        actor=stage.organizer, phase=stage.phase, kind=kind, reason=reason, now=LATER
    )


def exclude_one(stage: Stage) -> None:
    rater = Rater.objects.filter(pseudonym__startswith="S1-en").first()
    RatingExclusion.objects.create(
        protocol=rater.protocol, kind="rater", rater=rater, reason="x", excluded_at=LATER
    )
    marks.note_change(phase_id=stage.phase.pk, now=LATER)
    stage.rank()


def test_before_publication_only_organizers_see_a_number(final, client):
    member = EntrantMember.objects.filter(entrant__team__name="alpha").get().user
    auditor, other = UserFactory(), UserFactory()
    RoleGrant.objects.create(
        competition=final.competition, user=auditor, role=Role.AUDITOR, granted_at=NOW
    )
    page = reverse("grading:final", args=names_of(final))
    for person in (None, member, auditor, other):
        client.logout()
        if person:
            client.force_login(person)
        answer = client.get(page)
        assert answer.status_code == 200
        assert "published" in answer.text
        assert ("File its papers" in answer.text) == (person == member)
        for secret in (PEOPLE, "beta", f"{0.3 * 70 + 0.7 * float(PEOPLE):.2f}"):
            assert secret not in answer.text.split("<main")[1]
        assert {client.get(url).status_code for url in addresses(final)} <= {404, 401}
    client.force_login(final.organizer)
    assert PEOPLE in client.get(page).text
    assert all(client.get(url).status_code == 200 for url in addresses(final)[:2])
    assert not any(PEOPLE in str(one.context) for one in Notice.objects.all())


def test_once_published_page_csv_json_and_api_say_the_same(final, client):
    act(final, BoardAct.PUBLISH)
    page = client.get(reverse("grading:final", args=names_of(final))).text
    data = json.loads(client.get(reverse("grading:final-json", args=names_of(final))).content)
    api = client.get(reverse("api-v1:final", args=names_of(final)))
    assert api.json() == data
    text = client.get(reverse("grading:final-csv", args=names_of(final))).content.decode(
        "utf-8-sig"
    )
    assert (
        client.get(reverse("api-v1:final-csv", args=names_of(final))).content.decode("utf-8-sig")
        == text
    )
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(text))}
    rated = {row["system"]: row for row in data["views"]["final"]["rated"]}
    assert rows.keys() == rated.keys() == {"alpha-tts", "beta-tts", "voice-tts"}
    for system, row in rated.items():
        assert float(rows[system]["score"]) == row["score"]
        assert rows[system]["place"] == (str(row["place"]) if row["place"] else "")
        for number in (row["score"], row["judge"], row["people"]):
            assert f"{number:.2f}" in page
    assert rated["alpha-tts"]["score"] == pytest.approx(0.3 * 70 + 0.7 * 61.37, abs=1e-9)
    assert rated["voice-tts"]["place"] is None
    assert [row["system"] for row in data["views"]["final"]["judged"]] == ["gamma-tts"]
    assert "human reference" in page
    assert "pseudonym" not in json.dumps(data)
    assert "-en-r0" not in json.dumps(data) + page


def test_simulated_raters_are_told_wherever_their_marks_are_shown(final, client):
    act(final, BoardAct.PUBLISH)
    page, data = (
        reverse(f"grading:{name}", args=names_of(final)) for name in ("final", "final-json")
    )
    assert "simulated" not in client.get(page).content.decode()
    assert client.get(data).json()["rating"]["simulated_raters"] == 0

    Rater.objects.filter(pseudonym__startswith="S1-").update(is_simulated=True)
    count = Rater.objects.filter(is_simulated=True).count()
    exclude_one(final)
    shown = client.get(page).content.decode()
    told = client.get(data).json()["rating"]
    assert told["simulated_raters"] == count - 1
    assert f"{count - 1} of {told['raters']} raters are simulated" in shown
    assert f"{count - 1} of them are simulated" in shown
    body = client.get(reverse("grading:final-csv", args=names_of(final))).content
    row = next(csv.DictReader(io.StringIO(body.decode("utf-8-sig"))))
    assert (row["raters"], row["simulated_raters"]) == (str(told["raters"]), str(count - 1))
    assert row["judge_is_stand_in"] == "False"


def test_an_unchanged_board_answers_304(final, client):
    act(final, BoardAct.PUBLISH)
    for name in ("grading:final-json", "api-v1:final"):
        url = reverse(name, args=names_of(final))
        etag = client.get(url).headers["ETag"]
        assert client.get(url, headers={"If-None-Match": etag}).status_code == 304
    exclude_one(final)
    assert client.get(url, headers={"If-None-Match": etag}).status_code == 200


def test_a_freeze_holds_back_what_comes_later_and_unfreezing_tells_why(final, client):
    act(final, BoardAct.PUBLISH)
    url = reverse("grading:final-json", args=names_of(final))
    before = client.get(url).json()
    act(final, BoardAct.FREEZE)
    exclude_one(final)
    held = client.get(url).json()
    assert held["is_frozen"]
    assert held["views"] == before["views"]
    assert held["number"] == before["number"]
    act(final, BoardAct.UNFREEZE)
    after = client.get(url).json()
    assert after["number"] > before["number"]
    assert after["history"][0]["changes"]["raters_fewer"] == 1
    assert after["history"][-1]["changes"] == {}
    page = client.get(reverse("grading:final", args=names_of(final))).text
    assert "1 rater counts no longer" in page
    assert "provisional" in page


def test_the_public_story_begins_with_the_publication(final, client):
    exclude_one(final)
    act(final, BoardAct.PUBLISH)
    url = reverse("grading:final-json", args=names_of(final))
    assert [one["changes"] for one in client.get(url).json()["history"]] == [{}]
    client.force_login(final.organizer)
    assert len(client.get(url).json()["history"]) == 2


def test_taking_down_hides_it_again_and_so_does_the_phases_own_board(final, client):
    url = reverse("grading:final-json", args=names_of(final))
    act(final, BoardAct.PUBLISH)
    assert client.get(url).status_code == 200
    act(final, BoardAct.TAKE_DOWN)
    assert client.get(url).status_code == 404
    act(final, BoardAct.PUBLISH)
    publication.act(
        actor=final.organizer,
        phase=final.phase,
        kind=BoardAct.TAKE_DOWN,
        reason="a fault",
        now=LATER,
    )
    assert client.get(url).status_code == 404


def test_acts_need_a_reason_a_state_and_somebody_to_show(final, stage):
    with pytest.raises(ReasonMissing):
        act(final, BoardAct.PUBLISH, reason=" ")
    for kind in (BoardAct.FREEZE, BoardAct.UNFREEZE, BoardAct.TAKE_DOWN):
        with pytest.raises(WrongState):
            act(final, kind)
    act(final, BoardAct.PUBLISH)
    with pytest.raises(WrongState):
        act(final, BoardAct.PUBLISH)
    assert FinalAct.objects.count() == 1
    assert Notice.objects.filter(kind="board").exists()


def test_nothing_withheld_is_published(stage):
    stage.judged("a", "70")
    with pytest.raises(errors.NoSelection):
        act(stage, BoardAct.PUBLISH)
    stage.select()
    stage.rank()
    with pytest.raises(errors.NothingRanked):
        act(stage, BoardAct.PUBLISH)


def test_the_console_selects_after_a_typed_word(stage, client):
    stage.judged("alpha", "70")
    stage.board()
    client.force_login(stage.organizer)
    url = reverse("grading:console-final", args=[stage.competition.slug, stage.phase.code])
    page = client.get(url)
    assert "alpha-tts" in page.text
    form = page.context["choice"].select
    values = {name: form[name].value() for name in ("n", "limit", "reference", "anchor", "digest")}
    select = reverse("grading:final-select", args=[stage.competition.slug, stage.phase.code])
    wrong = client.post(select, values | {"confirm": "yes"})
    assert wrong.status_code == 200
    assert not FinalSystem.objects.exists()
    done = client.post(select, values | {"confirm": form.word})
    assert done.status_code == 302
    assert FinalSystem.objects.count() == 1
    stage.rank()
    assert "alpha-tts" in client.get(url).text
    again = reverse("grading:final-recompute", args=[stage.competition.slug, stage.phase.code])
    assert client.post(again).status_code == 302
    publish = reverse(
        "grading:final-act", args=[stage.competition.slug, stage.phase.code, "publish"]
    )
    assert "No system has a final score" in client.post(publish, {"reason": "now"}).text


def test_a_track_without_marks_has_no_final_page(arena, client):
    url = reverse("grading:final", args=[arena.competition.slug, "understanding", "final"])
    assert client.get(url).status_code == 404


def test_an_extended_phase_shows_no_exact_digits_meanwhile(final, client):
    act(final, BoardAct.PUBLISH)
    final.phase.closes_at = timezone.now() + timedelta(days=365)
    final.phase.save()
    assert client.get(reverse("grading:final-json", args=names_of(final))).status_code == 404


def test_boards_are_heads_that_cannot_be_held_beyond_what_is_built(final):
    from django.db import IntegrityError, transaction

    board = FinalBoard.objects.get(phase=final.phase)
    for fields in ({"held_number": 1}, {"published_at": NOW, "held_number": 99}, {"built": 99}):
        with pytest.raises(IntegrityError), transaction.atomic():
            FinalBoard.objects.filter(pk=board.pk).update(**fields)
