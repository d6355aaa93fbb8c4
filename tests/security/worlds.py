"""A world of people and files that many tests share: how it is kept, and who asks in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
import time_machine
from django.conf import settings
from django.db import transaction
from django.test import Client

from accounts.models import User
from tests.factories.grading import NOW


class Peopled(Protocol):
    """A world that knows its people, their tokens and the keys of their sessions, by kind."""

    people: Mapping[str, User | None]
    secrets: Mapping[str, str]

    logins: Mapping[str, str]


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back what is written inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Stand at NOW, with files of its own and a transaction that is taken back."""
    with (
        pytest.MonkeyPatch.context() as patch,
        time_machine.travel(NOW, tick=False),
        taken_back(),
    ):
        patch.setattr(settings, "PUBLIC_FILES", folder / "files")
        patch.setattr(settings, "HIDDEN_FILES", folder / "hidden")
        yield


def log_in(user: User) -> str:
    """Return the key of a new session: made once with the world, it serves every client."""
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def client_of(world: Peopled, who: str, *, is_api: bool, **options: Any) -> Client:
    """Return a client signed in as that kind of person, by token or session; an error is its 500."""
    user = world.people[who]
    if user is not None and is_api:
        options["HTTP_AUTHORIZATION"] = f"Bearer {world.secrets[who]}"
    client = Client(raise_request_exception=False, **options)
    if user is not None and not is_api:
        client.cookies[settings.SESSION_COOKIE_NAME] = world.logins[who]
    return client
