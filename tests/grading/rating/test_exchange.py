"""Ratings as a file: out and in again with the same digits; every bad row told, none half taken."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest

from grading.models import Rating
from grading.services.ratings import errors, exchange, exchange_rows, raters, results
from grading.views.exports import csv_text
from tests.factories.grading import NOW
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db
FEW = {"texts": 3, "wanted": 1, "raters": 3}
LATER = NOW + timedelta(days=9)


def exported(hall) -> str:
    return csv_text(exchange.records(hall.protocol), exchange_rows.columns_of("nvv"))


def take(hall, text: str) -> exchange.Imported:
    return exchange.take(
        actor=hall.organizer, protocol=hall.protocol, text=text, reason="from elsewhere", now=LATER
    )


def rated():
    hall = make_hall(settings=FEW)
    person = hall.rater()
    person.begin()
    person.rate()
    return hall


def renamed(text: str) -> str:
    """Return the file with other UUIDs, as another installation would have them."""
    for key in Rating.objects.values_list("uuid", flat=True):
        text = text.replace(str(key), str(uuid.uuid5(key, "elsewhere")))
    return text


def test_what_leaves_comes_back_elsewhere_with_the_same_marks_and_times():
    one = rated()
    text = renamed(exported(one))
    other = make_hall(settings=FEW)
    names = dict(
        zip(
            one.protocol.systems.order_by("submission__system").values_list("pseudonym", flat=True),
            other.protocol.systems.order_by("submission__system").values_list(
                "pseudonym", flat=True
            ),
            strict=True,
        )
    )
    lines = text.splitlines(keepends=True)
    moved = [lines[0]]
    for line in lines[1:]:
        cells = line.split(",")
        system = exchange_rows.columns_of("nvv").index("system")
        cells[system] = names.get(cells[system], "")
        moved.append(",".join(cells))
    assert take(other, "\ufeff" + "".join(moved)).added == len(lines) - 1
    drop = {"session", "system", "uuid"}
    both = [
        sorted(
            str({key: value for key, value in row.items() if key not in drop})
            for row in exchange.records(hall.protocol)
        )
        for hall in (one, other)
    ]
    assert both[0] == both[1]
    counted = [
        sorted(str(mark.marks) for mark in results.ratings(protocol=hall.protocol, screened=False))
        for hall in (one, other)
    ]
    assert counted[0] == counted[1]
    assert other.protocol.slots.filter(done_at__isnull=False).count() == 3
    again = csv_text(exchange.records(other.protocol), exchange_rows.columns_of("nvv"))
    assert take(other, again) == exchange.Imported(0, len(lines) - 1)


BAD_CELLS = [
    ("N", "NaN", "MARK_INVALID"),
    ("Q", "", "MARK_MISSING"),
    ("E", "6", "MARK_OUT_OF_RANGE"),
    ("kind", "best", "KIND_UNKNOWN"),
    ("utt_id", "u999", "STIMULUS_UNKNOWN"),
    ("system", "S99", "STIMULUS_UNKNOWN"),
    ("opened_at", "yesterday", "TIME_INVALID"),
    ("answered_at", "2999-01-01T00:00:00+00:00", "TIME_INVALID"),
    ("answered_at", "2026-12-01T15:00:09", "TIME_INVALID"),
    ("took_ms", "-1", "NUMBER_INVALID"),
    ("plays", "9" * 40, "NUMBER_INVALID"),
    ("late", "no", "LATE_INVALID"),
    ("simulated", "", "SIMULATED_INVALID"),
    ("simulated", "1", "SIMULATED_DIFFERS"),
    ("uuid", "none", "UUID_INVALID"),
    ("rater", "", "NAME_INVALID"),
]


def test_a_bad_cell_is_told_with_its_line_and_nothing_is_taken():
    hall = rated()
    lines = renamed(exported(hall)).splitlines()
    number = next(n for n, line in enumerate(lines) if ",scored," in line)
    before = Rating.objects.count()
    for column, value, code in BAD_CELLS:
        cells = lines[number].split(",")
        cells[exchange_rows.columns_of("nvv").index(column)] = value
        bad = [*lines[:number], ",".join(cells), *lines[number + 1 :]]
        with pytest.raises(errors.ImportInvalid) as refused:
            take(hall, "\r\n".join(bad) + "\r\n")
        told = {(fault["line"], fault["code"]) for fault in refused.value.params["faults"]}
        assert (number + 1, code) in told
        assert Rating.objects.count() == before


def test_the_same_rater_and_text_twice_is_refused():
    hall = rated()
    with pytest.raises(errors.ImportInvalid) as refused:
        take(hall, renamed(exported(hall)))
    assert {fault["code"] for fault in refused.value.params["faults"]} == {"TEXT_TWICE"}


@pytest.mark.parametrize(("column", "value"), [("plays", "77"), ("took_ms", "1"), ("late", "1")])
def test_a_row_that_is_here_with_another_digit_is_not_taken_for_the_same(column, value):
    hall = rated()
    header, first, *_rest = exported(hall).splitlines()
    cells = first.split(",")
    cells[exchange_rows.columns_of("nvv").index(column)] = value
    with pytest.raises(errors.ImportInvalid) as refused:
        take(hall, f"{header}\r\n{','.join(cells)}\r\n")
    assert {fault["code"] for fault in refused.value.params["faults"]} == {"UUID_REUSED"}


def test_a_pseudonym_that_looks_like_a_formula_comes_back_as_it_was():
    hall = rated()
    hall.protocol.raters.update(pseudonym="=SUM(A1)")
    text = exported(hall)
    assert "'=SUM(A1)" in text
    assert take(hall, text).added == 0


def test_what_is_no_such_table_is_refused():
    for text in ("", "a,b\n", "\0", "rater\n", '"'):
        with pytest.raises(errors.ImportInvalid):
            exchange_rows.read(text, "nvv")


def test_a_cell_that_was_kept_from_running_is_read_as_it_was():
    assert exchange_rows.plain("'=1+1") == "=1+1"
    assert exchange_rows.plain("'quoted") == "'quoted"


def test_simulated_raters_stay_simulated_in_a_file_and_after_it():
    hall = rated()
    hall.protocol.raters.update(is_simulated=True)
    text = exported(hall)
    assert {row["simulated"] for row in exchange.records(hall.protocol)} == {1}
    assert take(hall, text).added == 0
    cells = renamed(text).splitlines()[1].split(",")
    cells[exchange_rows.columns_of("nvv").index("rater")] = "X1"
    cells[exchange_rows.columns_of("nvv").index("session")] = "elsewhere"
    take(hall, ",".join(exchange_rows.columns_of("nvv")) + "\r\n" + ",".join(cells) + "\r\n")
    assert hall.protocol.raters.get(pseudonym="X1").is_simulated


def test_a_file_does_not_make_a_person_of_a_simulated_rater():
    hall = rated()
    text = exported(hall)
    hall.protocol.raters.update(is_simulated=True)
    with pytest.raises(errors.ImportInvalid) as refused:
        take(hall, text)
    assert {fault["code"] for fault in refused.value.params["faults"]} == {"SIMULATED_DIFFERS"}


def test_a_known_rater_is_given_no_rating_of_a_system_they_are_close_to():
    hall = rated()
    lines = renamed(exported(hall)).splitlines(keepends=True)
    place = {name: number for number, name in enumerate(exchange_rows.columns_of("nvv"))}
    row = next(line for line in lines if ",scored," in line).rstrip("\r\n").split(",")
    system = hall.protocol.systems.get(pseudonym=row[place["system"]])
    person = hall.rater()
    raters.declare(
        actor=person.user, rater=person.rater, entrants=[system.submission.entrant], now=LATER
    )
    row[place["rater"]], row[place["session"]] = person.rater.pseudonym, "elsewhere"
    text = lines[0] + ",".join(row) + "\r\n"
    with pytest.raises(errors.ImportInvalid) as refused:
        take(hall, text)
    assert [fault["code"] for fault in refused.value.params["faults"]] == ["CONFLICT_OF_INTEREST"]
    assert not person.rater.ratings.exists()
    raters.declare(actor=person.user, rater=person.rater, entrants=[], now=LATER)
    assert take(hall, text).added == 1
