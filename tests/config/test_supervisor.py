from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config import supervisor as supervising
from config.supervisor import Child, Program, Supervisor, free_port, only_one

SLEEP = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    " print('up', flush=True); time.sleep(60)"
)
WITH_GRANDCHILD = (
    "import subprocess, sys, time;"
    " print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid, flush=True);"
    " time.sleep(60)"
)


def python(code: str, name: str = "thing", *, once: bool = False) -> Program:
    return Program(name, [sys.executable, "-c", code], once=once)


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, said: list[str]) -> Iterator[Supervisor]:
    made = Supervisor(tmp_path, dict(os.environ), said.append)
    yield made
    made.end()


def output(supervisor: Supervisor, name: str = "thing") -> str:
    return (supervisor.log_dir / f"{name}.log").read_text()


def test_a_killed_child_is_started_again_and_its_end_is_told(
    supervisor: Supervisor, said: list[str]
) -> None:
    supervisor.add(python(SLEEP))
    wait_until(lambda: output(supervisor))
    first = supervisor.children[0].process
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)

    def is_up_again() -> bool:
        supervisor.look_after()
        return output(supervisor).count("up") == 2

    wait_until(is_up_again)
    second = supervisor.children[0].process
    assert second is not None
    assert second.pid != first.pid
    assert len(said) == 1
    assert "SIGKILL" in said[0]


def test_what_a_dead_child_had_started_ends_with_it(supervisor: Supervisor) -> None:
    supervisor.add(python(WITH_GRANDCHILD))
    wait_until(lambda: output(supervisor))
    grandchild = int(output(supervisor))
    process = supervisor.children[0].process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: process.poll() is not None)
    supervisor.look_after()
    wait_until(lambda: not is_alive(grandchild))


def test_the_end_asks_children_to_end(supervisor: Supervisor) -> None:
    supervisor.add(python(SLEEP))
    wait_until(lambda: output(supervisor))
    supervisor.end()
    process = supervisor.children[0].process
    assert process is not None
    assert process.returncode == -signal.SIGTERM


def test_a_child_that_does_not_end_is_killed_after_the_grace(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "GRACE_SECONDS", 0.3)
    supervisor.add(python(STUBBORN))
    wait_until(lambda: output(supervisor))
    supervisor.end()
    process = supervisor.children[0].process
    assert process is not None
    assert process.returncode == -signal.SIGKILL


def test_a_program_that_runs_once_is_not_started_again(supervisor: Supervisor) -> None:
    supervisor.add(python("raise SystemExit(3)", once=True))
    child = supervisor.children[0]

    def is_done() -> bool:
        supervisor.look_after()
        return child.is_done

    wait_until(is_done)
    supervisor.look_after()
    assert (child.process, child.exit_code) == (None, 3)


def test_a_child_that_ends_at_once_rests_longer_each_time() -> None:
    child = Child(python(SLEEP), started_at=0.0)
    assert [child.pause(1.0) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_a_child_that_ran_for_long_starts_again_soon() -> None:
    child = Child(python(SLEEP), started_at=0.0, failures=7)
    assert child.pause(3600.0) <= 0.5


def test_a_large_log_is_put_aside_at_the_next_start(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "LARGEST_LOG_BYTES", 3)
    (supervisor.log_dir / "thing.log").write_text("much")
    supervisor.add(python(SLEEP))
    wait_until(lambda: output(supervisor))
    assert (supervisor.log_dir / "thing.log.1").read_text() == "much"


def test_the_next_port_is_taken_when_the_wanted_one_is_not_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wanted = taken.getsockname()[1]
        assert free_port("127.0.0.1", wanted) != wanted
    assert free_port("127.0.0.1", wanted) == wanted


def test_a_second_supervisor_of_the_same_folder_is_refused(tmp_path: Path) -> None:
    with (
        only_one(tmp_path / "lock"),
        pytest.raises(SystemExit, match="runs already"),
        only_one(tmp_path / "lock"),
    ):
        pass
    with only_one(tmp_path / "lock"):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_a_child_ends_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    program = f"""
import os, sys, time
from pathlib import Path
from config.supervisor import Program, Supervisor
supervisor = Supervisor(Path({str(tmp_path)!r}), dict(os.environ), print)
supervisor.add(Program("thing", [sys.executable, "-c", {SLEEP!r}]))
print(supervisor.children[0].process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        wait_until((tmp_path / "thing.log").read_text)
        parent.kill()
        wait_until(lambda: not is_alive(child))


def test_the_demo_s_judge_is_a_program_that_the_site_knows_the_address_of() -> None:
    known, (program,) = supervising.judge_of_demo("127.0.0.1", {})
    port = program.command[-1]
    assert known["JUDGE_BASE_URL"] == f"http://127.0.0.1:{port}/v1"
    assert known["JUDGE_API_KEY"]


def test_where_a_judge_is_named_the_demo_starts_none() -> None:
    given = {"JUDGE_BASE_URL": "https://judge.example.org/v1"}
    assert supervising.judge_of_demo("127.0.0.1", given) == ({}, [])


def test_the_stand_in_answers_at_that_address(supervisor: Supervisor) -> None:
    known, programs = supervising.judge_of_demo("127.0.0.1", {})
    for program in programs:
        supervisor.add(program)
    port = int(known["JUDGE_BASE_URL"].split(":")[2].split("/")[0])

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_until(answers)
