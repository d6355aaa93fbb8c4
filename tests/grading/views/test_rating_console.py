"""The organizer's pages of a rating, from the empty draft to the results."""

from __future__ import annotations

import io
import json
import re
import uuid
import wave
import zipfile
from dataclasses import fields
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from accounts.models import AuditEvent
from grading import rating_forms
from grading.enums import BrokenOutcome, ProtocolState, RatingForm
from grading.models import PlanSlot, Rating, RatingExclusion, Stimulus
from grading.scoring.rating.settings import ProtocolSettings, numbers_of
from grading.services.ratings import answers, controls, exchange, exchange_rows, figures, protocols
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW
from tests.factories.rating import SMALL, TRAP, Hall, make_hall

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)


def at(hall: Hall, name: str, *more: str) -> str:
    return reverse(f"grading:{name}", args=[hall.arena.competition.slug, hall.protocol.code, *more])


@pytest.fixture
def hall() -> Hall:
    return make_hall(is_open=False)


def test_a_draft_shows_how_many_raters_each_language_needs(client, hall):
    client.force_login(hall.organizer)
    page = client.get(at(hall, "rating-protocol")).content.decode()
    assert "the plan can complete" in page
    assert ">6</div>" in page  # three systems, two ratings each
    protocols.change_settings(
        actor=hall.organizer, protocol=hall.protocol, settings={**SMALL, "raters": 5}, now=NOW
    )
    page = client.get(at(hall, "rating-protocol")).content.decode()
    assert "TOO_FEW_RATERS" in page
    shown = client.post(at(hall, "rating-act", "open"), {"confirm": "open"})
    assert shown.status_code == 200
    assert "needs 6 raters, 5 are promised" in shown.content.decode()
    hall.protocol.refresh_from_db()
    assert hall.protocol.state == ProtocolState.DRAFT


def test_opening_needs_the_typed_word_and_freezes_the_numbers(client, hall):
    client.force_login(hall.organizer)
    assert client.post(at(hall, "rating-act", "open"), {"confirm": "yes"}).status_code == 200
    assert client.post(at(hall, "rating-act", "open"), {"confirm": "open"}).status_code == 302
    hall.protocol.refresh_from_db()
    assert hall.protocol.state == ProtocolState.OPEN
    numbers = {**protocols.settings_json(protocols.settings_of(hall.protocol)), "wanted": 3}
    refused = client.post(at(hall, "rating-settings"), numbers)
    assert "its numbers are frozen" in refused.content.decode()
    assert hall.protocol.opening.settings["wanted"] == 2


def test_the_progress_names_systems_for_organizers_alone(client):
    hall = make_hall()
    person = hall.rater()
    person.begin()
    person.rate()
    client.force_login(hall.organizer)
    page = client.get(at(hall, "rating-protocol")).content.decode()
    assert hall.submissions[0].system in page
    assert person.rater.pseudonym in page
    assert person.user.email not in page
    assert person.user.name not in page
    for user in (person.user, UserFactory()):
        client.force_login(user)
        assert client.get(at(hall, "rating-protocol")).status_code == 403
        assert client.get(at(hall, "rating-results")).status_code == 403
        assert client.get(at(hall, "rating-csv")).status_code == 403


@pytest.mark.slow
def test_results_are_withheld_until_every_stimulus_has_its_ratings(client):
    hall = make_hall(settings={"texts": 3, "wanted": 1, "raters": 3})
    panel = [hall.rater(language=language) for language in ("en", "zh") for _ in range(3)]
    for person in panel[:3]:
        person.rate_all()
    client.force_login(hall.organizer)
    page = client.get(at(hall, "rating-results")).content.decode()
    assert page.count("withheld") == 6
    for person in panel[3:]:
        person.rate_all()
    page = client.get(at(hall, "rating-results")).content.decode()
    assert "withheld" not in page
    assert page.count("complete") >= 3
    assert "alpha" in page


def test_the_results_say_whose_marks_no_person_gave(client):
    hall = make_hall(settings={"texts": 3, "wanted": 1, "raters": 3})
    person, other = hall.rater(), hall.rater()
    for one in (person, other):
        one.begin()
        one.rate()
    client.force_login(hall.organizer)
    assert "simulated" not in client.get(at(hall, "rating-results")).content.decode()
    hall.protocol.raters.filter(pk=person.rater.pk).update(is_simulated=True)
    page = client.get(at(hall, "rating-results")).content.decode()
    assert "1 of 2 raters is simulated: no person gave their marks." in page


