"""Every endpoint, every kind of person, own and other objects: what `matrix.txt` says, no more.

A new endpoint fails here until it has its lines. The failure prints them as they are answered now:
check each cell against the rules (404 for what one may not know of, 403 for a known object and a
forbidden act, 401 for an anonymous call, 302 for an anonymous page), then add them to the table.
"""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.security.attempts import attempt
from tests.security.bodies import body
from tests.security.endpoints import (
    METHODS,
    VARIANTS,
    Endpoint,
    address,
    admin_routes,
    endpoints,
    tried_variants,
)
from tests.security.stage import PEOPLE, Stage
from tests.security.table import PATH, Row, heading, read_rows

ROWS = read_rows()
KNOWN = {one.name: one for one in endpoints()}
LISTED = {row.key for row in ROWS}
NOT_HERE = {"302", "401", "403", "404", "405"}


def answered(stage: Stage, method: str, name: str, variant: str) -> Row:
    """Return the line of the table as the site answers it now."""
    path, is_api = address(name, variant, stage), KNOWN[name].is_api
    cells = [
        attempt(stage, who, method, path, data=body(name, variant, who, stage), is_api=is_api)
        for who in PEOPLE
    ]
    return Row(method, name, variant, tuple(cells))


def test_every_endpoint_is_in_the_table() -> None:
    missing = sorted(set(KNOWN) - {row.name for row in ROWS})
    assert not missing, (
        f"no line in {PATH.name} for: {', '.join(missing)}. Run "
        "pytest tests/security/test_matrix.py -k proposal to see what they answer."
    )


def test_the_table_names_nothing_twice_and_nothing_that_is_gone() -> None:
    assert len(LISTED) == len(ROWS)
    assert {row.name for row in ROWS} - set(KNOWN) == set()
    assert {row.method for row in ROWS} <= set(METHODS)
    assert {row.variant for row in ROWS} <= set(VARIANTS)


def test_proposal_of_lines_for_endpoints_without_any(stage: Stage) -> None:
    new = [one for name, one in KNOWN.items() if name not in {row.name for row in ROWS}]
    lines = [str(row) for one in new for row in _proposed(stage, one)]
    assert not lines, "\n".join(["check, then add:", heading(), *lines])


def _proposed(stage: Stage, endpoint: Endpoint) -> list[Row]:
    found = [
        answered(stage, method, endpoint.name, variant)
        for variant in tried_variants(endpoint.name, stage)
        for method in ("GET", "POST")
    ]
    return [row for row in found if not set(row.cells) <= NOT_HERE] or found


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row.key))
def test_everybody_is_answered_as_the_table_says(stage: Stage, row: Row) -> None:
    found = answered(stage, row.method, row.name, row.variant)
    assert found == row, "\n".join(["", heading(), f"{row}  <- table", f"{found}  <- answered"])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KNOWN))
def test_what_the_table_does_not_list_changes_nothing(stage: Stage, name: str) -> None:
    path = address(name, "own", stage)
    for method in METHODS:
        if any((method, name, one) in LISTED for one in VARIANTS):
            continue
        for who in ("captain", "organizer"):
            cell = attempt(stage, who, method, path, data={}, is_api=KNOWN[name].is_api)
            assert cell.isdigit(), f"{method} {path} as {who} writes, and is not in the table"
            assert int(cell) < 500 or name == "readyz"


@pytest.mark.parametrize("who", [who for who in PEOPLE if who != "admin"])
def test_the_administration_is_for_administrators(stage: Stage, client, who: str) -> None:
    user = stage.people[who]
    if user is not None:
        client.force_login(user)
    names = [name for name in admin_routes() if name.endswith(("index", "changelist", "_add"))]
    assert len(names) > 10
    answers = {name: client.get(reverse(name)).status_code for name in names}
    assert set(answers.values()) == {302}, answers


@pytest.mark.parametrize("name", sorted(one.name for one in KNOWN.values() if one.is_api))
def test_a_session_opens_nothing_of_the_api(stage: Stage, client, name: str) -> None:
    user = stage.people["captain"]
    assert user is not None
    client.force_login(user)
    path = address(name, "own", stage)
    found = {client.get(path).status_code, client.post(path).status_code}
    client.logout()
    assert found == {client.get(path).status_code, client.post(path).status_code}
