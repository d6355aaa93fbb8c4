"""What is hidden shows nowhere: not on a page, in a file, an answer, a mail, a log line, an error."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
from django.core import mail
from django.db import transaction
from django.test import TestCase
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from competition.models import Question
from config.log import JsonFormatter
from grading.services import notices
from tests.security.canaries import World, clock, make_world
from tests.security.crawl import Visit, crawl, visit
from tests.security.endpoints import Endpoint, endpoints, meaning_of
from tests.security.worlds import client_of, kept_in, taken_back

READERS = ["anonymous", "outsider", "captain", "member", "rival", "rater", "listener", "auditor"]
ODD_BODIES = [
    ("application/json", b'{"name": "cut'),
    ("application/json", b"[" * 5000),
    ("application/x-www-form-urlencoded", b"name=%00&system=%ff&reason=%ed%a0%80"),
    ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="file"'),
    ("text/weird", b"\xff\xfe"),
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def logged() -> Iterator[io.StringIO]:
    """Return everything that is logged, as it is written in production."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


@pytest.fixture(scope="module")
def world(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    logged: io.StringIO,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    with django_db_blocker.unblock(), kept_in(tmp_path_factory.mktemp("canaries")):
        mail.outbox = []
        with TestCase.captureOnCommitCallbacks(execute=True):
            made = make_world()
        notices.send_due(clock=clock)
        made.mails = list(mail.outbox)
        yield made


@pytest.fixture(autouse=True)
def db(world: World) -> Iterator[None]:
    """A savepoint in the transaction of this module's own world."""
    with taken_back():
        yield


def starts(world: World, *, api: bool) -> list[list[str]]:
    """Return the addresses of each endpoint, for every code that it may be about."""
    arena = world.arena
    entrants = list(arena.competition.entrants.select_related("team"))
    codes = {
        "scored": world.codes,
        "voiced": world.codes,
        "waiting": world.codes,
        "entrant": [one.code for one in entrants],
        "team": [one.team.code for one in entrants],
        "question": list(Question.objects.values_list("code", flat=True)),
        "phase_code": [arena.phase.code],
        "verification": world.verifications,
    }
    parts = {
        "slug": [arena.competition.slug],
        "track": [arena.track.slug],
        "phase": [arena.phase.slug],
    }
    found = []
    for endpoint in endpoints():
        if endpoint.is_api != api or "language" in endpoint.route:
            continue
        known = {**parts, "code": codes.get(meaning_of(endpoint.name) or "", ["x"])}
        routes = [
            address
            for one in world.heard.parts(endpoint.name) or [{}]
            for address in _addresses(endpoint, {**known, **{part: [one[part]] for part in one}})
        ]
        found.append(routes)
    return found


def _addresses(endpoint: Endpoint, known: dict[str, list[str]]) -> list[str]:
    routes = ["/" + endpoint.route]
    for part in endpoint.kwargs:
        values = known.get(part, ["x"])
        routes = [_filled(route, part, value) for route in routes for value in values]
    return routes


def _filled(route: str, part: str, value: str) -> str:
    before, _, rest = route.partition("<")
    inside, _, after = rest.partition(">")
    if inside.split(":")[-1] == part:
        return before + value + after
    return f"{before}<{inside}>{_filled(after, part, value)}"


def walk(world: World, who: str, *, api: bool) -> list[Visit]:
    """Return what every address answers that this kind of person can reach."""
    found = starts(world, api=api)
    every = [address for addresses in found for address in addresses]
    return list(crawl(client_of(world, who, is_api=api), every, [one[0] for one in found]))


def assert_clean(world: World, who: str, visits: list[Visit]) -> None:
    leaks = [
        f"{one.address} ({one.status}) shows {who} {canary.what}: {canary.text}"
        for one in visits
        for canary in world.found_in(one.text, who)
        if canary.text not in one.address  # who asked with it is told nothing new
    ]
    assert not leaks, "\n".join(sorted(set(leaks))[:40])
    errors = [one.address for one in visits if one.status >= 500 and "readyz" not in one.address]
    assert not errors, errors


@pytest.mark.parametrize("who", READERS)
def test_no_page_gives_a_canary_away(world: World, who: str) -> None:
    visits = walk(world, who, api=False)
    assert len(visits) > 100
    assert_clean(world, who, visits)


@pytest.mark.parametrize("who", READERS)
def test_no_answer_of_the_api_gives_a_canary_away(world: World, who: str) -> None:
    visits = walk(world, who, api=True)
    assert_clean(world, who, visits)


@pytest.mark.parametrize("who", ["anonymous", "captain", "rival"])
def test_no_error_gives_a_canary_away(world: World, who: str) -> None:
    visits = []
    for api in (False, True):
        client = client_of(world, who, is_api=api)
        for address, *_ in starts(world, api=api):
            for content_type, body in ODD_BODIES:
                with transaction.atomic():
                    visits.append(
                        visit(client, address, "POST", data=body, content_type=content_type)
                    )
                    transaction.set_rollback(True)
    assert_clean(world, who, visits)


def test_no_mail_gives_a_canary_away(world: World) -> None:
    assert world.mails
    for message in world.mails:
        readers = [who for who, user in world.people.items() if user and user.email in message.to]
        text = message.message().as_string() + f"\n{message.subject}\n{message.body}"
        for canary in world.canaries:
            if canary.what.startswith(("an invitation", "the guest")):
                continue
            assert canary.text not in text or set(readers) & canary.readers, (canary, text)


def test_no_log_line_gives_a_canary_away(world: World, logged: io.StringIO) -> None:
    walk(world, "captain", api=True)  # the tests before it may have run elsewhere
    text = logged.getvalue()
    assert "request.done" in text
    assert {canary.what for canary in world.canaries if canary.text in text} == set()


def test_the_canaries_can_be_found_where_they_may_be_read(world: World) -> None:
    client = client_of(world, "captain", is_api=False)
    text = "".join(visit(client, f"/submissions/{code}/").text for code in world.codes)
    for what in ("a note of captain", "the name of a file of captain"):
        canary = next(one for one in world.canaries if one.what == what)
        assert canary.text in text
    organizer = client_of(world, "organizer", is_api=False)
    console = f"/competitions/{world.arena.competition.slug}/console/verification/"
    page = visit(organizer, f"{console}{world.verifications[0]}/").text
    for what in ("the id of a held-out clip", "the name of a held-out output"):
        canary = next(one for one in world.canaries if one.what == what)
        assert canary.text in page


def test_the_canaries_of_track_2_can_be_found_where_they_may_be_read(world: World) -> None:
    heard, slug = world.heard, world.arena.competition.slug
    planted = {canary.what: canary.text for canary in world.canaries}
    captain = client_of(world, "captain", is_api=False)
    page = visit(captain, reverse("grading:clip-list", args=[heard.clips[0]])).text
    assert planted["the name of a clip’s file of captain"] in page
    organizer = client_of(world, "organizer", is_api=False)
    for who, run in zip(("captain", "rival"), heard.voices.runs.values(), strict=True):
        lines = visit(organizer, reverse("grading:judging-answers", args=[slug, run.code])).text
        assert planted[f"what a judge said of {who}"] in lines
    sound = reverse("grading:rate-audio", args=[planted["the rater’s link to a sound"]])
    assert visit(client_of(world, "listener", is_api=False), sound).status == 200
    assert visit(client_of(world, "rater", is_api=False), sound).status == 404
