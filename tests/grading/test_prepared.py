"""Queries whose SQL is written once give what Django's own give, for any values."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

from accounts.models import User
from grading.models import Rater, RatingTask
from grading.prepared import prepared
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db


def named(name: str) -> QuerySet[User]:
    return User.objects.filter(name=name)


@pytest.fixture
def written(monkeypatch, settings):
    """Give a list that grows by one whenever Django writes a query."""
    settings.PREPARED_IS_CHECKED = False
    times: list[str] = []
    original = SQLCompiler.as_sql

    def counted(self: SQLCompiler, *args: object, **kwargs: object) -> object:
        times.append(self.query.model.__name__)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "as_sql", counted)
    return times


def test_the_text_is_written_once_and_the_values_are_those_of_the_call(
    written, django_assert_num_queries
):
    people = [UserFactory(name=f"p{n}") for n in range(3)]
    query = prepared(named)
    query(people[0].name)
    written.clear()
    with django_assert_num_queries(3):
        found = [query(one.name) for one in people]
    assert found == [[one] for one in people]
    assert not written


@pytest.mark.parametrize("name", ["%s", "%(a)s", "100%", "'; --", "\x020\x03", "ß€𝄞", ""])
def test_texts_are_values_whatever_they_hold(name):
    UserFactory(name="other")
    someone = UserFactory(name=name)
    query = prepared(named)
    assert query(name) == [someone]
    assert query(name) == list(named(name))
    assert query.first(name) == someone
    assert query.first(name + "x") is None


def test_models_come_with_what_was_joined_and_with_what_was_left_out(django_assert_num_queries):
    person = make_hall().rater()
    protocol = person.rater.protocol.code

    @prepared
    def with_protocol(rater: int) -> QuerySet[Rater]:
        return Rater.objects.filter(pk=rater).select_related("protocol").defer("pseudonym")

    for _ in range(2):
        with django_assert_num_queries(1):
            (found,) = with_protocol(person.rater.pk)
            assert found.protocol.code == protocol
        assert found.get_deferred_fields() == {"pseudonym"}
        assert found.joined_at == person.rater.joined_at  # as Python has it, in both databases
        assert not found._state.adding


def test_each_shape_has_its_own_text(written):
    hall = make_hall()
    person = hall.rater()
    person.begin()
    tasks = [task.pk for task in (person.claim().open, person.claim().ahead)]

    @prepared
    def those(rater: int, ids: Collection[int], opened: datetime | None) -> QuerySet[RatingTask]:
        rows = RatingTask.objects.filter(rater=rater, pk__in=ids).order_by("pk")
        return rows if opened is None else rows.filter(created_at__gte=opened)

    pk = person.rater.pk
    for _ in range(2):
        assert [task.pk for task in those(pk, tasks, None)] == sorted(tasks)
        assert [task.pk for task in those(pk, frozenset(tasks[:1]), None)] == tasks[:1]
        assert those(pk, [], None) == []
        assert len(those(pk, tasks, person.now - timedelta(days=1))) == 2
        assert those(pk, tasks, person.now + timedelta(days=1)) == []


def test_a_set_is_the_same_in_whatever_order_it_lies():
    someone = UserFactory()

    @prepared
    def those(ids: Collection[int]) -> QuerySet[User]:
        return User.objects.filter(pk__in=ids)

    for other in (8 + someone.pk, 1 + someone.pk, 64 + someone.pk):
        assert those({other, someone.pk}) == those(frozenset([someone.pk, other])) == [someone]
    assert list({8, 1}) != sorted({8, 1})  # sets do not lie in order
    assert those({8_000_000, 1_000_001}) == []


def test_a_keyword_is_part_of_the_text():
    for _ in range(5):
        UserFactory()

    @prepared
    def some(least: int, *, most: int) -> QuerySet[User, tuple[int]]:
        return User.objects.filter(pk__gte=least).order_by("pk").values_list("pk")[:most]

    everybody = list(User.objects.order_by("pk").values_list("pk"))
    for _ in range(2):
        assert [some(0, most=most) for most in (1, 3)] == [everybody[:1], everybody[:3]]


def test_who_asks_decides_by_what_they_are():
    person = make_hall().rater()

    @prepared
    def seen(user: User, code: str) -> QuerySet[Rater]:
        return Rater.objects.visible_to(user).filter(code=code)

    code = person.rater.code
    assert seen(person.user, code) == [person.rater]
    person.user.is_active = False
    assert seen(person.user, code) == []
    assert seen(UserFactory(is_superuser=True), code) == []
    person.user.is_active = True
    assert seen(person.user, code) == [person.rater]


def test_what_is_computed_of_a_value_is_refused():
    @prepared
    def shifted(moment: datetime) -> QuerySet[User]:
        return User.objects.filter(created_at__lt=moment + timedelta(days=1))

    @prepared
    def unused(first: int, second: int) -> QuerySet[User]:
        return User.objects.filter(pk__in=[first, first])

    @prepared
    def cut(most: int) -> QuerySet[User]:
        return User.objects.order_by("pk")[:most]

    for query, values in ((shifted, [NOW]), (unused, [1, 2]), (cut, [3])):
        with pytest.raises(ValueError, match="does not use every value as it is given"):
            query(*values)
    with pytest.raises(ValueError, match="takes no float"):
        shifted(1.5)


def test_a_query_that_branches_by_a_value_is_found_out():
    @prepared
    def branching(number: int) -> QuerySet[User]:
        rows = User.objects.filter(pk=number)
        return rows if number % 2 else rows.order_by("email")

    assert branching(2) == []
    with pytest.raises(AssertionError, match="Prepared: "):
        branching(3)


def test_a_value_that_a_test_computes_with_is_found_out():
    @prepared
    def twice(number: int) -> QuerySet[User]:
        return User.objects.filter(pk=number, created_at__gt=NOW + timedelta(days=number % 7))

    with pytest.raises(AssertionError, match="Prepared: "):
        twice(1)


def test_more_columns_than_were_asked_for_stay_inside():
    person = make_hall().rater()
    person.begin()
    person.claim()

    @prepared
    def kinds(rater: int) -> QuerySet[RatingTask, tuple[str]]:
        rows = RatingTask.objects.filter(rater=rater).order_by(F("position").desc())
        return rows.values_list("kind").distinct()

    pk = person.rater.pk
    wanted = RatingTask.objects.filter(rater=pk).order_by(F("position").desc())
    assert kinds(pk) == kinds(pk) == list(wanted.values_list("kind").distinct())
    assert all(len(row) == 1 for row in kinds(pk))


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_rows_are_not_locked_outside_a_transaction():
    someone = UserFactory()

    @prepared
    def locked(user: int) -> QuerySet[User]:
        return User.objects.select_for_update().filter(pk=user)

    with pytest.raises(TransactionManagementError, match="outside"):
        locked(someone.pk)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_threads_share_a_text_and_never_a_connection():
    people = [UserFactory(name=f"p{n}") for n in range(8)]
    query = prepared(named)

    def ask(one: User) -> list[list[User]]:
        try:
            return [query(one.name) for _ in range(20)]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        for one, found in zip(people, pool.map(ask, people), strict=True):
            assert found == [[one]] * 20
