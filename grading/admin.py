"""The admin site shows evidence and changes none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from grading.models import (
    Board,
    Evaluation,
    IdempotencyKey,
    PhaseRecipe,
    QuotaEntry,
    Recipe,
    Standing,
    Submission,
    ValidationProblem,
    WorkerHeartbeat,
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


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("code", "entrant", "phase", "number", "state", "created_at", "failure_code")
    list_filter = ("state", "kind", "phase")
    search_fields = ("code", "content_id")
    list_select_related = ("entrant__team", "entrant__competition", "phase__track__competition")


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = ("submission", "recipe", "state", "attempt", "score", "failure_code")
    list_filter = ("state", "failure_code")
    search_fields = ("submission__code", "recipe__digest")
    list_select_related = ("submission", "recipe")


@admin.register(QuotaEntry)
class QuotaEntryAdmin(ReadOnlyAdmin):
    list_display = ("submission", "aoe_day", "state", "reserved_at", "settled_at", "reason")
    list_filter = ("state", "aoe_day")
    list_select_related = ("submission",)


@admin.register(Recipe)
class RecipeAdmin(ReadOnlyAdmin):
    list_display = ("digest", "scorer", "version", "references", "created_at")
    list_select_related = ("references",)


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin):
    list_display = ("phase", "wanted", "built", "built_at", "frozen_at")
    list_select_related = ("phase__track__competition",)


@admin.register(PhaseRecipe, Standing, ValidationProblem, IdempotencyKey, WorkerHeartbeat)
class OtherAdmin(ReadOnlyAdmin):
    pass
