"""Many new tables in one step of a migration, each made once, in its final form.

Django draws every model anew after each operation, and SQLite copies a table for each constraint
that is added to it: with n tables a migration costs n². Here the models are drawn once.
"""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class Together(Operation):
    """New tables and what is added to them; raises ValueError for an operation on another table."""

    reduces_to_sql = True
    reversible = True

    def __init__(self, operations: list[Operation]) -> None:
        self.operations = operations
        self._made = [one for one in operations if isinstance(one, CreateModel)]
        names = {one.name_lower for one in self._made}
        for operation in operations:
            if operation not in self._made and _table_of(operation) not in names:
                raise ValueError(f"{operation.describe()}: its table is not made here.")

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change the state; the models are drawn when they are next asked for."""
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Make the tables as they stand in the end, with all that was added."""
        for made in self._made:
            made.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Drop the tables, the last one first."""
        for made in reversed(self._made):
            made.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return what it makes, for `migrate --plan`."""
        return "Create together: " + ", ".join(made.name for made in self._made)


def _table_of(operation: Operation) -> str:
    return str(getattr(operation, "model_name", "")).lower()
