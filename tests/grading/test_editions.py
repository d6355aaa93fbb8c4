"""Pools from one edition to the next, and runs by which entrants are compared."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from competition.enums import Pool
from competition.models import DatasetVersion, DrawWindow
from competition.services import pools
from grading.services import draws, pool_exposure
from grading.services.draws import Plan
from tests.factories.competition import NOW, EntrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory

pytestmark = pytest.mark.django_db

OPENS, CLOSES = NOW + timedelta(days=1), NOW + timedelta(days=8)
DURING = NOW + timedelta(days=2)
FIRST, NEW = 20, 10


@pytest.fixture
def first() -> DatasetVersion:
    made: DatasetVersion = DatasetVersionFactory()
    for number in range(FIRST):
        DatasetClipFactory(version=made, audio__pool=Pool.ROTATION, utt_id=f"c_{number:02d}")
    return made


def committed(version: DatasetVersion, n: int) -> DrawWindow:
    plan = Plan(n=n, opens_at=OPENS, closes_at=CLOSES)
    return draws.commit(actor=None, version=version, plan=plan, now=NOW)


def grown(first: DatasetVersion) -> DatasetVersion:
    """Return the next version: the same audio, and some more."""
    made: DatasetVersion = DatasetVersionFactory(dataset=first.dataset, number=first.number + 1)
    for clip in first.clips.select_related("audio"):
        DatasetClipFactory(version=made, audio=clip.audio, utt_id=clip.utt_id)
    for number in range(NEW):
        DatasetClipFactory(version=made, audio__pool=Pool.ROTATION, utt_id=f"new_{number:02d}")
    return made


def test_a_pool_grows_between_editions_and_earlier_windows_stay(first: DatasetVersion) -> None:
    before = committed(first, 12)
    found = draws.draw(window=before, now=DURING)
    listed = draws.ids_of(found)
    after = committed(grown(first), 15)
    assert (before.pool_size, after.pool_size) == (FIRST, FIRST + NEW)
    assert before.pool_sha256 != after.pool_sha256
    assert draws.ids_of(found) == listed
    assert draws.reconstruct(found).agrees
    later = draws.draw(window=after, now=DURING)
    assert draws.reconstruct(later).agrees
    assert any(one.startswith("new_") for one in draws.ids_of(later))


def test_a_retired_clip_is_drawn_no_more_and_earlier_draws_are_still_made_again(
    first: DatasetVersion,
) -> None:
    before = committed(first, 12)
    found = draws.draw(window=before, now=DURING)
    gone = first.clips.get(utt_id=draws.ids_of(found)[0])
    pools.move(
        actor=None,
        competition=first.dataset.competition,
        audio=[gone.audio],
        new=Pool.OPEN,
        reason="seen by too many",
        now=DURING,
    )
    assert draws.reconstruct(found).agrees
    after = committed(first, FIRST - 1)
    assert after.pool_size == FIRST - 1
    assert gone.utt_id not in draws.ids_of(draws.draw(window=after, now=DURING))


def test_the_same_run_of_any_two_entrants_has_the_same_clips(first: DatasetVersion) -> None:
    window = committed(first, 8)
    lists = []
    for _entrant in range(3):
        entrant = EntrantFactory(competition=first.dataset.competition)
        for run in (1, 2):
            found = draws.draw(window=window, run=run, now=DURING)
            draws.expose(draw=found, entrant=entrant, now=DURING)
            lists.append((run, draws.key_of(window, run), tuple(draws.ids_of(found))))
    assert len(set(lists)) == 2
    assert {key for _run, key, _ids in lists} == {f"{window.seed}:1", f"{window.seed}:2"}
    seen = pool_exposure.of_pool(window)
    assert len(seen) == 3
    assert len({one.share for one in seen}) == 1


def test_what_was_drawn_in_another_window_of_the_same_clips_is_seen(first: DatasetVersion) -> None:
    """Windows rotate over one pool: a team that was in three of them may know all of it."""
    entrant = EntrantFactory(competition=first.dataset.competition)
    early, late = committed(first, 12), committed(grown(first), 15)
    met: set[str] = set()
    for window in (early, late):
        found = draws.draw(window=window, now=DURING)
        draws.expose(draw=found, entrant=entrant, now=DURING)
        met |= set(draws.ids_of(found))
    (of_late,) = pool_exposure.of_pool(late)
    assert (of_late.draws, of_late.clips) == (2, len(met))
    assert of_late.share == Fraction(len(met), FIRST + NEW)
    # Of 30 clips 20 could be met twice, with 12 of 20 and then 15 of 30, and 10 once.
    assert of_late.expected == 1 - (20 * Fraction(2, 5) * Fraction(1, 2) + 10 * Fraction(1, 2)) / 30
    (of_early,) = pool_exposure.of_pool(early)
    assert of_early.clips == len({one for one in met if not one.startswith("new_")})
    assert of_early.expected == 1 - Fraction(2, 5) * Fraction(1, 2)


def test_a_window_over_other_clips_shows_nothing_of_this_pool(first: DatasetVersion) -> None:
    competition = first.dataset.competition
    other: DatasetVersion = DatasetVersionFactory(dataset__competition=competition)
    for number in range(3):
        DatasetClipFactory(version=other, audio__pool=Pool.ROTATION, utt_id=f"o_{number}")
    window = committed(other, 2)
    found = draws.draw(window=window, now=DURING)
    draws.expose(draw=found, entrant=EntrantFactory(competition=competition), now=DURING)
    assert pool_exposure.of_pool(committed(first, 5)) == []
