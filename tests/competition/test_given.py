"""What was given and promised stays as it was, whoever writes: copies, their notes, windows, the bytes of a pack."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from accounts import triggers
from competition.enums import IssueState, Pool
from competition.models import Audio, DrawWindow, PackFile, PackIssue, Phase, Track
from competition.services import vault
from competition.services.vault import Area
from tests.factories.competition import (
    NOW,
    CompetitionFactory,
    PhaseFactory,
    ReferenceVersionFactory,
)
from tests.factories.datasets import (
    AudioFactory,
    DrawFactory,
    DrawWindowFactory,
    PackFactory,
    PackFileFactory,
    PackIssueFactory,
)

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)


def refused(act: Callable[[], object], rule: str) -> None:
    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        act()


def raw(sql: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_a_file_of_a_pack_is_sent_from_where_its_hash_says() -> None:
    secret = AudioFactory(pool=Pool.HELD_OUT)
    pack, other = PackFactory(), AudioFactory(pool=Pool.OPEN)
    for key in (secret.storage_key, vault.key_of(Area.SERVED, secret.sha256), "vault/served/x"):
        refused(
            lambda key=key: PackFileFactory(pack=pack, sha256=other.sha256, storage_key=key),
            "packed_bytes",
        )
    file = PackFileFactory(pack=pack, sha256=other.sha256)
    refused(
        lambda: PackFile.objects.filter(pk=file.pk).update(storage_key=secret.storage_key),
        "packed_bytes",
    )


def test_no_spelling_of_a_hash_gets_past() -> None:
    """Bytes are found by the hash as it is written: another spelling of it names none."""
    secret = AudioFactory(pool=Pool.HELD_OUT)
    key = vault.key_of(Area.SERVED, secret.sha256)
    for spelled in (secret.sha256.upper(), f" {secret.sha256[1:]}", f"{secret.sha256[:-1]}."):
        refused(
            lambda spelled=spelled: PackFileFactory(sha256=spelled, storage_key=key), "packed_bytes"
        )


def test_audio_lies_in_the_area_of_its_pool() -> None:
    secret, opened = AudioFactory(pool=Pool.HELD_OUT), AudioFactory(pool=Pool.OPEN)
    served = vault.key_of(Area.SERVED, secret.sha256)
    for audio, key in ((secret, served), (opened, secret.storage_key)):
        rows = Audio.objects.filter(pk=audio.pk)
        refused(lambda rows=rows, key=key: rows.update(storage_key=key), "audio_bytes")
    refused(
        lambda: raw(
            "UPDATE competition_audio SET storage_key = %s WHERE id = %s", served, secret.pk
        ),
        "audio_bytes",
    )


def test_a_phase_asks_for_nothing_of_another_track() -> None:
    """Where another competition may use an id that is held out here, no phase here borrows it."""
    phase = PhaseFactory()
    elsewhere = ReferenceVersionFactory(utterances=[("secret_1", "en")])
    refused(
        lambda: Phase.objects.filter(pk=phase.pk).update(references=elsewhere), "phase_asks_own"
    )
    refused(
        lambda: type(elsewhere).objects.filter(pk=elsewhere.pk).update(track=phase.track),
        "references_stay",
    )
    refused(
        lambda: Track.objects.filter(pk=elsewhere.track_id).update(
            competition=phase.track.competition
        ),
        "track_stays",
    )


@pytest.mark.parametrize("state", [IssueState.REVOKED, IssueState.REFUSED])
def test_a_copy_that_was_taken_back_does_not_come_back(state: IssueState) -> None:
    ended = {"revoked_at": NOW} if state == IssueState.REVOKED else {}
    issue = PackIssueFactory(
        state=state, reason="r", decided_at=NOW, expires_at=NOW + WEEK, **ended
    )
    back = {"state": IssueState.ACTIVE, "revoked_at": None}
    refused(lambda: PackIssue.objects.filter(pk=issue.pk).update(**back), "copy_stays_out")


def test_what_names_a_person_in_a_copy_is_written_once() -> None:
    issue = PackIssueFactory()
    PackIssue.objects.filter(pk=issue.pk).update(note=b"one")
    for note in (b"two", b""):
        rows = PackIssue.objects.filter(pk=issue.pk)
        refused(lambda rows=rows, note=note: rows.update(note=note), "copy_note_stays")


def test_a_window_keeps_its_times_its_value_and_its_reveal() -> None:
    window = DrawWindowFactory(public_name="the index", revealed_at=None)
    rows = DrawWindow.objects.filter(pk=window.pk)
    for name in ("opens_at", "closes_at"):
        refused(lambda name=name: rows.update(**{name: NOW + 9 * WEEK}), "evidence is kept")
    rows.update(public_value="1", revealed_at=window.closes_at)
    refused(lambda: rows.update(public_value="2"), "window_stays")
    refused(lambda: rows.update(revealed_at=None), "window_stays")


def test_no_public_value_is_written_down_after_a_draw() -> None:
    window = DrawWindowFactory(public_name="the index")
    DrawFactory(window=window)
    rows = DrawWindow.objects.filter(pk=window.pk)
    refused(lambda: rows.update(public_value="chosen"), "value_before_draw")


def test_rows_that_were_written_past_the_triggers_are_told() -> None:
    assert triggers.rules_broken() == []
    secret = AudioFactory(pool=Pool.HELD_OUT)
    connection.check_constraints()  # PostgreSQL alters no table whose rows wait to be checked
    triggers.drop()
    try:
        file = PackFileFactory(sha256=secret.sha256)
        assert triggers.rules_broken() == ["held_out_issued", "held_out_pack"]
        PackFile.objects.filter(pk=file.pk).update(storage_key=secret.storage_key)
        assert triggers.rules_broken() == ["held_out_issued", "held_out_pack", "packed_bytes"]
        PackFile.objects.all().delete()
        other = PhaseFactory(track__competition=CompetitionFactory())
        Phase.objects.filter(pk=other.pk).update(references=PhaseFactory().references)
        assert triggers.rules_broken() == ["phase_asks_own"]
    finally:
        connection.check_constraints()
        triggers.install()
