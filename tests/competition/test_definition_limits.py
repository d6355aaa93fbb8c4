"""What a definition may be at most, so that reading one never takes long."""

from __future__ import annotations

from competition.definition import parse
from competition.definition.sections import HINTED
from tests.competition.test_definition import CATALOG, SMALL


def test_a_flood_of_unknown_keys_is_told_line_by_line_and_only_the_first_with_a_hint() -> None:
    many = 3 * HINTED
    text = SMALL + "".join(f"stat{number}: 1\n" for number in range(many))
    faults = parse(text.encode(), CATALOG).faults
    assert [fault.path for fault in faults] == [f"stat{number}" for number in range(many)]
    assert all("is not known here" in fault.message for fault in faults)
    assert sum("did you mean" in fault.message for fault in faults) == HINTED
