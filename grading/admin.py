"""The admin site shows evidence and changes none of it."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin import ReadOnlyAdmin
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
