"""The admin site shows competitions, entrants and their history, and changes none of it."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin import ReadOnlyAdmin
from competition.models import (
    Announcement,
    Competition,
    DeadlineChange,
    Entrant,
    EntrantChange,
    EntrantMember,
    Phase,
    ReferenceVersion,
    RoleGrant,
    Terms,
    TermsAcceptance,
    Track,
)


@admin.register(Competition)
class CompetitionAdmin(ReadOnlyAdmin):
    list_display = ("slug", "state", "terms_version", "created_at", "loaded_at")
    list_filter = ("state",)
    search_fields = ("slug", "code")


@admin.register(Track)
class TrackAdmin(ReadOnlyAdmin):
    list_display = ("competition", "slug", "kind", "position")
    list_select_related = ("competition",)


@admin.register(Phase)
class PhaseAdmin(ReadOnlyAdmin):
    list_display = ("code", "track", "slug", "opens_at", "closes_at", "feedback")
    list_select_related = ("track__competition",)
    search_fields = ("code", "slug")


@admin.register(ReferenceVersion)
class ReferenceVersionAdmin(ReadOnlyAdmin):
    list_display = ("track", "name", "version", "sha256", "size", "loaded_at")
    list_select_related = ("track__competition",)
    exclude = ("storage_key",)


@admin.register(RoleGrant)
class RoleGrantAdmin(ReadOnlyAdmin):
    list_display = ("competition", "user", "role", "granted_at", "revoked_at")
    list_filter = ("role",)
    list_select_related = ("competition", "user")


@admin.register(Terms)
class TermsAdmin(ReadOnlyAdmin):
    list_display = ("competition", "version", "sha256", "created_at")
    list_select_related = ("competition",)


@admin.register(TermsAcceptance)
class TermsAcceptanceAdmin(ReadOnlyAdmin):
    list_display = ("terms", "user", "typed_name", "accepted_at")
    list_select_related = ("terms__competition", "user")


@admin.register(Entrant)
class EntrantAdmin(ReadOnlyAdmin):
    list_display = ("code", "competition", "team", "state", "kind", "registered_at", "charged_at")
    list_filter = ("state", "kind")
    list_select_related = ("competition", "team")
    search_fields = ("code", "team__name")


@admin.register(EntrantMember)
class EntrantMemberAdmin(ReadOnlyAdmin):
    list_display = ("entrant", "user", "role", "joined_at", "left_at")
    list_select_related = ("entrant__team", "entrant__competition", "user")


@admin.register(EntrantChange)
class EntrantChangeAdmin(ReadOnlyAdmin):
    list_display = ("entrant", "field", "old", "new", "reason", "actor", "at")
    list_select_related = ("entrant__team", "entrant__competition", "actor")


@admin.register(DeadlineChange)
class DeadlineChangeAdmin(ReadOnlyAdmin):
    list_display = ("phase", "field", "old", "new", "reason", "actor", "at")
    list_select_related = ("phase__track__competition", "actor")


@admin.register(Announcement)
class AnnouncementAdmin(ReadOnlyAdmin):
    list_display = ("competition", "published_at", "author")
    list_select_related = ("competition", "author")
