"""Queries whose SQL is written once: on paths that many wait for, writing it costs more than running it.

`@prepared` goes over a function that returns a queryset. Called, it returns that queryset's rows as a
list; the SQL is kept for each shape of its arguments (what is None, which flag is set, how many a
collection has), and only the values are put in anew. See docs/decisions/0344.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast

from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

from accounts.models import User

P = ParamSpec("P")
R = TypeVar("R")

FIRST_ID = 7_000_000_000_000_000
FIRST_TIME = datetime(7000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Written:
    """SQL as Django wrote it. Of its parameters `places` says which are a mark, and of which value."""

    sql: str
    params: tuple[Any, ...]
    places: Mapping[int, int]
    compiler: SQLCompiler
    is_of_models: bool
    locks: bool


class Prepared(Generic[P, R]):
    """A query that is written once for each shape of its arguments, and run with their values.

    Positional arguments are ids, texts, moments, flags, None, people, and collections of ids or
    texts. The function may branch by their shape alone, and hands values to the query as they are:
    what it computes of one is refused (ValueError) at the first call. Keyword arguments are part of
    the SQL, which is written for each of them.
    """

    def __init__(self, build: Callable[P, QuerySet[Any, R]]) -> None:
        self._build = build
        self._written: dict[object, _Written | None] = {}
        update_wrapper(self, build)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Return the rows, models or tuples as the queryset gives them.

        Raises TransactionManagementError when it would lock rows outside a transaction.
        """
        connection = connections[DEFAULT_DB_ALIAS]
        given = [sorted(one) if isinstance(one, set | frozenset) else one for one in args]
        values: list[object] = []
        shape = tuple([_shape(value, values) for value in given])
        key = (connection.vendor, shape, *kwargs.items())
        if key not in self._written:
            self._written[key] = self._write(connection, given, kwargs)
        written = self._written[key]
        if written is None:
            return []
        params = _filled(written, values, connection)
        if settings.PREPARED_IS_CHECKED:
            build: Callable[..., QuerySet[Any, R]] = self._build
            _check(build(*given, **kwargs), written.sql, params)
        return _rows(written, params, connection)

    def first(self, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Return the first of the rows, None without one; all of them are read."""
        found = self(*args, **kwargs)
        return found[0] if found else None

    def _write(
        self, connection: BaseDatabaseWrapper, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> _Written | None:
        marks: list[object] = []
        queryset = self._build(*[_marked(value, marks) for value in args], **kwargs)
        compiler = queryset.query.get_compiler(connection=connection)
        try:
            sql, params = compiler.as_sql()
        except EmptyResultSet:
            return None
        numbers = {_bare(mark, connection): number for number, mark in enumerate(marks)}
        places = {
            place: numbers[param]
            for place, param in enumerate(params)
            if isinstance(param, int | str | datetime) and param in numbers
        }
        if set(places.values()) != set(range(len(marks))):
            raise ValueError(f"{self._build.__qualname__} does not use every value as it is given.")
        return _Written(
            sql,
            tuple(params),
            places,
            compiler,
            queryset.query.default_cols,
            bool(queryset.query.select_for_update),
        )


def prepared(build: Callable[P, QuerySet[Any, R]]) -> Prepared[P, R]:
    """Let a function that returns a queryset return its rows, by SQL that is written once."""
    return Prepared(build)


def _shape(value: object, values: list[object]) -> object:
    """Return what of an argument decides how the SQL reads; add its values to `values`."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, User):
        values.append(value.pk)
        return User, value.is_active, value.is_superuser
    for kind in (int, str, datetime):
        if isinstance(value, kind):
            values.append(value)
            return kind
    if isinstance(value, Collection):
        return tuple([_shape(one, values) for one in value])
    raise ValueError(f"A prepared query takes no {type(value).__name__}.")


def _marked(value: object, marks: list[object]) -> Any:
    """Return what stands for an argument while its SQL is written; add its marks to `marks`."""
    if value is None or isinstance(value, bool):
        return value
    number = len(marks)
    if isinstance(value, User):
        marks.append(FIRST_ID + number)
        return User(
            pk=FIRST_ID + number, is_active=value.is_active, is_superuser=value.is_superuser
        )
    if isinstance(value, int | str | datetime):
        marks.append(_mark(value, number))
        return marks[-1]
    return [_marked(one, marks) for one in cast("Collection[object]", value)]


def _mark(value: int | str | datetime, number: int) -> object:
    if isinstance(value, int):
        return FIRST_ID + number
    return f"\x02{number}\x03" if isinstance(value, str) else FIRST_TIME + timedelta(days=number)


def _bare(value: object, connection: BaseDatabaseWrapper) -> object:
    """Return a value as the database takes it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value


def _filled(
    written: _Written, values: Sequence[object], connection: BaseDatabaseWrapper
) -> tuple[Any, ...]:
    """Return the parameters with values in place of marks, of the types that Django gave the marks."""
    params = list(written.params)
    for place, number in written.places.items():
        value = values[number]
        is_number = isinstance(value, int)
        params[place] = type(params[place])(value) if is_number else _bare(value, connection)
    return tuple(params)


def _check(queryset: QuerySet[Any, Any], sql: str, params: tuple[Any, ...]) -> None:
    """Compare with what Django writes of the very values; for tests."""
    fresh = queryset.query.get_compiler(using=DEFAULT_DB_ALIAS).as_sql()
    if (sql, params) != (fresh[0], tuple(fresh[1])):
        raise AssertionError(f"Prepared: {sql} {params}\nDjango: {fresh[0]} {fresh[1]}")


def _rows(written: _Written, params: tuple[Any, ...], connection: BaseDatabaseWrapper) -> list[Any]:
    if written.locks and connection.features.has_select_for_update and connection.get_autocommit():
        raise TransactionManagementError("select_for_update cannot be used outside a transaction.")
    with connection.cursor() as cursor:
        cursor.execute(written.sql, params)
        found = cursor.fetchall()
    compiler = copy(written.compiler)
    compiler.connection = connection
    if compiler.has_extra_select:
        found = [row[: compiler.col_count] for row in found]
    if not written.is_of_models:
        return list(compiler.results_iter([found], tuple_expected=True))
    source: Any = _Source(compiler, found)
    return list(ModelIterable(source))


@dataclass(frozen=True, slots=True)
class _Source:
    """What Django's maker of models asks of a queryset, its query and compiler, with the rows that came."""

    compiler: SQLCompiler
    found: list[tuple[Any, ...]]
    db: str = DEFAULT_DB_ALIAS
    _known_related_objects: Mapping[Any, Any] = field(default_factory=dict)

    @property
    def query(self) -> _Source:
        return self

    def get_compiler(self, **_: object) -> _Source:
        return self

    def execute_sql(self, **_: object) -> list[list[tuple[Any, ...]]]:
        return [self.found]

    @property
    def select(self) -> Any:
        return self.compiler.select

    @property
    def klass_info(self) -> Any:
        return self.compiler.klass_info

    @property
    def annotation_col_map(self) -> Any:
        return self.compiler.annotation_col_map

    def results_iter(self, results: Iterable[Any]) -> Iterable[Any]:
        return self.compiler.results_iter(results)
