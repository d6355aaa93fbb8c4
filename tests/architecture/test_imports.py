from __future__ import annotations

import subprocess
import sys

from celery import current_app
from django.conf import settings

from grading.services import doorbell
from tests.architecture.sources import ROOT, modules, name

PURE_PROGRAM = """
import importlib, pkgutil, sys

ALLOWED = set(sys.stdlib_module_names) | {"numpy", "rapidfuzz", "grading"}

class Gate:
    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] not in ALLOWED:
            raise ModuleNotFoundError(f"{fullname} is not for scoring")

sys.meta_path.insert(0, Gate())
import grading.scoring
for module in pkgutil.walk_packages(grading.scoring.__path__, "grading.scoring."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        print(module.name)
"""


def test_scoring_imports_with_numpy_and_rapidfuzz_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PURE_PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    written = [name(path) for path in modules() if name(path).startswith("grading/scoring/")]
    hidden = {"grading/scoring/__init__.py", "grading/scoring/__main__.py"}
    assert len(done.stdout.split()) >= len(set(written) - hidden) - 1


def test_the_package_that_participants_get_runs_no_code_of_the_server() -> None:
    assert (ROOT / "grading" / "__init__.py").read_text(encoding="utf-8").strip() == ""


def test_every_name_that_is_rung_is_a_registered_task() -> None:
    current_app.loader.import_default_modules()
    assert doorbell.QUEUES.keys() - current_app.tasks.keys() == set()


def test_every_rung_queue_is_consumed() -> None:
    consumed = {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert set(doorbell.QUEUES.values()) - consumed == set()


def test_every_scheduled_task_is_registered() -> None:
    current_app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled - current_app.tasks.keys() == set()
