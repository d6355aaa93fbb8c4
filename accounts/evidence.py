"""Which tables hold evidence: an app lists them as `evidence` on its AppConfig.

Triggers on both databases refuse to change or remove their rows (`accounts.triggers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import AppConfig, apps
from django.db.models import Model, UniqueConstraint


@dataclass(frozen=True, slots=True)
class Evidence:
    """A model whose rows are never deleted or replaced.

    `frozen` names the fields that never change; empty means that no field does.
    """

    model: str
    frozen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """What the triggers need to know of one table: columns that never change, and its unique keys."""

    name: str
    frozen: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]


def tables(config: AppConfig | None = None) -> Iterator[EvidenceTable]:
    """Yield the evidence tables of one app, or of all of them."""
    for app in [config] if config else apps.get_app_configs():
        for item in getattr(app, "evidence", ()):
            yield _table(app.get_model(item.model), item.frozen)


def _table(model: type[Model], frozen: tuple[str, ...]) -> EvidenceTable:
    meta = model._meta
    columns = tuple(_column(model, name) for name in frozen)
    single = [(str(field.column),) for field in meta.concrete_fields if field.unique]
    several = [
        tuple(_column(model, name) for name in constraint.fields)
        for constraint in meta.constraints
        if isinstance(constraint, UniqueConstraint) and constraint.condition is None
    ]
    return EvidenceTable(meta.db_table, columns, (*single, *several))


def _column(model: type[Model], name: str) -> str:
    column = model._meta.get_field(name).column  # type: ignore[union-attr]
    return str(column)
