from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib import admin
from django.urls import reverse

from accounts.services import audit, teams, tokens
from competition.services import deadlines
from tests.factories.accounts import InvitationFactory, UserFactory
from tests.factories.competition import (
    AnnouncementFactory,
    EntrantFactory,
    PhaseFactory,
    RoleGrantFactory,
    TermsAcceptanceFactory,
)

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
OURS = [
    model for model in admin.site._registry if model._meta.app_label in {"accounts", "competition"}
]

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    """One row at least of every model that the admin shows."""
    phase = PhaseFactory()
    user = UserFactory()
    tokens.create_token(actor=user, name="x", scopes=["read"], now=NOW)
    teams.create_team(actor=user, name="Team Alder", affiliation="", now=NOW)
    InvitationFactory()
    EntrantFactory(competition=phase.track.competition, captain=user).changes.create(
        field="kind", old="official", new="unofficial", reason="x", at=NOW
    )
    deadlines.move(
        actor=None,
        phase=phase,
        field="closes_at",
        new=phase.closes_at.replace(year=2027),
        reason="x",
        now=NOW,
    )
    for factory in (RoleGrantFactory, TermsAcceptanceFactory, AnnouncementFactory):
        factory()
    return user


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.label_lower)
def test_the_admin_shows_and_changes_nothing(model, rows, client) -> None:
    client.force_login(
        UserFactory(is_staff=True, is_superuser=True), "django.contrib.auth.backends.ModelBackend"
    )
    row = model._default_manager.first()
    place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    assert client.get(reverse(f"{place}_changelist")).status_code == 200
    page = client.get(reverse(f"{place}_change", args=[row.pk]))
    assert page.status_code == 200
    for secret in secrets_of(rows):
        assert secret not in page.content.decode()
    assert client.get(reverse(f"{place}_add")).status_code == 403
    assert (
        client.post(reverse(f"{place}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    )
    assert client.post(reverse(f"{place}_change", args=[row.pk]), {}).status_code == 403
    assert model._default_manager.filter(pk=row.pk).exists()


def secrets_of(user) -> list[str]:
    token = user.tokens.get()
    return [user.password, token.digest]


def test_staff_without_rights_see_no_admin_pages(rows, client) -> None:
    client.force_login(UserFactory(is_staff=True), "django.contrib.auth.backends.ModelBackend")
    assert client.get(reverse("admin:accounts_user_changelist")).status_code == 403
    assert audit.verify().ok
