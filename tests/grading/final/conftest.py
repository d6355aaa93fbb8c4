"""A closed phase of Track 2 for every test of the final."""

from __future__ import annotations

import pytest

from tests.factories.finals import Stage, make_stage


@pytest.fixture
def stage(db) -> Stage:
    return make_stage()
