from __future__ import annotations

import pytest
import time_machine

from tests.factories.accounts import NOW


@pytest.fixture(autouse=True)
def _at_noon():
    with time_machine.travel(NOW, tick=False):
        yield
