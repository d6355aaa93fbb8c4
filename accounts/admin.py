"""The admin site shows people and the audit log, and changes none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from accounts.models import (
    ApiToken,
    AuditChain,
    AuditEvent,
    Team,
    TeamInvitation,
    TeamMembership,
    User,
)

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Any]
else:
    Base = admin.ModelAdmin


class ReadOnlyAdmin(Base):
    """Look, but do not touch: services make and change these rows."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False."""
        return False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ("code", "email", "name", "email_verified_at", "is_active", "is_superuser")
    list_filter = ("is_active", "is_superuser", "language")
    search_fields = ("code", "email", "name")
    exclude = ("password", "user_permissions", "groups")


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    list_display = ("code", "name", "affiliation", "created_at")
    search_fields = ("code", "name", "name_key")


@admin.register(TeamMembership)
class TeamMembershipAdmin(ReadOnlyAdmin):
    list_display = ("team", "user", "role", "joined_at", "left_at")
    list_filter = ("role",)
    list_select_related = ("team", "user")


@admin.register(TeamInvitation)
class TeamInvitationAdmin(ReadOnlyAdmin):
    list_display = ("code", "team", "created_at", "expires_at", "accepted_at", "revoked_at")
    list_select_related = ("team",)
    exclude = ("secret_digest",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("code", "user", "name", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    exclude = ("digest",)


@admin.register(AuditChain)
class AuditChainAdmin(ReadOnlyAdmin):
    list_display = ("scope", "count", "head")


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("chain", "number", "kind", "actor", "target", "at")
    list_filter = ("kind",)
    search_fields = ("actor", "target", "kind", "hash")
    list_select_related = ("chain",)
    date_hierarchy = "at"
