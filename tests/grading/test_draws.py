"""Windows: committed to before, the same list from server and scorer, revealed after, exposure exact."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import AuditEvent
from competition.enums import Pool, Strata
from competition.models import DatasetVersion, Draw, DrawWindow
from competition.services import merging, packs, vault
from competition.services.errors import NotOrganizer, WindowRefused
from grading.scoring.cli.main import main
from grading.services import draws, pool_exposure
from grading.services.draws import Plan
from tests.factories.accounts import UserFactory
from tests.factories.competition import (
    NOW,
    EntrantFactory,
    PhaseFactory,
    TermsAcceptanceFactory,
    TermsFactory,
)
from tests.factories.datasets import (
    DatasetClipFactory,
    DatasetVersionFactory,
    PackFactory,
    PackFileFactory,
    PackIssueFactory,
)

pytestmark = pytest.mark.django_db

OPENS, CLOSES = NOW + timedelta(days=1), NOW + timedelta(days=8)
DURING, AFTER = NOW + timedelta(days=2), NOW + timedelta(days=9)
SIZES = {"easy": 22, "medium": 19, "hard": 14}


@pytest.fixture
def version() -> DatasetVersion:
    """The pool of 55 clips in three tiers, one open clip and one held out."""
    made: DatasetVersion = DatasetVersionFactory(clip_count=57)
    for tier, size in SIZES.items():
        for number in range(size):
            DatasetClipFactory(version=made, tier=tier, utt_id=f"{tier}_{number:02d}")
    DatasetClipFactory(version=made, audio__pool=Pool.OPEN)
    DatasetClipFactory(version=made, audio__pool=Pool.HELD_OUT, utt_id="secret_clip")
    return made


def committed(version: DatasetVersion, n: int = 30, **fields: object) -> DrawWindow:
    plan = Plan(n=n, opens_at=OPENS, closes_at=CLOSES, **fields)  # type: ignore[arg-type]
    return draws.commit(actor=None, version=version, plan=plan, now=NOW)


def ids_of(found: Draw) -> list[str]:
    return sorted(found.clips.values_list("clip__utt_id", flat=True))


def test_what_is_public_before_says_nothing_of_the_seed(version: DatasetVersion) -> None:
    window = committed(version)
    assert window.commitment == hashlib.sha256(window.seed.encode()).hexdigest()
    assert (window.pool_size, window.n) == (55, 30)
    assert window.seed not in str(draws.public_terms(window))
    assert not AuditEvent.objects.filter(payload__contains=window.seed).exists()


def test_server_command_and_scorer_give_the_same_list(
    version: DatasetVersion, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    window = committed(version)
    clips = draws.rotation_pool(version)
    path = tmp_path / "pool.jsonl"
    path.write_bytes(draws.pool_manifest(clips))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == window.pool_sha256
    for run in (0, 1, 7):
        found = draws.draw(window=window, run=run, now=DURING)
        key = f"{window.seed}:{run}" if run else window.seed
        assert main(["draw", "--manifest", str(path), "--n", "30", "--key", key, "--json"]) == 0
        offline = json.loads(capsys.readouterr().out)
        assert (ids_of(found), found.counts) == (offline["utt_ids"], offline["counts"])
        assert found.counts == {"easy": 12, "hard": 8, "medium": 10}
        assert draws.reconstruct(found).agrees


def test_a_draw_is_made_once(version: DatasetVersion) -> None:
    window = committed(version)
    first = draws.draw(window=window, now=DURING)
    assert draws.draw(window=window, now=AFTER) == first
    assert Draw.objects.count() == 1


def test_strata_of_language_and_tier(version: DatasetVersion) -> None:
    window = committed(version, strata=Strata.LANGUAGE_TIER)
    assert draws.draw(window=window, now=DURING).counts == {"easy": 12, "hard": 8, "medium": 10}


def test_the_public_value_is_part_of_the_key_and_is_written_once(version: DatasetVersion) -> None:
    window = committed(version, public_name="close of the index on 3 December")
    with pytest.raises(WindowRefused, match="not known yet"):
        draws.draw(window=window, now=DURING)
    window = draws.set_public_value(actor=None, window=window, value="4711.08", now=DURING)
    found = draws.draw(window=window, now=DURING)
    assert draws.key_of(window, 0) == f"{window.seed}:4711.08"
    assert draws.reconstruct(Draw.objects.get(pk=found.pk)).agrees
    with pytest.raises(WindowRefused, match="cannot be changed"):
        draws.set_public_value(actor=None, window=window, value="4712", now=DURING)


def test_the_seed_comes_out_after_the_end_and_not_before(version: DatasetVersion) -> None:
    window = committed(version)
    with pytest.raises(WindowRefused, match="after the window has closed"):
        draws.reveal(actor=None, window=window, now=CLOSES - timedelta(seconds=1))
    revealed = draws.reveal(actor=None, window=window, now=CLOSES)
    assert revealed.revealed_at == CLOSES
    assert draws.reveal(actor=None, window=window, now=AFTER).revealed_at == CLOSES
    assert AuditEvent.objects.get(kind="window.revealed").payload.count(window.seed) == 1


@pytest.mark.parametrize("n", [0, 56, 1000])
def test_more_than_the_pool_is_refused(version: DatasetVersion, n: int) -> None:
    with pytest.raises(WindowRefused):
        committed(version, n=n)


@pytest.mark.parametrize("n", [1, 55])
def test_one_clip_and_all_of_them(version: DatasetVersion, n: int) -> None:
    assert len(ids_of(draws.draw(window=committed(version, n=n), now=DURING))) == n


def test_times_and_people_that_do_not_fit(version: DatasetVersion) -> None:
    with pytest.raises(WindowRefused):
        draws.commit(actor=None, version=version, plan=Plan(3, CLOSES, OPENS), now=NOW)
    with pytest.raises(WindowRefused):
        draws.commit(actor=None, version=version, plan=Plan(3, OPENS, CLOSES), now=DURING)
    with pytest.raises(WindowRefused, match="another competition"):
        committed(version, phase=PhaseFactory())
    with pytest.raises(NotOrganizer):
        draws.commit(actor=UserFactory(), version=version, plan=Plan(3, OPENS, CLOSES), now=NOW)
    with pytest.raises(WindowRefused, match="not opened"):
        draws.draw(window=committed(version), now=NOW)


def test_exposure_is_counted_exactly(version: DatasetVersion) -> None:
    window = committed(version)
    mine, yours = (EntrantFactory(competition=window.competition) for _ in range(2))
    met: set[str] = set()
    for run in (1, 2, 3):
        found = draws.draw(window=window, run=run, now=DURING)
        met |= set(ids_of(found))
        for _ in range(2):
            draws.expose(draw=found, entrant=mine, now=DURING)
        if run == 1:
            draws.expose(draw=found, entrant=yours, now=DURING)
    seen = pool_exposure.of_pool(window)
    assert [(one.entrant, one.draws, one.clips) for one in seen] == [
        (mine, 3, len(met)),
        (yours, 1, 30),
    ]
    assert seen[0].expected == 1 - Fraction(25, 55) ** 3


def test_what_is_downloaded_in_packs_is_seen_too(version: DatasetVersion) -> None:
    window = committed(version)
    drawn = draws.draw(window=window, now=DURING)
    met = {row.clip.audio.sha256 for row in drawn.clips.select_related("clip__audio")}
    pool = [row.clip.audio.sha256 for row in window.pool.select_related("clip__audio")]
    packed = [*sorted(met)[:2], *sorted(set(pool) - met)[:8]]
    held = PackFactory(competition=window.competition)
    for sha256 in packed:
        PackFileFactory(pack=held, sha256=sha256)
    PackFileFactory(pack=held)  # a text, which is no clip
    mine, copied, asked = (EntrantFactory(competition=window.competition) for _ in range(3))
    terms = TermsFactory(competition=window.competition)
    for entrant, sent in ((mine, 1), (copied, 1), (asked, 0)):
        accepted = TermsAcceptanceFactory(terms=terms)
        PackIssueFactory(pack=held, entrant=entrant, acceptance=accepted, sent=sent)
    draws.expose(draw=drawn, entrant=mine, now=DURING)
    assert [
        (one.entrant, one.clips, one.copied, one.share) for one in pool_exposure.of_pool(window)
    ] == [
        (mine, 30, 10, Fraction(38, 55)),
        (copied, 0, 10, Fraction(10, 55)),
    ]


def test_once_the_seed_is_out_nothing_more_is_drawn(version: DatasetVersion) -> None:
    window = committed(version)
    known = draws.draw(window=window, now=DURING)
    revealed = draws.reveal(actor=None, window=window, now=AFTER)
    assert draws.draw(window=revealed, now=AFTER) == known
    with pytest.raises(WindowRefused, match="seed is public"):
        draws.draw(window=revealed, run=1, now=AFTER)


@pytest.mark.postgres
def test_lists_do_not_follow_the_databases_order_of_texts(version: DatasetVersion) -> None:
    """A server whose database sorts as a dictionary does gives the same bytes as one that sorts by code."""
    for utt_id in ("B_1", "a_1", "a-2", "Zz", "ä"):
        DatasetClipFactory(version=version, tier="other", utt_id=utt_id)
    connection.check_constraints()  # PostgreSQL alters no table whose rows wait to be checked
    with connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE competition_datasetclip"
            ' ALTER COLUMN utt_id TYPE varchar(200) COLLATE "en-x-icu"'
        )
        cursor.execute("SELECT utt_id FROM competition_datasetclip WHERE tier = 'other' ORDER BY 1")
        by_dictionary = [row[0] for row in cursor.fetchall()]
    assert by_dictionary != sorted(by_dictionary)
    pool = [clip.utt_id for clip in draws.rotation_pool(version)]
    assert pool == sorted(pool)
    found = draws.draw(window=committed(version, n=60), now=DURING)
    assert draws.ids_of(found) == sorted(draws.ids_of(found))
    assert found.sha256 == draws.list_sha256(draws.ids_of(found))
    made = packs.make(
        actor=None,
        competition=version.dataset.competition,
        name="pool",
        content=packs.Content(version=version, pools=(Pool.ROTATION,)),
        terms=packs.Terms(),
        now=NOW,
    )
    key = made.files.get(path=packs.CLIPS_NAME).storage_key
    listed = [json.loads(row)["utt_id"] for row in b"".join(vault.read(key)).splitlines()]
    assert listed == pool


def test_what_a_team_saw_before_a_merge_its_heir_has_seen(version: DatasetVersion) -> None:
    competition = version.dataset.competition
    kept, gone, earlier = EntrantFactory.create_batch(3, competition=competition)
    window = committed(version)
    whole, first = (draws.draw(window=window, run=run, now=DURING) for run in (0, 1))
    for found, entrant in ((whole, kept), (whole, gone), (first, earlier)):
        draws.expose(draw=found, entrant=entrant, now=DURING)
    alone = {one.entrant: one.clips for one in pool_exposure.of_pool(window)}
    assert alone == {kept: 30, gone: 30, earlier: 30}
    for merged, into in ((earlier, gone), (gone, kept)):
        merging.merge(actor=None, kept=into, merged=merged, reason="one lab", figures={}, now=NOW)
    (one,) = pool_exposure.of_pool(window)
    both = set(draws.ids_of(whole)) | set(draws.ids_of(first))
    assert (one.entrant, one.draws, one.clips) == (kept, 2, len(both))
    assert one.expected == 1 - (1 - Fraction(30, 55)) ** 2


def test_a_draw_that_was_tampered_with_is_told(version: DatasetVersion) -> None:
    window = committed(version)
    found = draws.draw(window=window, now=DURING)
    with pytest.raises(IntegrityError), transaction.atomic():
        Draw.objects.filter(pk=found.pk).update(sha256="0" * 64)
    with pytest.raises(IntegrityError), transaction.atomic():
        DrawWindow.objects.filter(pk=window.pk).update(seed="0" * 64)
    found.sha256 = "0" * 64
    assert not draws.reconstruct(found).agrees
