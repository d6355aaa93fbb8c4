"""People's ratings become numbers in rows: screened, of one submission, once the rating is closed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from grading.enums import RatingForm
from grading.models import Rater
from grading.scoring.tracks import tts
from grading.services.ratings import errors, exclusions, opinions, protocols
from tests.factories.grading import NOW
from tests.factories.rating import Hall, make_hall

pytestmark = pytest.mark.django_db
FEW = {"texts": 3, "wanted": 1, "raters": 3}


def close(hall: Hall) -> None:
    protocols.close(actor=hall.organizer, protocol=hall.protocol, now=NOW)
    hall.protocol.refresh_from_db()


def by_hand(hall: Hall, code: str) -> dict[str, Counter[int]]:
    """Return the marks of naturalness of a submission as the stored ratings have them."""
    found: dict[str, Counter[int]] = {}
    for rater in Rater.objects.filter(protocol=hall.protocol, exclusions__isnull=True):
        for task in rater.tasks.filter(kind="scored", stimulus__system__submission__code=code):
            for rating in task.ratings.all():
                found.setdefault(task.stimulus.name, Counter())[rating.naturalness] += 1
    return found


def handed_on(hall: Hall) -> int:
    """Compare every system's marks with those by hand; return how many there are."""
    total = 0
    for one in hall.submissions:
        marks = opinions.of_submission(protocol=hall.protocol, submission_code=one.code)
        assert {name: Counter(given) for name, given in marks.items()} == by_hand(hall, one.code)
        total += sum(map(len, marks.values()))
    return total


def test_a_form_of_one_opinion_gives_its_marks_by_utterance() -> None:
    hall = make_hall(settings=FEW, form=RatingForm.MOS)
    hall.rater().rate_all()
    with pytest.raises(errors.ProtocolNotClosed):
        handed_on(hall)
    close(hall)
    assert handed_on(hall) == 3


def refused(message: str, *arguments: object) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("opinions_into_rows", *arguments)


def test_a_command_puts_what_counts_into_rows_that_the_track_takes(tmp_path: Path, capsys) -> None:
    hall = make_hall(settings=FEW)
    people = [hall.rater() for _ in range(2)]
    for person in people:
        person.rate_all()
    source, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    protocol, code = hall.protocol.code, hall.submissions[0].code
    refused("no such rating protocol", "nothing", code, source, out)
    refused("once the rating is closed", protocol, code, source, out)
    exclusions.exclude(
        actor=hall.organizer,
        protocol=hall.protocol,
        target=people[0].rater,
        reason="a robot",
        now=NOW,
    )
    close(hall)
    assert handed_on(hall) == 3
    refused("was not rated", protocol, "nothing", source, out)
    refused("cannot be read", protocol, code, source, out)
    source.write_text("[]\n")
    refused("no row with an utt_id", protocol, code, source, out)
    marks = opinions.of_submission(protocol=hall.protocol, submission_code=code)
    rows = [{"utt_id": utt_id, "failed": False, "repeated": False} for utt_id in [*marks, "other"]]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert not out.exists()
    call_command("opinions_into_rows", protocol, code, source, out)
    filled = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {row["utt_id"]: row["mos"] for row in filled[:-1]} == marks
    assert filled[-1] == rows[-1]
    assert f"in {len(marks)} of {len(rows)} rows" in capsys.readouterr().out
    scale = {"lowest": 1, "highest": 5, "mapping": "above-lowest"}
    params = tts.TRACK.params({"scales": {"mos": scale}})
    ids = {row["utt_id"]: "yue" for row in rows}
    limits = tts.TRACK.limits({})
    assert tts.TRACK.check(out, ids=ids, params=params, limits=limits).report.accepted
    Rater.objects.filter(protocol=hall.protocol).update(is_simulated=True)
    refused("simulated", protocol, code, source, out)