def test_a_day_of_answers_that_do_not_count_rings_an_alarm(client):
    hall = make_hall(settings={"texts": 3, "wanted": 1, "raters": 3, "slack_ms": 60_000})
    person = hall.rater()
    person.begin()
    client.force_login(hall.organizer)
    assert "Fewer than half" not in client.get(at(hall, "rating-protocol")).content.decode()
    person.rate()
    page = client.get(at(hall, "rating-protocol")).content.decode()
    assert "Fewer than half of the answers of 2026-12-01 are valid: 0 of 3" in page


def test_what_is_left_out_is_kept_with_its_reason_and_may_count_again(client):
    hall = make_hall()
    person = hall.rater()
    person.begin()
    rating = person.rate(1)[0]
    client.force_login(hall.organizer)
    given = {"what": "rating", "code": rating.task.code, "reason": "phone rang"}
    assert client.post(at(hall, "rating-exclude"), given).status_code == 302
    exclusion = RatingExclusion.objects.get()
    assert "phone rang" in client.get(at(hall, "rating-exclude")).content.decode()
    assert client.post(at(hall, "rating-exclude"), given).status_code == 200
    assert PlanSlot.objects.filter(row__isnull=True).count() == 1
    lift = at(hall, "rating-lift", exclusion.code)
    assert client.post(lift, {"reason": "mistake"}).status_code == 302
    exclusion.refresh_from_db()
    assert exclusion.lifted_at is not None
    kinds = set(AuditEvent.objects.values_list("kind", flat=True))
    assert {"rating.excluded", "rating.exclusion_lifted"} <= kinds


def test_an_export_comes_back_and_changes_nothing(client):
    hall = make_hall()
    person = hall.rater(now=timezone.now() - timedelta(hours=1))
    person.begin()
    person.rate()
    client.force_login(hall.organizer)
    exported = client.get(at(hall, "rating-csv"))
    assert exported["Content-Disposition"].startswith("attachment")
    before = Rating.objects.count()
    file = io.BytesIO(exported.content)
    file.name = "ratings.csv"
    answer = client.post(at(hall, "rating-import"), {"table": file, "reason": "check"}, follow=True)
    assert f"0 ratings were added, {before} were here already" in answer.content.decode()
    assert Rating.objects.count() == before
    broken = io.BytesIO(exported.content.replace(b",scored,", b",score,"))
    broken.name = "ratings.csv"
    page = client.post(at(hall, "rating-import"), {"table": broken, "reason": "check"})
    assert "KIND_UNKNOWN" in page.content.decode()


def test_reports_hold_a_recording_until_it_is_decided(client):
    hall = make_hall(settings={"reports": 1})
    person = hall.rater()
    person.begin()
    task = person.claim().open
    answers.report_broken(actor=person.user, task=task, note="crackles", now=person.now)
    stimulus = Stimulus.objects.get(pk=task.stimulus_id)
    assert stimulus.held_at is not None
    client.force_login(hall.organizer)
    assert "held back" in client.get(at(hall, "rating-protocol")).content.decode()
    page = at(hall, "rating-report", stimulus.key)
    assert "crackles" in client.get(page).content.decode()
    given = {"outcome": BrokenOutcome.DROPPED, "reason": "silence"}
    assert client.post(page, given).status_code == 302
    assert stimulus.name not in hall.protocol.rated_utterances[stimulus.language]


def test_a_zip_of_items_is_taken_whole_or_every_fault_is_told(client, hall):
    client.force_login(hall.organizer)
    line = {"kind": "trap", "language": "en", "name": "t", "text": "Choose.", "file": "t.wav"}
    good = _zip([line | {"marks": TRAP}], {"t.wav": tone(1.0)})
    assert client.post(at(hall, "rating-controls"), {"archive": good}).status_code == 302
    assert Stimulus.objects.filter(protocol=hall.protocol, name="t").get().expected == TRAP
    elsewhere = line | {"marks": TRAP, "file": "x.wav"}
    controls.remove(
        actor=hall.organizer,
        stimulus=Stimulus.objects.get(protocol=hall.protocol, name="t"),
        now=NOW,
    )
    assert not Stimulus.objects.filter(protocol=hall.protocol, name="t").exists()
    bad = _zip([elsewhere, line | {"marks": [1]}], {"t.wav": tone(1.0)})
    page = client.post(at(hall, "rating-controls"), {"archive": bad}).content.decode()
    assert "items.jsonl:1: the file x.wav is not in the zip" in page
    assert "items.jsonl:2: marks and explanation are objects" in page
    bad = _zip([line | {"marks": {**TRAP, "A": 0}}], {"t.wav": b"RIFF"})
    page = client.post(at(hall, "rating-controls"), {"archive": bad}).content.decode()
    assert "A and P are both 0" in page
    assert "the recording is not accepted" in page


