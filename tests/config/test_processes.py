"""A web server of two processes: kills, its end, and measures that are those of the whole."""

from __future__ import annotations

import re
import signal
import socket
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from config.buckets import CELLS
from config.latency import Latencies
from grading.services.measures import rendered
from tests.config.test_supervisor import is_alive, wait_until
from tests.security.served import WEB, Installation, installation

COUNT = re.compile(r'plaudit_request_seconds_count\{area="page",status="2xx"\} ([0-9]+)')


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    made = installation(tmp_path, WEB_PROCESSES="2")
    made.world = made.ask("prepare")
    yield made
    made.close()


@pytest.fixture
def web(site: Installation) -> Iterator[psutil.Process]:
    with site.process("web", WEB) as started:
        site.wait_until_up()
        process = psutil.Process(started.pid)
        wait_until(lambda: len(serving(process, site.port)) == 2)
        yield process


def serving(web: psutil.Process, port: int) -> list[psutil.Process]:
    """Return the processes that accept connections."""
    found = []
    for child in web.children():
        with suppress(psutil.NoSuchProcess, OSError):
            addresses = [one.laddr.port for one in child.net_connections("tcp")]
            has_loop = "anon_inode:[eventpoll]" in handles(child)
            found += [child] if port in addresses and has_loop else []
    return found


def handles(process: psutil.Process) -> set[str]:
    """Return what a process' open handles are of."""
    return {str(one.readlink()) for one in Path(f"/proc/{process.pid}/fd").iterdir()}


def read(site: Installation, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{site.port}{path}", timeout=30) as answer:
        return answer.read().decode()


def counted(site: Installation) -> int:
    found = COUNT.search(read(site, "/metrics"))
    return int(found[1]) if found else 0


@pytest.mark.slow
def test_one_that_is_killed_is_started_again_while_the_other_answers(site, web):
    first, second = serving(web, site.port)
    first.send_signal(signal.SIGKILL)
    wait_until(lambda: not is_alive(first.pid))
    for _ in range(20):
        read(site, "/accounts/login/")
    wait_until(lambda: len(serving(web, site.port)) == 2)
    assert second.pid in {one.pid for one in serving(web, site.port)}
    assert "ended (signal SIGKILL)" in site.log("web")


@pytest.mark.slow
def test_each_process_tells_the_measures_of_all(site, web):
    before = counted(site)
    for _ in range(60):
        read(site, "/healthz")
    told = [counted(site) for _ in range(20)]
    # Every answer counts the requests for measures before it as well, whoever gave them.
    assert told == list(range(before + 61, before + 81))


@pytest.mark.slow
def test_its_end_is_the_end_of_all_and_frees_the_address(site, web):
    children = web.children()
    web.send_signal(signal.SIGTERM)
    wait_until(lambda: not is_alive(web.pid))
    assert [one for one in children if is_alive(one.pid)] == []
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", site.port))


@pytest.mark.slow
def test_killed_it_leaves_nobody_behind_and_starts_again(site, web):
    children = web.children()
    web.send_signal(signal.SIGKILL)
    wait_until(lambda: not any(is_alive(one.pid) for one in children))
    with site.process("web", WEB):
        site.wait_until_up()
        assert "form" in read(site, "/accounts/login/")


def test_places_in_one_table_are_added_up() -> None:
    table = memoryview(bytearray(8 * CELLS * 2)).cast("d")
    one, other = Latencies(table), Latencies(table, 1)
    one.note("/api/v1/", 200, 0.25)
    other.note("/api/v1/", 204, 0.5)
    other.note("/", 500, 0.01)
    assert rendered([one.measure()]) == rendered([other.measure()])
    text = rendered([one.measure()])
    assert 'request_seconds_count{area="api",status="2xx"} 2' in text
    assert 'request_seconds_sum{area="api",status="2xx"} 0.75' in text
    assert 'request_seconds_count{area="page",status="5xx"} 1' in text
