"""The demo's packs, draws and held-out check: made once, whatever is run again."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import AuditEvent
from competition.enums import IssueState, Pool
from competition.models import Audio, Draw, Exposure, PackIssue, Track
from grading.demo.entrants import ENTRANTS
from grading.demo.integrity import held_out_references, prepare_integrity, verify_standings
from grading.demo.prepare import prepare
from grading.models import Verification
from grading.scoring import registry
from grading.services import draws

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FEW = tuple(e for e in ENTRANTS if e.team in {"Team Juniper", "Team Dune", "Baseline A"})


@pytest.fixture(autouse=True)
def few(settings, tmp_path, monkeypatch) -> None:
    settings.VAR_DIR, settings.HIDDEN_FILES = tmp_path, tmp_path / "hidden"
    monkeypatch.setattr("grading.demo.prepare.ENTRANTS", FEW)
    monkeypatch.setattr("grading.demo.people.ENTRANTS", FEW)


def quietly(_: str) -> None:
    """Take what is said."""


def made() -> tuple[int, ...]:
    return tuple(one.objects.count() for one in (Audio, PackIssue, Draw, Exposure, AuditEvent))


def test_packs_windows_and_the_held_out_check_are_made_once() -> None:
    competition = prepare(now=NOW, say=quietly)
    prepare_integrity(competition=competition, now=NOW, say=quietly)
    pools = Counter(Audio.objects.values_list("pool", flat=True))
    assert pools == {Pool.OPEN: 6, Pool.ROTATION: 55, Pool.HELD_OUT: 12}
    states = PackIssue.objects.order_by("number").values_list("state", flat=True)
    assert list(states) == [IssueState.ACTIVE, IssueState.ACTIVE, IssueState.REVOKED]
    found = Draw.objects.select_related("window")
    assert [one.counts for one in found] == [{"easy": 12, "hard": 8, "medium": 10}] * 9
    assert all(draws.reconstruct(one).agrees for one in found)
    before = made()
    prepare_integrity(competition=competition, now=NOW + timedelta(seconds=2), say=quietly)
    assert made() == before
    after = NOW + timedelta(minutes=1)
    verify_standings(competition=competition, clock=lambda: after, say=quietly)
    revealed = competition.windows.filter(revealed_at=after)
    assert (revealed.count(), competition.windows.count()) == (1, 3)
    left = competition.windows.filter(closes_at__lte=after, revealed_at__isnull=True)
    assert left.count() == 1
    # Nobody has a score: there is no standing to verify.
    assert not Verification.objects.exists()
    track = Track.objects.get(competition=competition, slug="understanding")
    scorer = registry.get(track.kind)
    references = scorer.references(held_out_references(), scorer.params(track.params))
    assert dict(references.counts) == {"en": 6, "zh": 6}
