"""Comparisons as files: means and bias by hand, out and in again, and into rows of a track."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse

from grading.enums import RatingForm, StimulusKind
from grading.models import RatingProtocol, Stimulus
from grading.scoring.tracks import tts
from grading.services.ratings import (
    controls,
    errors,
    exchange,
    exchange_rows,
    figures,
    opinions,
    protocols,
)
from grading.spreadsheets import csv_text
from tests.factories.grading import NOW
from tests.factories.rating import make_hall
from tests.grading.views.test_rating_console import tone

pytestmark = pytest.mark.django_db
FEW = {"texts": 2, "wanted": 1, "raters": 2, "scored": 2, "draws": 100}
LATER = NOW + timedelta(days=9)
COLUMNS = exchange_rows.columns_of("comos")
ANSWERS = (
    # rater, kind, text, system (0 or 1), mark, heard first
    ("R1", "scored", 0, 0, 3, "system"),
    ("R1", "scored", 1, 1, -2, "other"),
    ("R2", "scored", 0, 1, 0, "other"),
    ("R2", "scored", 1, 0, 2, "other"),
    ("R3", "scored", 0, 0, -2, "system"),
    ("R3", "scored", 1, 1, -1, "system"),
    ("R1", "null", 0, 0, 2, "other"),
    ("R2", "null", 1, 0, 0, "other"),
    ("R2", "null", 0, 1, -1, "other"),
)


@pytest.fixture
def hall():
    return make_hall(systems=3, settings=FEW, form=RatingForm.COMOS)


def table(hall, answers=ANSWERS) -> str:
    """Return a file of these answers."""
    systems = sorted(hall.protocol.systems.values_list("pseudonym", flat=True))
    lines = [",".join(COLUMNS)]
    for language, ids in hall.protocol.rated_utterances.items():
        for number, (rater, kind, text, system, mark, first) in enumerate(answers):
            key = uuid.uuid5(uuid.NAMESPACE_URL, f"{hall.protocol.code}{language}{number}")
            who = [rater + language, "0", f"s{rater}{language}", language, kind]
            when = [NOW.isoformat(), (NOW + timedelta(minutes=1)).isoformat(), "20000", "1", "0"]
            about = [ids[text], systems[system], str(mark), first]
            lines.append(",".join([*who, *about, *when, str(key)]))
    return "\r\n".join(lines) + "\r\n"


def take(hall, text: str) -> exchange.Imported:
    return exchange.take(
        actor=hall.organizer, protocol=hall.protocol, text=text, reason="a test", now=LATER
    )


def test_means_and_bias_are_those_by_hand_and_the_file_comes_back_digit_for_digit(hall, client):
    text = table(hall)
    assert take(hall, text) == exchange.Imported(18, 0)
    side = figures.Figures(hall.protocol, screened=False)
    first, second = side.systems
    # Over texts, of the means over raters: ((3 − 2)/2 + 2)/2 and (0 + (−2 − 1)/2)/2.
    assert first.means == {"C": pytest.approx(1.25)}
    assert second.means == {"C": pytest.approx(-0.75)}
    assert [line.ratings for line in side.systems] == [6, 6]
    (pair,) = side.pairs
    assert pair.difference == pytest.approx(2)
    # Null pairs: 2, 0 and −1 in each language; (2 + 0 − 1)/3.
    assert side.null_pairs.total == figures.NullBias(6, 2, pytest.approx(1 / 3))
    assert side.null_pairs.raters["R2en"] == figures.NullBias(2, 1, -0.5)
    exported = csv_text(exchange.records(hall.protocol), COLUMNS)
    assert sorted(exported.split("\r\n")[1:]) == sorted(text.split("\r\n")[1:])
    assert take(hall, exported) == exchange.Imported(0, 18)
    client.force_login(hall.organizer)
    names = (hall.arena.competition.slug, hall.protocol.code)
    page = client.get(reverse("grading:rating-results", args=names)).content.decode()
    assert "Mean comparison with" in page
    assert "6 times: 2 were called the same, and the mean mark is 0.33" in page
    export = client.get(reverse("grading:rating-csv", args=names)).content.decode("utf-8-sig")
    assert export == exported
    page = client.get(reverse("grading:rating-protocol", args=names)).content.decode()
    assert "Compared with" in page


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("C", "4", "MARK_OUT_OF_RANGE"),
        ("C", "'-2", "MARK_INVALID"),
        ("C", "", "MARK_MISSING"),
        ("first", "", "FIRST_INVALID"),
        ("first", "both", "FIRST_INVALID"),
        ("kind", "best", "KIND_UNKNOWN"),
    ],
)
def test_a_bad_cell_is_told_and_nothing_is_taken(hall, column, value, code):
    lines = table(hall).split("\r\n")
    cells = lines[2].split(",")
    cells[COLUMNS.index(column)] = value
    lines[2] = ",".join(cells)
    with pytest.raises(errors.ImportInvalid) as refused:
        take(hall, "\r\n".join(lines))
    assert [(one["line"], one["code"]) for one in refused.value.params["faults"]] == [(3, code)]


def test_a_null_pair_has_no_order_and_other_forms_have_no_null_pair(hall):
    with pytest.raises(errors.ImportInvalid, match="2 rows"):
        take(hall, table(hall, (*ANSWERS[:6], ("R1", "null", 0, 0, 2, "system")))[:-2])
    opinion = make_hall(settings={**FEW, "raters": 3}, form=RatingForm.MOS)
    row = dict.fromkeys(exchange_rows.columns_of("mos"), "") | {"kind": "null"}
    text = ",".join(row) + "\r\n" + ",".join(row.values()) + "\r\n"
    with pytest.raises(errors.ImportInvalid) as refused:
        take(opinion, text)
    assert "KIND_UNKNOWN" in {one["code"] for one in refused.value.params["faults"]}
    with pytest.raises(errors.ImportInvalid) as refused:
        take(opinion, table(hall))
    assert [one["code"] for one in refused.value.params["faults"]] == ["HEADER_INVALID"]


def test_comparisons_go_into_rows_that_the_track_takes_once_the_rating_is_closed(hall, tmp_path):
    take(hall, table(hall))
    source, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    first = hall.protocol.systems.order_by("pseudonym").first().submission
    protocols.close(actor=hall.organizer, protocol=hall.protocol, now=LATER)
    protocol = RatingProtocol.objects.get(pk=hall.protocol.pk)
    found = opinions.of_submission(protocol=protocol, submission_code=first.code, screened=False)
    texts = protocol.rated_utterances
    assert found == {
        utt_id: marks
        for ids in texts.values()
        for utt_id, marks in zip(ids, ([3, -2], [2]), strict=True)
    }
    ids = dict.fromkeys(found, "yue")
    rows = [{"utt_id": utt_id, "failed": False} for utt_id in ids]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("opinions_into_rows", protocol.code, first.code, source, out, "--unscreened")
    filled = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {row["utt_id"]: row["comos"] for row in filled} == found
    scale = {"lowest": -3, "highest": 3, "mapping": "above-lowest"}
    params = tts.TRACK.params({"scales": {"comos": scale}})
    limits = tts.TRACK.limits({})
    assert tts.TRACK.check(out, ids=ids, params=params, limits=limits).report.accepted


def archive(line: dict, files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("items.jsonl", json.dumps(line))
        for name, data in files.items():
            made.writestr(name, data)
    return out.getvalue()


def test_a_control_item_has_two_recordings_and_both_go_with_it():
    hall = make_hall(systems=3, settings=FEW, form=RatingForm.COMOS, is_open=False)
    line = {"kind": "trap", "language": "en", "name": "t", "text": "Press +2.", "file": "a.wav"}
    files = {"a.wav": tone(1.0), "b.wav": tone(1.5)}

    def add(line: dict) -> Stimulus:
        items = controls.read_archive(archive(line, files))
        (made,) = controls.add(actor=hall.organizer, protocol=hall.protocol, items=items, now=NOW)
        return made

    with pytest.raises(errors.ControlInvalid, match="not accepted"):
        add({**line, "marks": {"C": 2}})
    with pytest.raises(errors.ControlInvalid, match=r"c\.wav"):
        add({**line, "marks": {"C": 2}, "other": "c.wav"})
    with pytest.raises(errors.ControlInvalid, match="C: the score"):
        add({**line, "marks": {"N": 2}, "other": "b.wav"})
    for _ in range(2):
        trap = add({**line, "marks": {"C": 2}, "other": "b.wav"})
    assert trap.expected == {"C": 2}
    # What is heard second is the item's own recording: the mark of its text is the one that is pressed.
    assert [sound.waveform.frames for sound in trap.sounds()] == [24_000, 16_000]
    mine = Stimulus.objects.filter(protocol=hall.protocol, name="t")
    assert sorted(mine.values_list("kind", flat=True)) == [StimulusKind.COMPARED, "trap"]
    controls.remove(actor=hall.organizer, stimulus=trap, now=NOW)
    assert not mine.exists()
    other = make_hall(settings=FEW, form=RatingForm.MOS, is_open=False)
    items = controls.read_archive(archive({**line, "marks": {"N": 2}, "other": "b.wav"}, files))
    with pytest.raises(errors.ControlInvalid, match="leave out other"):
        controls.add(actor=other.organizer, protocol=other.protocol, items=items, now=NOW)


def test_organizers_set_up_another_form_beside_the_one_that_is_there(client):
    hall = make_hall(settings=FEW, form=RatingForm.MOS, is_open=False)
    client.force_login(hall.organizer)
    slug = hall.arena.competition.slug
    draft = reverse("grading:rating-draft", args=[slug, hall.selection.code])
    ratings = reverse("grading:console-rating", args=[slug])
    assert draft in client.get(ratings).content.decode()
    assert 'value="mos"' not in client.get(draft).content.decode()
    for fields, told in (
        ({"form": "comos", "compared_with": ""}, "Name the system of this selection"),
        ({"form": "comos", "compared_with": "9"}, "Select a valid choice"),
        ({"form": "nvv", "compared_with": "3"}, "This form compares no systems"),
        ({"form": "mos", "compared_with": ""}, "Select a valid choice"),
    ):
        assert told in client.post(draft, fields).content.decode()
    assert client.post(draft, {"form": "comos", "compared_with": "3"}).status_code == 302
    made = RatingProtocol.objects.get(form=RatingForm.COMOS)
    assert made.compared_with.position == 3
    numbers = {
        protocol.form: client.get(
            reverse("grading:rating-settings", args=[slug, protocol.code])
        ).content.decode()
        for protocol in hall.selection.ratings.all()
    }
    assert 'name="null_every"' in numbers["comos"]
    assert 'name="null_every"' not in numbers["mos"]
    page = client.get(ratings).content.decode()
    assert page.count("comparison with another system") >= 1
    assert draft in page
    client.post(draft, {"form": "nvv", "compared_with": ""})
    assert draft not in client.get(ratings).content.decode()
