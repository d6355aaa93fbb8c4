"""Held-out audio: whoever writes, and however, the database keeps it from participants."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction

from competition.enums import Pool
from competition.models import Audio, DatasetClip, DrawnClip, PackFile, PoolClip, PoolMove
from competition.services import pools, vault
from tests.factories.competition import NOW, PhaseFactory, ReferenceVersionFactory
from tests.factories.datasets import (
    AudioFactory,
    DatasetClipFactory,
    DrawFactory,
    DrawWindowFactory,
    PackFactory,
    PackFileFactory,
)

pytestmark = pytest.mark.django_db


def held_out_clip(**fields: Any) -> DatasetClip:
    clip: DatasetClip = DatasetClipFactory(audio__pool=Pool.HELD_OUT, **fields)
    return clip


def move(audio: Audio, new: Pool) -> None:
    """Move audio as the service does: the record first, then the row."""
    PoolMove.objects.create(audio=audio, old=audio.pool, new=new, reason="tried", at=NOW)
    key = vault.key_of(pools.area_of(new), audio.sha256)
    Audio.objects.filter(pk=audio.pk).update(pool=new, storage_key=key)


def refused(act: Callable[[], object]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        act()


def raw(sql: str, values: list[object]) -> Callable[[], None]:
    def act() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)

    return act


def test_no_pack_takes_it() -> None:
    clip = held_out_clip()
    pack = PackFactory()
    refused(lambda: PackFileFactory(pack=pack, sha256=clip.audio.sha256))
    refused(
        lambda: PackFile.objects.bulk_create(
            [PackFileFactory.build(pack=pack, sha256=clip.audio.sha256)]
        )
    )
    refused(
        raw(
            "INSERT INTO competition_packfile (pack_id, path, size, sha256, crc32, storage_key)"
            " VALUES (%s, 'a', 1, %s, 1, 'x')",
            [pack.pk, clip.audio.sha256],
        )
    )
    assert not PackFile.objects.exists()


def test_no_file_of_a_pack_becomes_it() -> None:
    clip = held_out_clip()
    file = PackFileFactory()
    refused(lambda: PackFile.objects.filter(pk=file.pk).update(sha256=clip.audio.sha256))
    refused(
        raw(
            "UPDATE competition_packfile SET sha256 = %s WHERE id = %s",
            [clip.audio.sha256, file.pk],
        )
    )


@pytest.mark.parametrize("table", ["drawnclip", "poolclip"])
def test_no_draw_and_no_pool_of_a_window_takes_it(table: str) -> None:
    clip = held_out_clip()
    window = DrawWindowFactory(version=clip.version)
    draw = DrawFactory(window=window)
    if table == "drawnclip":
        refused(lambda: DrawnClip.objects.create(draw=draw, clip=clip))
        sql = "INSERT INTO competition_drawnclip (draw_id, clip_id) VALUES (%s, %s)"
        refused(raw(sql, [draw.pk, clip.pk]))
    else:
        refused(lambda: PoolClip.objects.create(window=window, clip=clip))
        sql = "INSERT INTO competition_poolclip (window_id, clip_id) VALUES (%s, %s)"
        refused(raw(sql, [window.pk, clip.pk]))


def test_no_phase_of_the_competition_asks_for_it() -> None:
    clip = held_out_clip(utt_id="secret_1")
    competition = clip.version.dataset.competition
    refused(
        lambda: ReferenceVersionFactory(
            track__competition=competition, utterances=[("secret_1", "en")]
        )
    )
    # Another competition may have an utterance of that name.
    ReferenceVersionFactory(utterances=[("secret_1", "en")])


def test_what_a_phase_asks_for_is_not_held_out_under_that_id() -> None:
    phase = PhaseFactory()
    version = DatasetClipFactory(
        version__dataset__competition=phase.track.competition, utt_id="other"
    ).version
    refused(lambda: held_out_clip(version=version, utt_id="en_1"))
    known = DatasetClipFactory(version=version, utt_id="en_1")
    refused(lambda: move(known.audio, Pool.HELD_OUT))


def test_audio_of_a_pack_or_a_draw_does_not_become_held_out() -> None:
    packed = DatasetClipFactory()
    PackFileFactory(sha256=packed.audio.sha256)
    drawn = DatasetClipFactory()
    DrawnClip.objects.create(draw=DrawFactory(window__version=drawn.version), clip=drawn)
    listed = DatasetClipFactory()
    PoolClip.objects.create(window=DrawWindowFactory(version=listed.version), clip=listed)
    for clip in (packed, drawn, listed):
        refused(lambda clip=clip: move(clip.audio, Pool.HELD_OUT))
    fresh = DatasetClipFactory()
    move(fresh.audio, Pool.HELD_OUT)
    assert Audio.objects.get(pk=fresh.audio.pk).pool == Pool.HELD_OUT


def test_new_audio_that_a_pack_has_under_the_same_hash_is_not_held_out() -> None:
    file = PackFileFactory()
    refused(lambda: AudioFactory(sha256=file.sha256, pool=Pool.HELD_OUT))


def test_what_left_does_not_come_back() -> None:
    clip = held_out_clip()
    move(clip.audio, Pool.OPEN)
    clip.audio.refresh_from_db()
    refused(lambda: move(clip.audio, Pool.HELD_OUT))
    move(clip.audio, Pool.ROTATION)


def test_no_move_without_its_record() -> None:
    clip = held_out_clip()
    refused(lambda: Audio.objects.filter(pk=clip.audio.pk).update(pool=Pool.OPEN))
    refused(raw("UPDATE competition_audio SET pool = 'open' WHERE id = %s", [clip.audio.pk]))
    PoolMove.objects.create(
        audio=clip.audio, old=Pool.HELD_OUT, new=Pool.ROTATION, reason="r", at=NOW
    )
    # The record of another move is none.
    refused(lambda: Audio.objects.filter(pk=clip.audio.pk).update(pool=Pool.OPEN))


def test_the_same_audio_is_in_one_pool() -> None:
    clip = held_out_clip()
    refused(lambda: AudioFactory(sha256=clip.audio.sha256, pool=Pool.OPEN))


def test_nothing_of_it_is_changed_or_removed() -> None:
    clip = held_out_clip()
    other = AudioFactory()
    refused(lambda: Audio.objects.filter(pk=clip.audio.pk).update(sha256="0" * 64))
    refused(clip.delete)
    refused(lambda: DatasetClip.objects.filter(pk=clip.pk).update(audio=other))
    refused(raw("DELETE FROM competition_poolmove", []) if _moved(clip) else clip.audio.delete)


def _moved(clip: DatasetClip) -> bool:
    move(clip.audio, Pool.OPEN)
    return True


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_pack_and_a_move_at_once_do_not_miss_each_other() -> None:
    """The one that comes second waits, and then sees what the first one did."""
    for _ in range(5):
        clip = DatasetClipFactory()
        pack = PackFactory()
        start = threading.Barrier(2)
        ends: dict[str, bool] = {}

        def act(name: str, work: Callable[[], object], start=start, ends=ends) -> None:
            try:
                start.wait()
                with transaction.atomic():
                    work()
                ends[name] = True
            except IntegrityError:
                ends[name] = False
            finally:
                connections.close_all()

        works = {
            "pack": lambda clip=clip, pack=pack: PackFileFactory(
                pack=pack, sha256=clip.audio.sha256
            ),
            "move": lambda clip=clip: move(clip.audio, Pool.HELD_OUT),
        }
        threads = [threading.Thread(target=act, args=item) for item in works.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(ends.values()) == [False, True], ends
