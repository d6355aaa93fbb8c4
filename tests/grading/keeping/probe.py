"""An installation in a process of its own: `python -m tests.grading.keeping.probe fill|tell RECEIPTS`."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import django

django.setup()

from django.utils import timezone  # noqa: E402

from accounts import triggers  # noqa: E402
from accounts.services import audit  # noqa: E402
from competition.models import Competition  # noqa: E402
from tests.grading.keeping import stage  # noqa: E402


def fill(receipts: Path) -> dict[str, object]:
    """Make a graded competition and save its receipts."""
    stage.fill()
    receipts.write_text(json.dumps(stage.saved_receipts(timezone.now())))
    return tell(receipts)


def tell(receipts: Path) -> dict[str, object]:
    """Say what must be the same in another place."""
    slug = Competition.objects.get().slug
    told = json.dumps(stage.told(slug), default=str, sort_keys=True)
    return {
        "slug": slug,
        "tables": stage.tables(),
        "files": stage.stored_files(),
        "told": hashlib.sha256(told.encode()).hexdigest(),
        "outcomes": sorted(stage.outcomes(json.loads(receipts.read_text()))),
        "log": audit.verify().ok,
        "triggers": triggers.triggers_missing(),
    }


if __name__ == "__main__":
    json.dump({"fill": fill, "tell": tell}[sys.argv[1]](Path(sys.argv[2])), sys.stdout)
