"""A person with a token in a small open challenge."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.enums import TokenScope
from accounts.models import User
from accounts.services import tokens
from tests.factories.grading import Arena, make_arena

ALL = [TokenScope.READ, TokenScope.SUBMIT]


@pytest.fixture
def arena(db, settings, tmp_path) -> Arena:
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return make_arena(now=timezone.now())


def client_of(user: User, scopes=ALL) -> APIClient:
    """Return a client that sends the person's token."""
    _, secret = tokens.create_token(
        actor=user, name="test", scopes=list(scopes), now=timezone.now()
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


@dataclass
class Phase:
    """The addresses of the arena's phase."""

    base: str

    @property
    def submissions(self) -> str:
        return self.base + "submissions/"

    @property
    def check(self) -> str:
        return self.base + "check/"


@pytest.fixture
def address(arena: Arena) -> Phase:
    slug = arena.competition.slug
    return Phase(f"/api/v1/competitions/{slug}/tracks/understanding/phases/final/")


@pytest.fixture
def api(arena: Arena) -> APIClient:
    return client_of(arena.captain)
