"""A graded competition with everything in it, what it says of itself, and an empty installation."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.test import override_settings

from accounts import triggers
from accounts.models import ApiToken, User
from accounts.services import audit, tokens
from competition.models import Competition, Entrant
from competition.services import entry, roles
from grading import receipts, sandbox
from grading.models import Submission
from grading.services import (
    boards,
    child,
    doorbell,
    evaluations,
    receipt_keys,
    selection,
    standings,
    validation,
)
from grading.services.keeping import boards as board_digests
from grading.services.keeping import databases, rows
from grading.services.receipts import receipt
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW, Arena, join, make_arena, submit

LATER = NOW + timedelta(minutes=1)
EXPORTED = LATER + timedelta(minutes=1)
CHANGED_BY_KEEPING = {"accounts.auditchain", "accounts.auditevent"}
"""The log of the site notes that a backup was made and restored."""


@contextmanager
def in_this_process() -> Iterator[None]:
    """Run the real scorer here, for speed, and only when it is called: no bell is heard."""

    def run(job, **options):
        return sandbox.DOERS[job["do"]](job, lambda *progress: None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "run", run)
        patch.setattr(doorbell, "_send", lambda name, row_id: None)
        yield


def fill() -> Arena:
    """Make a competition with three teams, scores, a rejected file, a mark, a log, tokens.

    The third team is out, and its second file still waits to be read.
    """
    with in_this_process():
        return _fill(make_arena())


def _fill(arena: Arena) -> Arena:
    admin = User.objects.create_superuser("admin@example.org", "correct horse battery", name="A")
    roles.grant(
        actor=admin, competition=arena.competition, user=UserFactory(), role="organizer", now=NOW
    )
    teams = [(arena.entrant, arena.captain), *(arena.enter(f"Team {name}") for name in "BC")]
    for number, (_, captain) in enumerate(teams):
        _grade(submit(arena, arena.flawed(number, word=f"w{number}"), actor=captain))
    marked = _grade(submit(arena, arena.flawed(3), actor=teams[0][1]))
    selection.mark(actor=teams[0][1], submission=marked, now=LATER)
    validation.validate(
        submission_id=submit(arena, {"nobody": "x"}, actor=teams[1][1]).pk, clock=lambda: LATER
    )
    submit(arena, arena.flawed(4), actor=teams[2][1])
    entry.disqualify(actor=admin, entrant=teams[2][0], reason="Team C broke rule 4.", now=LATER)
    tokens.create_token(
        actor=arena.captain, name="laptop", scopes=["read"], now=NOW - timedelta(days=1)
    )
    boards.want_rebuild(phase_id=arena.phase.pk, now=LATER)
    standings.rebuild(board_id=arena.phase.board.pk, now=LATER)
    return arena


def second_of(arena: Arena) -> tuple[Competition, Entrant]:
    """Return another competition, with the same references, and the same team's entry to it."""
    second = make_arena()
    entrant = Entrant.objects.create(
        competition=second.competition,
        team=arena.entrant.team,
        state="accepted",
        registered_at=LATER,
    )
    join(entrant, arena.captain)
    return second.competition, entrant


def _grade(submission: Submission) -> Submission:
    validated = validation.validate(submission_id=submission.pk, clock=lambda: LATER)
    evaluation = evaluations.live_of(validated)
    evaluations.run(evaluation_id=evaluation.pk, worker="w1", clock=lambda: LATER)
    return validated


def tables() -> dict[str, str]:
    """Return a hash of each table's rows, keys and all, but of the log."""
    return {
        model._meta.label_lower: hashlib.sha256(
            b"".join(rows.lines(rows.records(model._default_manager.all())))
        ).hexdigest()
        for model in databases.models()
        if model._meta.label_lower not in CHANGED_BY_KEEPING
    }


def stored_files() -> dict[str, str]:
    """Return a hash of each file of the installation, its private key too."""
    found = {}
    for root in (Path(settings.PUBLIC_FILES), Path(settings.HIDDEN_FILES)):
        for path in sorted(root.rglob("*")):
            if path.is_file():
                found[f"{root.name}/{path.relative_to(root)}"] = hashlib.sha256(
                    path.read_bytes()
                ).hexdigest()
    key = Path(settings.RECEIPT_KEY_FILE)
    found["key"] = key.read_text() if key.exists() else ""
    return found


def saved_receipts(now: datetime = LATER) -> list[str]:
    """Return the receipt of every submission as text."""
    found = Submission.objects.order_by("code")
    return [json.dumps(receipt(submission=one, now=now)) for one in found]


def outcomes(saved: list[str]) -> set[str]:
    """Return what the check of saved receipts finds here."""
    keys = receipt_keys.known()
    return {
        one.outcome.value for text in saved for one in receipts.verify(receipts.parse(text), keys)
    }


def told(slug: str) -> dict[str, Any]:
    """Return what must be equal wherever a competition is taken to: boards, log, codes, moments."""
    competition = Competition.objects.get(slug=slug)
    (chain,) = audit.verify(competition.audit_scope).chains
    assert chain.broken is None
    submissions = Submission.objects.filter(phase__track__competition=competition)
    return {
        "boards": board_digests.digests(competition),
        "submissions": list(
            submissions.order_by("code").values_list(
                "code", "state", "content_id", "sha256", "storage_key", "created_at", "received_at",
                "entrant__code", "entrant__team__name", "uploader__code", "quota__state",
                "evaluations__score", "evaluations__recipe__digest", "evaluations__tallies__sha256",
            )
        ),
        "members": list(
            competition.entrants.order_by("code").values_list(
                "code", "members__user__code", "members__joined_at", "team__members__code"
            )
        ),
    }  # fmt: skip


def chain_head(slug: str) -> tuple[int, str]:
    """Return the head of a competition's chain."""
    return audit.head(Competition.objects.get(slug=slug).audit_scope)


@contextmanager
def elsewhere(folder: Path) -> Iterator[None]:
    """Be another installation inside: its rows, files and keys are gone afterwards."""
    with override_settings(**places(folder)):
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
        shutil.rmtree(folder)


def places(folder: Path) -> dict[str, Path]:
    """Return the settings that say where an installation keeps its files."""
    folder.mkdir()
    return {
        "VAR_DIR": folder,
        "PUBLIC_FILES": folder / "files",
        "HIDDEN_FILES": folder / "hidden",
        "RECEIPT_KEY_FILE": folder / "receipt-key",
    }


def wipe() -> None:
    """Leave a new installation: no rows, no files, no keys."""
    triggers.drop()
    call_command("flush", interactive=False, verbosity=0)
    assert not ApiToken.objects.exists()
    for folder in (settings.PUBLIC_FILES, settings.HIDDEN_FILES):
        shutil.rmtree(folder, ignore_errors=True)
    Path(settings.RECEIPT_KEY_FILE).unlink(missing_ok=True)


@contextmanager
def analyzed_since(table: str) -> Iterator[None]:
    """Check that somebody asks PostgreSQL to gather the table's statistics meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        began = cursor.fetchone()[0]
        yield
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT last_analyze FROM pg_stat_user_tables WHERE relname = %s", [table])
        at = cursor.fetchone()[0]
    assert at is not None
    assert at > began