def _zip(lines: list[dict], files: dict[str, bytes]) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("items.jsonl", "\n".join(json.dumps(line) for line in lines))
        for name, data in files.items():
            archive.writestr(name, data)
    out.seek(0)
    out.name = "items.zip"
    return out


def tone(seconds: float) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(range(1, 101)) * round(320 * seconds))
    return out.getvalue()


def test_a_form_of_one_scale_has_mean_marks_with_intervals_and_no_score(client):
    hall = make_hall(form=RatingForm.MOS, settings={"draws": 300})
    exchange.take(
        actor=hall.organizer,
        protocol=hall.protocol,
        text=opinions(hall),
        reason="A test.",
        now=LATER,
    )
    side = figures.Figures(hall.protocol, screened=False)
    assert not side.has_scores
    for line in side.systems:
        assert line.score is None
        assert line.state != figures.WITHHELD
        low, mean, high = line.interval.low, line.means["N"], line.interval.high
        assert low is not None, line.interval.reason
        assert 1 <= low <= mean <= high <= 5
        assert low < high
    client.force_login(hall.organizer)
    page = client.get(at(hall, "rating-results")).content.decode()
    assert "Mean marks by people, 1 to 5" in page
    assert f"{side.systems[0].interval.low:.2f}" in page
    assert len(side.pairs) == 3
    first = side.pairs[0]
    expected = side.systems[0].means["N"] - side.systems[1].means["N"]
    assert first.difference == pytest.approx(expected)
    assert f"{first.one} − {first.other}" in page


def opinions(hall) -> str:
    """Return a file in which nine raters hear every text once, each of another system in turn."""
    systems = sorted(hall.protocol.systems.values_list("pseudonym", flat=True))
    lines = [",".join(exchange_rows.columns_of("nvv"))]
    for language, ids in hall.protocol.rated_utterances.items():
        for rater in range(9):
            for place, utt_id in enumerate(ids):
                system = systems[(rater + place) % len(systems)]
                mark = 1 + (3 * rater + 2 * place + int(system[1:])) % 5
                key = uuid.uuid5(uuid.NAMESPACE_URL, f"{language}-{rater}-{utt_id}")
                who = [f"R{rater}{language}", "0", f"s{rater}{language}", language, "scored"]
                when = [NOW.isoformat(), (NOW + timedelta(minutes=1)).isoformat()]
                marks = ["", "", str(mark), "", ""]
                lines.append(
                    ",".join([*who, utt_id, system, *marks, *when, "60000", "1", "0", str(key)])
                )
    return "\r\n".join(lines) + "\r\n"


def test_every_number_of_a_protocol_has_a_label_in_the_reader_s_language(client, hall):
    assert rating_forms.NUMBERS.keys() == {item.name for item in fields(ProtocolSettings)}
    client.force_login(hall.organizer)
    page = client.get(at(hall, "rating-settings")).content.decode()
    shown = numbers_of(hall.protocol.form)
    assert "null_every" not in shown  # it is a number of comparisons alone
    for name in shown:
        label = rating_forms.NUMBERS[name]
        assert re.search(rf'<label for="id_{name}">\s*{re.escape(escape(str(label)))}', page), name


def test_organizers_read_of_sittings_as_raters_do(client):
    hall = make_hall()
    person = hall.rater()
    person.begin()
    person.rate(1)
    client.force_login(hall.organizer)
    out = {"what": "session", "code": person.session.code, "reason": "A test."}
    assert client.post(at(hall, "rating-exclude"), out).status_code == 302
    for name in ("rating-protocol", "rating-results", "rating-exclude", "rating-settings"):
        page = client.get(at(hall, name)).content.decode()
        words = re.sub(r"<[^>]*>", " ", page[page.index("<main") : page.index("</main>")])
        assert not re.search(r"\b[Ss]essions?\b", words), name
