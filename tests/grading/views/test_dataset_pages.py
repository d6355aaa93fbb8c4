"""The console's datasets: pools, what each clip has been through, and moves with their reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from competition.enums import Pool, Role
from competition.models import Audio, DatasetVersion, PackIssue, PoolMove
from competition.services import downloads, issues, merging, pools
from grading.services import clip_exposure, draws
from grading.services.draws import Plan
from tests.competition.shelf import Shelf, load, make_shelf
from tests.competition.test_packs import LATER, opened
from tests.factories.competition import NOW, EntrantFactory, RoleGrantFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path, approve=False)


def logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def organizer(shelf: Shelf) -> Client:
    return logged_in(RoleGrantFactory(competition=shelf.competition).user)


@pytest.fixture
def auditor(shelf: Shelf) -> Client:
    return logged_in(RoleGrantFactory(competition=shelf.competition, role=Role.AUDITOR).user)


def at(name: str, version: DatasetVersion) -> str:
    slug = version.dataset.competition.slug
    return reverse(f"grading:{name}", args=[slug, version.dataset.slug, version.number])


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return str(read(response.content.decode()).text)


def test_a_clip_counts_draws_and_entrants_once_each(shelf: Shelf, tmp_path: Path) -> None:
    levels = {f"rot_{place}": 40 + place for place in range(4)}
    pool = load(shelf.competition, tmp_path / "rot", "rot", levels, Pool.ROTATION)
    gone = EntrantFactory(competition=shelf.competition)
    plan = Plan(n=4, opens_at=NOW, closes_at=LATER)
    window = draws.commit(actor=None, version=pool, plan=plan, now=NOW)
    for run in (0, 1):
        found = draws.draw(window=window, run=run, now=NOW)
        for entrant in (shelf.entrant, gone):
            draws.expose(draw=found, entrant=entrant, now=NOW)
    clips = list(pool.clips.select_related("audio"))
    seen = clip_exposure.of_clips(shelf.competition, clips)
    assert {(one.draws, one.entrants) for one in seen} == {(2, 2)}
    merging.merge(
        actor=None, kept=shelf.entrant, merged=gone, reason="one lab", figures={}, now=NOW
    )
    seen = clip_exposure.of_clips(shelf.competition, clips)
    assert {(one.draws, one.entrants) for one in seen} == {(2, 1)}


def test_a_download_counts_once_bytes_were_sent(shelf: Shelf) -> None:
    clips = list(shelf.opened.clips.select_related("audio"))
    issue = issues.request(actor=shelf.captain, pack=shelf.pack, typed_name="N", now=NOW)
    before = clip_exposure.of_clips(shelf.competition, clips)
    assert {(one.draws, one.entrants) for one in before} == {(0, 0)}
    copy = opened(PackIssue.objects.get(pk=issue.pk))
    row = downloads.begin(copy=copy, person=shelf.captain, first=0, now=LATER)
    downloads.note(download=row, size=1, now=LATER)
    after = clip_exposure.of_clips(shelf.competition, clips)
    assert {(one.draws, one.entrants) for one in after} == {(0, 1)}


def test_statements_do_not_grow_with_the_clips(shelf: Shelf, django_assert_max_num_queries) -> None:
    clips = list(shelf.opened.clips.select_related("audio"))
    with django_assert_max_num_queries(5):
        clip_exposure.of_clips(shelf.competition, clips)


def test_an_organizer_retires_a_clip_and_the_move_is_told(shelf: Shelf, organizer: Client) -> None:
    page = at("dataset-clips", shelf.opened)
    assert "dev_2" in words(organizer, page)
    move = at("clips-move", shelf.opened)
    refused = organizer.post(move, {"pool": "rotation", "reason": "too easy"})
    assert "Tick the clips to move." in refused.content.decode()
    given = {"clips": ["dev_2"], "pool": "rotation", "reason": "New in the rotation."}
    assert organizer.post(move, given).status_code == 302
    assert Audio.objects.get(clips__utt_id="dev_2").pool == Pool.ROTATION
    assert AuditEvent.objects.filter(kind="pool.moved").count() == 1
    told = words(organizer, reverse("grading:console-datasets", args=[shelf.competition.slug]))
    assert "dev_2" in told
    assert "New in the rotation." in told
    issued = {"clips": ["dev_2"], "pool": "held-out", "reason": "r"}
    assert "cannot be held out" in organizer.post(move, issued).content.decode()


def test_what_is_held_out_leaves_only_where_that_was_ticked(
    shelf: Shelf, organizer: Client
) -> None:
    move = at("clips-move", shelf.held)
    given = {"clips": ["held_1"], "pool": "open", "reason": "Released."}
    refused = organizer.post(move, given)
    assert "Some of these clips are held out" in refused.content.decode()
    assert not PoolMove.objects.exists()
    assert organizer.post(move, {**given, "confirm": "on"}).status_code == 302
    assert Audio.objects.get(clips__utt_id="held_1").pool == Pool.OPEN


def test_auditors_see_how_many_are_held_out_and_not_which(
    shelf: Shelf, auditor: Client, organizer: Client
) -> None:
    slug = shelf.competition.slug
    clip = shelf.opened.clips.select_related("audio").get(utt_id="dev_1")
    pools.move(
        actor=None, competition=shelf.competition, audio=[clip.audio], new=Pool.ROTATION, reason="r", now=NOW
    )  # fmt: skip
    listed = words(auditor, reverse("grading:console-datasets", args=[slug]))
    assert "held out 2" in listed
    assert "dev_1" in listed
    shown = words(auditor, at("dataset-clips", shelf.held))
    assert "held_1" not in shown
    assert "No clip fits." in shown
    assert "held_1" in words(organizer, at("dataset-clips", shelf.held))
    assert "dev_1" in words(auditor, at("dataset-clips", shelf.opened))
    given = {"clips": ["dev_2"], "pool": "rotation", "reason": "r"}
    assert auditor.post(at("clips-move", shelf.opened), given).status_code == 403
    assert logged_in(shelf.captain).get(at("dataset-clips", shelf.opened)).status_code == 403
