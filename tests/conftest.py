"""How the suite runs: tiers, skips, hypothesis' patience."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.utils import translation
from hypothesis import HealthCheck, settings

from scripts import compile_messages

pytest_plugins = ["tests.fixtures.audit", "tests.fixtures.bucket", "tests.fixtures.updates"]

NO_SKIPS = os.environ.get("PLAUDIT_NO_SKIPS") == "1"
NEEDS = {
    "slow": "takes more than a few seconds",
    "postgres": "needs PostgreSQL (DATABASE_URL)",
    "redis": "needs Redis (REDIS_URL)",
    "browser": "needs Chromium",
    "sqlite": "is about SQLite, which another run is on",
}
ON_POSTGRES = os.environ.get("DATABASE_URL", "").startswith("postgres")
PRESENT = {
    "slow": True,
    "postgres": ON_POSTGRES,
    "redis": bool(os.environ.get("REDIS_URL")),
    "browser": any(
        shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")
    ),
    "sqlite": not ON_POSTGRES,
}
QUICK = {"sqlite"}
PURE = {"scoring", "architecture"}
SAME_THERE = "asks no server, which the quick run has shown"
LEFT_OUT: dict[str, list[str]] = defaultdict(list)
SKIPPED: list[str] = []

settings.register_profile(
    "plaudit",
    deadline=None,  # the machine's load is no property of the code
    max_examples=100 if NO_SKIPS else 50 if os.environ.get("CI") else 25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("plaudit")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """On PostgreSQL, end connections that threads of tests left: the database could not be dropped."""
    yield
    if ON_POSTGRES:
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True)
def _own_language() -> Iterator[None]:
    """A request leaves its language behind in its thread; no test hands it on."""
    yield
    translation.deactivate()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=["quick", "whole", "servers"], default="whole")


def pytest_configure(config: pytest.Config) -> None:
    """Bring the compiled translations up to date, once and before a worker reads them."""
    if not hasattr(config, "workerinput"):
        compile_messages.main()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, by name, what the tier does not run or what its server is missing for."""
    tier = config.getoption("--tier")
    kept, left = [], []
    for item in items:
        reasons = [
            NEEDS[mark]
            for mark in NEEDS
            if item.get_closest_marker(mark) and _absent(mark, tier == "quick")
        ]
        if tier == "servers" and _asks_no_server(item):
            reasons.append(SAME_THERE)
        (left if reasons else kept).append(item)
        if reasons:
            LEFT_OUT[", ".join(reasons)].append(item.nodeid)
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = _slow_files_first(kept) if tier == "servers" else kept
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = dict(LEFT_OUT)


def _slow_files_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the items, files with slow tests first: workers that take files end together."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    return sorted(items, key=lambda item: item.path not in slow)


def _asks_no_server(item: pytest.Item) -> bool:
    """Return whether a quick test is of code that knows neither database nor broker."""
    is_pure = bool(PURE & set(item.path.relative_to(item.config.rootpath).parts))
    used = {"db", "transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    marked = any(item.get_closest_marker(mark) for mark in ["django_db", *NEEDS])
    return is_pure and not used and not marked


def _absent(mark: str, quick: bool) -> bool:
    return (quick and mark not in QUICK) or not PRESENT[mark]


def _missed() -> list[str]:
    """Return what a run without skips had to run and did not."""
    elsewhere = {NEEDS["sqlite"], SAME_THERE}
    left = [n for reason, names in LEFT_OUT.items() if reason not in elsewhere for n in names]
    return SKIPPED + left


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a parallel worker left out; each collects the same."""
    LEFT_OUT.update(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        SKIPPED.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail when a skip is not allowed and something was skipped or left out."""
    if NO_SKIPS and _missed() and not hasattr(session.config, "workeroutput"):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reason, names in sorted(LEFT_OUT.items()):
        terminalreporter.section(f"left out: {reason} ({len(names)})")
        for name in sorted(names) if reason != SAME_THERE else ():
            terminalreporter.line(name)
    if NO_SKIPS and _missed():
        terminalreporter.section("not run, and that fails this run", red=True)
        for name in _missed():
            terminalreporter.line(name)
