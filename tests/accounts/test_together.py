"""Tables made in one step of a migration stand as they would after many."""

from __future__ import annotations

import pytest
from django.db import connection, models
from django.db.migrations import AddConstraint, AddField, CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from accounts.together import Together


def key() -> tuple[str, models.Field]:
    return "id", models.BigAutoField(primary_key=True)


def operations() -> list[Operation]:
    return [
        CreateModel("Tree", [key(), ("height", models.IntegerField())]),
        CreateModel("Leaf", [key()]),
        AddField("leaf", "tree", models.ForeignKey("accounts.Tree", models.CASCADE)),
        AddConstraint(
            "tree", models.CheckConstraint(condition=models.Q(height__gt=0), name="tree_height")
        ),
    ]


def run(steps: list[Operation], *, back: bool = False) -> list[tuple[ProjectState, ProjectState]]:
    state, passed = ProjectState(), []
    for step in steps:
        before = state.clone()
        step.state_forwards("accounts", state)
        with connection.schema_editor() as editor:
            step.database_forwards("accounts", editor, before, state)
        passed.append((before, state.clone()))
    if back:
        for step, (before, after) in zip(reversed(steps), reversed(passed), strict=True):
            with connection.schema_editor() as editor:
                step.database_backwards("accounts", editor, after, before)
    return passed


def shape(table: str) -> object:
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, table)
        constraints = connection.introspection.get_constraints(cursor, table)
    return [(one.name, one.type_code, one.null_ok) for one in columns], constraints


def shapes_after(steps: list[Operation]) -> object:
    run(steps)
    found = [shape(table) for table in ("accounts_leaf", "accounts_tree")]
    with connection.schema_editor() as editor:
        for table in ("accounts_leaf", "accounts_tree"):
            editor.execute(f"DROP TABLE {table}")
    return found


@pytest.mark.django_db(transaction=True)
def test_the_tables_are_those_of_many_steps() -> None:
    assert shapes_after([Together(operations())]) == shapes_after(operations())


@pytest.mark.django_db(transaction=True)
def test_back_it_leaves_nothing() -> None:
    run([Together(operations())], back=True)
    tables = connection.introspection.table_names()
    assert not {"accounts_tree", "accounts_leaf"} & set(tables)


def test_an_operation_on_another_table_is_refused() -> None:
    other = AddField("user", "height", models.IntegerField())
    with pytest.raises(ValueError, match="not made here"):
        Together([*operations(), other])


def test_its_plan_names_the_tables() -> None:
    assert Together(operations()).describe() == "Create together: Tree, Leaf"
