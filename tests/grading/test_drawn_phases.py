"""A phase whose clips are drawn: closed until they are, then scored on them and on no others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from competition.enums import ClipSource, Pool, Strata
from competition.models import (
    DatasetVersion,
    DrawnClip,
    DrawWindow,
    Exposure,
    Phase,
    PhaseDraw,
    PoolMove,
    ReferenceUtterance,
)
from competition.models.dataset import Audio
from competition.services.errors import ClipsNotDrawn, WindowRefused
from grading.enums import EvaluationState, SubmissionState
from grading.models import Recipe
from grading.services import checking, drawn_phases, draws, evaluations, recipes, validation
from grading.services.draws import Plan
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory, DrawFactory
from tests.factories.grading import NOW, Arena, make_arena, submit

pytestmark = pytest.mark.django_db

OPENS = NOW + timedelta(hours=1)
LATER = NOW + timedelta(hours=2)


def clock() -> Any:
    return LATER


@pytest.fixture
def arena() -> Arena:
    """A phase that opens in an hour, its references those of the pool."""
    return make_arena(utterances=8, opens_at=OPENS)


@pytest.fixture
def version(arena: Arena) -> DatasetVersion:
    """The rotation pool: every utterance of the phase; and one clip that is held out."""
    made: DatasetVersion = DatasetVersionFactory(dataset__competition=arena.competition)
    for place, (utt_id, (language, _)) in enumerate(arena.rows.items()):
        tier = ("easy", "hard")[place % 2]
        DatasetClipFactory(version=made, utt_id=utt_id, language=language, tier=tier)
    DatasetClipFactory(version=made, utt_id="secret_1", audio__pool=Pool.HELD_OUT)
    return made


def committed(version: DatasetVersion, phase: Phase, **fields: Any) -> DrawWindow:
    given = {
        "n": 10,
        "strata": Strata.LANGUAGE_TIER,
        "opens_at": OPENS,
        "closes_at": OPENS + timedelta(days=3),
    }
    plan = Plan(**{**given, "phase": phase, "gives_clips": True, **fields})
    return draws.commit(actor=None, version=version, plan=plan, now=NOW)


def drawn_ids(window: DrawWindow) -> set[str]:
    found = DrawnClip.objects.filter(draw__window=window)
    return set(found.values_list("clip__utt_id", flat=True))


def fresh(phase: Phase) -> Phase:
    return Phase.objects.select_related("track__competition", "references").get(pk=phase.pk)


def test_until_the_draw_nothing_can_be_sent_or_checked_and_no_list_is_given(
    arena: Arena, version: DatasetVersion, tmp_path
) -> None:
    committed(version, arena.phase)
    arena.phase = fresh(arena.phase)
    with pytest.raises(ClipsNotDrawn, match="have not been drawn yet"):
        submit(arena, arena.perfect(), created_at=LATER, now=LATER)
    with pytest.raises(ClipsNotDrawn):
        checking.admit(actor=arena.captain, phase=arena.phase, now=LATER)
    slug, track, phase = arena.competition.slug, arena.track.slug, arena.phase.slug
    address = f"/api/v1/competitions/{slug}/tracks/{track}/phases/{phase}/manifest/"
    answer = APIClient().get(address)
    assert (answer.status_code, answer.json()["code"]) == (409, "CLIPS_NOT_DRAWN")


def test_once_drawn_the_phase_asks_for_the_drawn_clips_alone(
    arena: Arena, version: DatasetVersion
) -> None:
    before = recipes.ensure_live(phase=fresh(arena.phase), now=NOW)
    window = committed(version, arena.phase)
    assert draws.draw_due(now=NOW) == 0
    assert draws.draw_due(now=OPENS) == 1
    assert draws.draw_due(now=OPENS) == 0
    phase, ids = fresh(arena.phase), drawn_ids(window)
    assert set(phase.references.utterances.values_list("utt_id", flat=True)) == ids
    assert sum(phase.references.counts.values()) == len(ids) == 10
    live = recipes.live_recipe(phase)
    assert live is not None
    assert live.digest != before.digest
    assert PhaseDraw.objects.get(phase=phase).whole_id == before.references_id
    arena.phase = phase
    without = {utt_id: text for utt_id, text in arena.perfect().items() if utt_id != min(ids)}
    lacking = submit(arena, without, created_at=LATER, now=LATER)
    refused = validation.validate(submission_id=lacking.pk, clock=clock)
    assert refused is not None
    assert (refused.state, refused.errors_total) == (SubmissionState.REJECTED, 1)
    given = {utt_id: text for utt_id, text in arena.perfect().items() if utt_id in ids}
    sent = validation.validate(
        submission_id=submit(arena, given, created_at=LATER, now=LATER).pk, clock=clock
    )
    assert sent is not None
    assert sent.state == SubmissionState.ACCEPTED
    evaluation = evaluations.live_of(sent)
    assert evaluation is not None
    scored = evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=clock)
    assert scored is not None
    assert (scored.state, scored.recipe_id) == (EvaluationState.SCORED, live.pk)
    assert scored.second_opinion["checked"] == 10
    assert Exposure.objects.get().entrant_id == arena.entrant.pk


def test_the_api_names_the_draw_of_a_phase_and_its_clips(
    arena: Arena, version: DatasetVersion
) -> None:
    slug, track, phase = arena.competition.slug, arena.track.slug, arena.phase.slug
    address = f"/api/v1/competitions/{slug}/tracks/{track}/phases/{phase}/"
    told = APIClient().get(address).json()
    assert (told["clips"], told["drawn"]) == ("listed", None)
    window = committed(version, arena.phase)
    told = APIClient().get(address).json()
    assert (told["clips"], told["drawn"]) == ("drawn", None)
    draws.draw_due(now=OPENS)
    told = APIClient().get(address).json()["drawn"]
    assert told["utt_ids"] == sorted(drawn_ids(window))
    assert told["sha256"] == draws.list_sha256(told["utt_ids"])
    assert told["window"] == window.code


def test_another_draw_is_another_recipe(arena: Arena, version: DatasetVersion) -> None:
    other = Phase.objects.create(
        track=arena.track,
        slug="second",
        references=arena.phase.references,
        opens_at=OPENS,
        closes_at=OPENS + timedelta(days=3),
        clips=ClipSource.DRAWN,
    )
    windows = [committed(version, arena.phase), committed(version, other, gives_clips=False)]
    assert draws.draw_due(now=OPENS) == 2
    assert drawn_ids(windows[0]) != drawn_ids(windows[1])
    digests = {recipes.live_recipe(fresh(one)).digest for one in (arena.phase, other)}  # type: ignore[union-attr]
    assert len(digests) == 2
    assert Recipe.objects.count() == 3


def test_a_window_that_only_names_a_phase_changes_nothing_of_it(
    arena: Arena, version: DatasetVersion
) -> None:
    window = committed(version, arena.phase, gives_clips=False)
    draws.draw(window=window, now=OPENS)
    phase = fresh(arena.phase)
    assert (phase.clips, phase.references_id) == (ClipSource.LISTED, arena.phase.references_id)
    assert not PhaseDraw.objects.exists()


def test_a_phase_takes_clips_once_before_it_opens_and_only_those_it_has_references_for(
    arena: Arena, version: DatasetVersion
) -> None:
    strange = DatasetVersionFactory(dataset__competition=arena.competition)
    DatasetClipFactory(version=strange, utt_id="strange")
    with pytest.raises(WindowRefused, match="lack 1 clips"):
        committed(strange, arena.phase, n=1)
    with pytest.raises(WindowRefused, match="several languages"):
        committed(version, arena.phase, strata=Strata.TIER)
    with pytest.raises(WindowRefused, match="would be left out"):
        committed(version, arena.phase, n=1)
    Phase.objects.filter(pk=arena.phase.pk).update(opens_at=NOW)
    with pytest.raises(WindowRefused, match="has opened"):
        committed(version, arena.phase)
    Phase.objects.filter(pk=arena.phase.pk).update(opens_at=OPENS)
    committed(version, arena.phase)
    with pytest.raises(WindowRefused, match="no second draw"):
        committed(version, arena.phase)
    assert DrawWindow.objects.count() == 1


def test_a_draw_that_was_cut_off_is_gone_on_with(
    arena: Arena, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = committed(version, arena.phase)
    with monkeypatch.context() as patch:
        patch.setattr(drawn_phases, "take", lambda **_: None)
        made = draws.draw(window=window, now=OPENS)
    assert draws.draw_due(now=LATER) == 1
    assert PhaseDraw.objects.get().draw == made
    assert draws.draw(window=window, now=LATER) == made


def test_no_held_out_clip_comes_into_such_a_phase(arena: Arena, version: DatasetVersion) -> None:
    window = committed(version, arena.phase)
    assert not window.pool.filter(clip__utt_id="secret_1").exists()
    held = version.clips.get(utt_id="secret_1")
    found = draws.draw(window=window, now=OPENS)
    with pytest.raises(IntegrityError, match="held_out_draw"), transaction.atomic():
        DrawnClip.objects.create(draw=found, clip=held)
    references = fresh(arena.phase).references
    with pytest.raises(IntegrityError, match="held_out_phase"), transaction.atomic():
        ReferenceUtterance.objects.create(references=references, utt_id="secret_1", language="en")


def test_the_database_refuses_a_phase_with_a_clip_that_was_not_drawn(
    arena: Arena, version: DatasetVersion
) -> None:
    draw = DrawFactory(window__version=version, window__phase=arena.phase)
    whole = arena.phase.references
    with pytest.raises(IntegrityError, match="phase_takes_drawn"), transaction.atomic():
        PhaseDraw.objects.create(
            phase=arena.phase, draw=draw, whole=whole, references=whole, at=NOW
        )


def test_audio_taken_out_of_the_pool_meanwhile_keeps_the_phase_closed_with_a_reason(
    arena: Arena, version: DatasetVersion
) -> None:
    window = committed(version, arena.phase)
    clip = version.clips.exclude(utt_id="secret_1").first()
    assert clip is not None
    PoolMove.objects.create(audio=clip.audio, old=Pool.ROTATION, new=Pool.HELD_OUT, reason="r", at=NOW)  # fmt: skip
    with pytest.raises(IntegrityError), transaction.atomic():
        Audio.objects.filter(pk=clip.audio_id).update(pool=Pool.HELD_OUT)
    assert draws.draw(window=window, now=OPENS).clips.count() == 10
