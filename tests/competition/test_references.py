from __future__ import annotations

import stat

import pytest

from competition.services import references
from competition.services.errors import ReferencesMissing
from tests.factories.competition import REFERENCES, ReferenceVersionFactory

pytestmark = pytest.mark.django_db


def test_bytes_come_back_as_they_were_and_are_stored_once(hidden_area) -> None:
    key, digest = references.store_bytes(REFERENCES)
    assert references.store_bytes(REFERENCES) == (key, digest)
    version = ReferenceVersionFactory(storage_key=key, sha256=digest)
    assert references.read_bytes(version) == REFERENCES
    assert [path for path in hidden_area.rglob("*") if path.is_file()] == [
        references.path_of(version)
    ]


def test_the_hidden_area_is_for_its_owner_alone(hidden_area) -> None:
    references.store_bytes(REFERENCES)
    for path in (hidden_area, *hidden_area.rglob("*")):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted


def test_missing_or_changed_bytes_are_refused_without_saying_what_they_say() -> None:
    version = ReferenceVersionFactory()
    with pytest.raises(ReferencesMissing):
        references.read_bytes(version)
    references.store_bytes(REFERENCES)
    path = references.path_of(version)
    path.write_bytes(REFERENCES.replace(b"laugh", b"cough"))
    with pytest.raises(ReferencesMissing) as caught:
        references.read_bytes(version)
    assert "cough" not in str(caught.value)
