"""An installation for proofs about uploads: `python -m tests.proofs.probe COMMAND`, answers in JSON.

Runs in a process of its own on the database and storage that the environment names.
"""

from __future__ import annotations

import json
import sys

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.services import audit, tokens  # noqa: E402
from competition import bucket  # noqa: E402
from grading.models import QuotaEntry, Submission, UploadPart, UploadSession  # noqa: E402
from grading.services import sweep, validation  # noqa: E402
from tests.factories.grading import make_arena  # noqa: E402

LIMITS = {"file_bytes": 2**33, "unpacked_bytes": 2**33}


def prepare() -> dict[str, object]:
    """Make an open phase that takes files of 8 GiB, and a token of its team's captain."""
    call_command("migrate", verbosity=0)
    if bucket.is_on():
        bucket.client().create_bucket(Bucket=bucket.name("")["Bucket"])
    arena = make_arena(now=timezone.now(), limits=LIMITS)
    _, secret = tokens.create_token(
        actor=arena.captain, name="proof", scopes=["read", "submit"], now=timezone.now()
    )
    return {"token": secret, "competition": arena.competition.slug}


def report() -> dict[str, object]:
    """Return what there is of uploads, in rows."""
    return {
        "sessions": list(UploadSession.objects.values_list("state", flat=True)),
        "parts": UploadPart.objects.count(),
        "parts_stored": UploadPart.objects.filter(stored_at__isnull=False).count(),
        "submissions": list(Submission.objects.values("code", "size", "content_id", "sha256")),
        "states": list(Submission.objects.values_list("state", "failure_code")),
        "slots": list(QuotaEntry.objects.values_list("state", flat=True)),
        "log_holds": audit.verify().ok,
    }


def validate() -> dict[str, object]:
    """Validate what was received, as a worker does; return the report."""
    for pk in Submission.objects.values_list("pk", flat=True):
        validation.validate(submission_id=pk, clock=timezone.now)
    return report()


def tidy() -> dict[str, object]:
    """Tidy up as the sweep does every hour."""
    return {"removed": sweep.tidy(now=timezone.now())}


COMMANDS = {"prepare": prepare, "report": report, "validate": validate, "tidy": tidy}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(COMMANDS[sys.argv[1]]()))
