"""A competition with a track of waveforms: what its definition may say, and what it makes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from competition.models import Competition, Phase
from competition.services.errors import RecipeNeeded
from grading.models import Recipe, Submission
from grading.services import loading, speech_texts
from tests.factories.accounts import UserFactory
from tests.factories.competition import REFERENCES, EntrantFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
DEMO = Path(__file__).parents[3] / "examples/nvv-demo"
DEFINITION = """\
slug: speech
version: 1
languages: [en]
state: published
title: {en: Speech}
terms: {version: "1", text: {en: Play fair.}}
tracks:
  - slug: generation
    kind: nvv-t2
    title: {en: Generation}
    params:
      labels: [laugh, sigh, throat clearing]
      judge: {model: m, base_url: "https://judge.example/v1", label: Judge M}
    phases:
      - slug: dev
        title: {en: Development}
        opens_at: 2026-11-01 00:00 AoE
        closes_at: 2026-12-08 23:59 AoE
        references: dev.jsonl
        limits: {member_bytes: 1000000}
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dev.jsonl").write_bytes(REFERENCES)
    return tmp_path


def lines(folder: Path, old: str, new: str) -> list[str]:
    assert old in DEFINITION
    text = DEFINITION.replace(old, new).replace("version: 1\n", "version: 2\n", 1)
    return loading.plan(definition_text=text, base_dir=folder, now=NOW).lines()


def load(folder: Path, text: str = DEFINITION) -> Competition:
    plan = loading.plan(definition_text=text, base_dir=folder, now=NOW)
    return loading.apply(actor=None, plan=plan, now=NOW)


def test_it_is_loaded_with_its_judge_in_the_recipe(folder: Path) -> None:
    load(folder)
    recipe = Recipe.objects.get()
    assert (recipe.scorer, recipe.version) == ("nvv-t2", "1.0.0")
    assert recipe.params["judge"]["label"] == "Judge M"
    assert recipe.read_params.judge.replicates == 3
    texts = speech_texts.of_recipe(recipe)
    assert set(texts.text_of) == set(texts.ids) == set(texts.language_of)
    assert Phase.objects.get().limits == {"member_bytes": 1_000_000}


def test_limits_are_those_of_the_tracks_own_kind(folder: Path) -> None:
    [fault] = lines(folder, "member_bytes: 1000000", "tags: 5")
    assert "tracks[0].phases[0].limits.tags: tags is not known here" in fault
    faults = lines(folder, "kind: nvv-t2", "kind: nvv-t1")
    assert any("limits.member_bytes: member_bytes is not known here" in line for line in faults)
    assert any("tracks[0].params.judge: is not a parameter" in line for line in faults)


def test_a_judges_faults_stand_at_their_own_places(folder: Path) -> None:
    faults = lines(folder, 'model: m, base_url: "https:', 'modl: m, base_url: "ftp:')
    wanted = ("judge.modl: is not known", "judge.base_url: must begin", "judge.model: is missing")
    for part in wanted:
        assert any(f"tracks[0].params.{part}" in line for line in faults), (part, faults)


def test_after_the_first_submission_a_judge_changes_by_a_new_recipe_alone(folder: Path) -> None:
    load(folder)
    phase = Phase.objects.get()
    Submission.objects.create(
        entrant=EntrantFactory(competition=phase.track.competition),
        phase=phase,
        uploader=UserFactory(),
        number=1,
        system="s",
        filename="clips.zip",
        size=1,
        content_id="0" * 64,
        created_at=NOW,
        received_at=NOW,
    )
    changed = DEFINITION.replace("model: m,", "model: n,").replace(
        "version: 1\n", "version: 2\n", 1
    )
    with pytest.raises(RecipeNeeded) as caught:
        load(folder, changed)
    assert caught.value.params["paths"] == ["tracks.generation.params.judge.model"]


def test_a_judge_may_change_before_the_first_submission(folder: Path) -> None:
    load(folder)
    load(
        folder, DEFINITION.replace("model: m,", "model: n,").replace("version: 1", "version: 2", 1)
    )
    live = Recipe.objects.get(phases__role="live")
    assert live.params["judge"]["model"] == "n"


def test_the_demo_has_both_kinds(settings) -> None:
    text = (DEMO / "competition.yaml").read_text("utf-8")
    competition = loading.apply(
        actor=None, plan=loading.plan(definition_text=text, base_dir=DEMO, now=NOW), now=NOW
    )
    kinds = dict(competition.tracks.values_list("slug", "kind"))
    assert kinds == {"understanding": "nvv-t1", "generation": "nvv-t2"}
    final = Phase.objects.get(track__slug="generation", slug="final")
    assert final.references.counts == {"en": 24, "zh": 24}
    assert final.recipes.get().recipe.read_params.judge.is_stand_in
