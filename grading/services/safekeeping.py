"""Looks at what must outlive this machine and this release: receipts' key, backups, recipes' scorers."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from accounts.models import AuditEvent
from grading.enums import EvaluationState, RecipeRole
from grading.models import Evaluation, PhaseRecipe, ReceiptKey, Submission
from grading.rules import runs_here, scored_here
from grading.services import canary, receipt_keys
from grading.services.errors import ReceiptsUnavailable
from grading.services.findings import Finding
from grading.services.keeping.backups import MADE

PATIENCE = timedelta(days=2)
"""How long an upload may be in no backup."""
REMEDIES = {
    "receipts": (
        "Put the key back, from a backup if it is lost, and make it readable by the server's"
        " account alone (chmod 600); or run: manage.py receipt_keys rotate"
    ),
    "scorer": (
        "Propose the scorer that runs now and switch to it:"
        " manage.py rescore propose COMPETITION TRACK PHASE --reason …"
    ),
    "backup": "Run: manage.py backup PATH (docs/operations.md says how to do it every day)",
}


def receipts(now: datetime) -> Finding:
    """Look whether the key that signs receipts can be read, is closed to others, and is the one in use."""
    if not settings.RECEIPT_KEY and not Path(settings.RECEIPT_KEY_FILE).exists():
        return _without_key()
    try:
        private = Ed25519PrivateKey.from_private_bytes(receipt_keys.seed())
    except ReceiptsUnavailable as refusal:
        return Finding("receipts", refusal.message, REMEDIES["receipts"])
    public = private.public_key().public_bytes_raw().hex()
    row = ReceiptKey.objects.filter(public_key=public).first()
    if row is not None and row.valid_until is not None:
        return Finding("receipts", f"key {row.key_id} is retired", REMEDIES["receipts"])
    in_use = ReceiptKey.objects.filter(valid_until__isnull=True).exclude(public_key=public).count()
    if in_use:
        return Finding(
            "receipts",
            f"{in_use} more keys are in use than the one that is here",
            "Give every machine the same RECEIPT_KEY, then run: manage.py receipt_keys rotate",
        )
    return Finding("receipts", f"key {row.key_id} signs" if row else "a key is here, not used yet")


def _without_key() -> Finding:
    if ReceiptKey.objects.filter(valid_until__isnull=True).exists():
        return Finding("receipts", "the private key is gone", REMEDIES["receipts"])
    return Finding("receipts", "no key yet; one is made with the first receipt")


def backup(now: datetime) -> Finding:
    """Look whether an upload has been in no backup for longer than two days."""
    last = AuditEvent.objects.filter(kind=MADE).order_by("-at").values_list("at", flat=True).first()
    uploads = Submission.objects.order_by("received_at")
    unkept = (uploads.filter(received_at__gt=last) if last else uploads).first()
    said = f"the last one is of {last:%Y-%m-%d %H:%M} UTC" if last else "none was made"
    is_late = unkept is not None and now - unkept.received_at > PATIENCE
    return Finding("backup", said, REMEDIES["backup"] if is_late else "")


def scorer(now: datetime) -> Finding:
    """Look whether a phase that takes uploads is scored by a version of the scorer that is not installed."""
    live = PhaseRecipe.objects.filter(
        role=RecipeRole.LIVE, phase__opens_at__lte=now, phase__closes_at__gt=now
    ).exclude(phase__track__competition__slug=canary.SLUG)
    behind = [
        f"{row.phase} has {row.recipe.version}"
        for row in live.select_related("recipe", "phase__track__competition")
        if not runs_here(row.recipe)
    ]
    if not behind:
        return Finding("scorer", "every open phase is scored by the version that is installed")
    waiting = Evaluation.objects.filter(state=EvaluationState.QUEUED).exclude(scored_here()).count()
    said = f"{', '.join(behind)}; {waiting} evaluations wait for a version that is not installed"
    return Finding("scorer", said, REMEDIES["scorer"])
