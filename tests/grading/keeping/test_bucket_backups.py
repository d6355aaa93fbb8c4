"""Backup, wipe, restore where files lie in a bucket: into another bucket, and from and to a disk."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path

import pytest

from competition import bucket as buckets
from grading.services.keeping import backups, files
from grading.services.keeping.errors import ArchiveBroken, NotEmpty
from tests.grading.keeping import stage
from tests.grading.keeping.altering import altered
from tests.grading.keeping.stage import EXPORTED
from tests.grading.keeping.test_backups import check_holds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bucket")]


def stored(name: str) -> dict[str, str]:
    """Return a hash of every object that a bucket holds, asked of the bucket itself."""
    client = buckets.client()
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=name)
    keys = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
    bodies = {key: client.get_object(Bucket=name, Key=key)["Body"].read() for key in keys}
    return {key: hashlib.sha256(body).hexdigest() for key, body in bodies.items()}


def on_disk(settings) -> dict[str, str]:
    """Return a hash of every upload and hidden file on this server's disk, by the same keys."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for root in (Path(settings.PUBLIC_FILES), Path(settings.HIDDEN_FILES))
        for path in root.rglob("*")
        if path.is_file() and path.relative_to(root).parts[0] in {"uploads", "references"}
    }


def new_bucket(settings) -> str:
    """Let this installation keep its files in another, empty bucket."""
    settings.S3_BUCKET = f"plaudit-{uuid.uuid4().hex[:12]}"
    buckets.client().create_bucket(Bucket=settings.S3_BUCKET)
    return settings.S3_BUCKET


def told_of(arena) -> tuple:
    return stage.tables(), stage.told(arena.competition.slug)


@pytest.mark.slow
def test_a_bucket_comes_back_in_another_one_and_on_a_disk_as_it_was(settings, tmp_path, path):
    first = settings.S3_BUCKET
    with stage.elsewhere(tmp_path / "first"):
        arena = stage.fill()
        saved, before, held = stage.saved_receipts(), told_of(arena), stored(first)
        backups.make(path=path, now=EXPORTED, portable=True)
        name = next(files.uploads())
    assert {key.partition("/")[0] for key in held} == {"uploads", "references"}
    with pytest.raises(NotEmpty):
        backups.restore(path=path, now=EXPORTED)
    second = new_bucket(settings)
    changes = {f"files/{name}": lambda content: content[:-1] + b"?"}
    with pytest.raises(ArchiveBroken):
        backups.restore(path=altered(path, changes, to=tmp_path / "broken.zip"), now=EXPORTED)
    assert stored(second) == {}
    with stage.elsewhere(tmp_path / "second"):
        backups.restore(path=path, now=EXPORTED)
        assert stored(second) == held == stored(first)
        assert told_of(arena) == before
        assert on_disk(settings) == {}
        check_holds(saved)
    settings.S3_BUCKET = ""
    backups.restore(path=path, now=EXPORTED)
    assert on_disk(settings) == held
    assert told_of(arena) == before
    check_holds(saved)


@pytest.mark.slow
def test_an_installation_moves_from_a_disk_to_a_bucket(settings, original):
    backups.restore(path=original.backup, now=EXPORTED)
    held = {key.partition("/")[2]: digest for key, digest in original.files.items() if "/" in key}
    assert stored(settings.S3_BUCKET) == held
    assert stage.tables() == original.tables
    assert stage.told(original.slug) == original.told
    assert on_disk(settings) == {}
    check_holds(original.receipts)
