"""A rating goes along with its competition: every answer, every sound and paper, and no person."""

from __future__ import annotations

import hashlib
import json
import zipfile

import pytest
from django.db import transaction

from accounts.models import User
from grading import storage
from grading.enums import FilingKind, SelectionReason
from grading.models import Filing, Rater, RatingProtocol, RatingTask, Stimulus, Submission, Waveform
from grading.services.keeping import exports, imports
from grading.services.ratings import exchange, results
from tests.factories import rating
from tests.factories.grading import NOW
from tests.factories.rating import FRAMES, Hall
from tests.grading.keeping.stage import EXPORTED

pytestmark = pytest.mark.django_db
SIZE = 2 * FRAMES + 44


def stored(told: str) -> dict:
    """Store some bytes; return what a row says of them."""
    data = told.encode().ljust(SIZE)
    kept = storage.store_stream([data], limit=SIZE)
    return {
        "storage_key": kept.key,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
    }


@pytest.fixture
def hall(monkeypatch):
    """Return what makes a rating whose sounds and paper have bytes."""

    def waveform(name: str) -> Waveform:
        return Waveform.objects.create(frames=FRAMES, created_at=NOW, **stored(name))

    def prepare(protocol: RatingProtocol) -> None:
        for one in protocol.stimuli.filter(prepared_at__isnull=True):
            fields = {"prepared_at": NOW, "frames": FRAMES, "gain_cdb": 0, **stored(one.key)}
            Stimulus.objects.filter(pk=one.pk).update(**fields)

    def make() -> Hall:
        made = rating.make_hall()
        system = made.selection.systems.filter(reason=SelectionReason.TOP).first()
        Filing.objects.create(
            system=system,
            kind=FilingKind.DESCRIPTION,
            number=1,
            filename="paper.pdf",
            filed_by=system.submission.uploader,
            filed_at=NOW,
            **stored("a paper"),
        )
        return made

    monkeypatch.setattr(rating, "waveform", waveform)
    monkeypatch.setattr(rating, "prepare", prepare)
    return make


def told(protocol: RatingProtocol) -> list:
    return [exchange.records(protocol), results.inspected(protocol).digest]


def test_a_rating_comes_back_digit_for_digit_and_leads_to_nobody(path, hall):
    with transaction.atomic():
        made = hall()
        panelist = made.rater(email="rita@listeners.example", name="Rita Rater")
        panelist.begin()
        assert len(panelist.rate()) > 4
        assert RatingTask.objects.filter(repeat_of__isnull=False).exists()
        RatingTask.objects.update(draft={"note": "half a word"}, draft_at=EXPORTED)
        before = told(made.protocol)
        exported = exports.export(competition=made.arena.competition, path=path, now=EXPORTED)
        uploads = set(Submission.objects.values_list("storage_key", flat=True))
        transaction.set_rollback(True)
    assert set(exported.missing) <= uploads
    with zipfile.ZipFile(path) as archive:
        rows = {name: archive.read(name).decode() for name in archive.namelist() if "rows" in name}
    (rater,) = map(json.loads, rows["rows/grading.rater.jsonl"].splitlines())
    assert rater["user_id"] is None
    for never in ("rita@", "Rita Rater", "half a word"):
        assert never not in "".join(rows.values())
    User.objects.create_user("first@example.org", None, name="First")
    imports.bring_in(path=path, now=EXPORTED)
    assert told(RatingProtocol.objects.get()) == before
    assert Rater.objects.get().user is None
    for row in [*Waveform.objects.all(), *Stimulus.objects.all(), Filing.objects.get()]:
        with storage.local_copy(row.storage_key) as copy:
            assert hashlib.sha256(copy.read_bytes()).hexdigest() == row.sha256
