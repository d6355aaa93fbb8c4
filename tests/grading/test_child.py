"""The process that reads participants' files is bounded, watched and never believed blindly."""

from __future__ import annotations

import time

import psutil
import pytest

from grading.enums import FailureCode
from grading.services import child
from grading.services.child import Bounds, ChildFailed, ClaimLost

NAUGHTY = "tests.grading.naughty"


def run(what: str, *, watch=None, wall=20.0, cpu=20, memory=1 << 30):
    bounds = Bounds(wall_seconds=wall, cpu_seconds=cpu, memory_bytes=memory)
    return child.run({"do": what}, bounds=bounds, watch=watch, module=NAUGHTY)


def failure(what: str, **bounds) -> tuple[str, bool, str]:
    with pytest.raises(ChildFailed) as raised:
        run(what, **bounds)
    return raised.value.code, raised.value.may_retry, raised.value.kind


def test_a_scorer_that_hangs_is_stopped_after_its_wall_time():
    began = time.monotonic()
    assert failure("hang", wall=1.0) == (FailureCode.SCORER_TIMEOUT, False, "")
    assert time.monotonic() - began < 5


def test_a_scorer_that_spins_is_stopped_after_its_processor_time():
    assert failure("spin", cpu=1) == (FailureCode.SCORER_TIMEOUT, False, "")


def test_a_scorer_that_eats_memory_is_stopped():
    assert failure("eat", memory=300 << 20) == (FailureCode.SCORER_MEMORY, False, "")


def test_a_scorer_that_is_killed_from_outside_may_be_tried_again():
    assert failure("die") == (FailureCode.SCORER_CRASHED, True, "exit -9")


def test_a_scorer_that_leaves_without_an_answer_has_crashed():
    assert failure("leave") == (FailureCode.SCORER_CRASHED, False, "exit 3")


def test_an_exception_is_told_by_its_type_alone():
    assert failure("fail") == (FailureCode.SCORER_CRASHED, False, "ValueError")


def test_a_number_that_is_not_finite_never_leaves_the_child():
    assert failure("nan") == (FailureCode.SCORER_CRASHED, False, "ValueError")


def test_a_large_result_comes_whole_and_stray_prints_do_not_disturb_it():
    assert len(run("talk")["big"]) == 300_000


def test_progress_is_passed_on_and_a_lost_claim_ends_the_child():
    told = []

    def watch(done: int, total: int) -> None:
        told.append((done, total))
        if done:
            raise ClaimLost

    with pytest.raises(ClaimLost):
        run("tell_pid", watch=watch)
    pid = told[-1][0]
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_child_gets_none_of_the_servers_secrets(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "s3cret")
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    environment = child._environment()
    assert "SECRET_KEY" not in environment
    assert "DATABASE_URL" not in environment
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
