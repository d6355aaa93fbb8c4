from __future__ import annotations

import hashlib

import pytest
from django.urls import reverse

from grading import scoring_bundle
from grading.scoring import __version__
from grading.services import recipes
from tests.factories.grading import CANARY, scored
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db


def page_of(client, arena) -> str:
    path = reverse("grading:methodology", args=[arena.competition.slug, arena.track.slug])
    response = client.get(path)
    assert response.status_code == 200
    html = response.content.decode()
    assert faults(html) == []
    return html


def test_the_page_explains_the_score_with_this_competitions_settings(client, arena):
    text = read(page_of(client, arena)).text
    assert "100 · (0.7 · F1 + 0.2 · (1 − mNTD) + 0.1 · (1 − min(Error, 1)))" in text
    assert "English: at most 2 words from its place" in text
    assert "70 % F1 of the events" in text
    assert "higher F1, lower mNTD, lower error; then the place is shared" in text
    assert "[throat clearing]" in text
    assert CANARY not in text


def test_the_page_tells_how_to_get_the_server_s_digits(client, arena):
    text = read(page_of(client, arena)).text
    assert "--seed SEED --params params.json" in text
    assert "the interval is the server’s to the last digit" in text


def test_another_weight_stands_on_the_page(client, arena):
    arena.track.params = {**arena.track.params, "weights": {"f1": 0.5, "mntd": 0.3, "error": 0.2}}
    arena.track.save()
    assert "0.5 · F1" in page_of(client, arena)


def test_the_page_has_what_the_code_produced_in_this_edition(client, arena):
    scored(arena, arena.entrant, arena.captain, 50.0)
    recipe = recipes.live_recipe(arena.phase)
    text = read(page_of(client, arena)).text
    assert "8 English, 8 Mandarin" in text
    assert "1 submissions" in text
    assert recipe.digest in text
    assert recipe.references.sha256 in text


def test_the_scorer_is_given_with_its_hash(client, arena):
    html = page_of(client, arena)
    response = client.get(reverse("grading:scorer-download", args=[__version__]))
    assert response.content == scoring_bundle.build_scorer()
    assert hashlib.sha256(response.content).hexdigest() in html
    assert response["Content-Disposition"] == (
        f'attachment; filename="plaudit-scorer-{__version__}.zip"'
    )


def test_another_version_of_the_scorer_is_not_there(client):
    assert client.get(reverse("grading:scorer-download", args=["0.0.0"])).status_code == 404


def test_an_unknown_track_is_not_there(client, arena):
    path = reverse("grading:methodology", args=[arena.competition.slug, "other"])
    assert client.get(path).status_code == 404
