"""A worker whose scorer misbehaves on some files: `python -m tests.proofs.naughty_worker`.

Everything else is what `celery -A config.celery worker` runs, the limits above all.
"""

from __future__ import annotations

from functools import partial

from config.celery import app
from grading.services import child

if __name__ == "__main__":
    child.run = partial(child.run, module="tests.proofs.naughty_scorer")
    app.worker_main(["worker"])
