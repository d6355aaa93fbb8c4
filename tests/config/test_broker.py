from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celery import Celery
from kombu import Connection, Exchange, Queue

from config import broker

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90
WHOLE_BUT_NO_TASK = (
    '{"body": "%%%", "properties": {"body_encoding": "base64", "delivery_tag": "1"}}'
)


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.05)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    broker.register()
    with Connection("plaudit-files://", transport_options={"folder": str(tmp_path)}) as opened:
        yield opened


def queue(name: str) -> Queue:
    return Queue(name, Exchange("plaudit"), routing_key=name)


def test_a_message_comes_out_as_it_went_in_and_only_from_its_own_queue(
    connection: Connection,
) -> None:
    with (
        connection.SimpleQueue(queue("other")) as other,
        connection.SimpleQueue(queue("score")) as score,
    ):
        score.put({"id": 7})
        assert other.qsize() == 0
        message = score.get(timeout=2)
        message.ack()
    assert message.payload == {"id": 7}


def test_messages_come_in_the_order_they_were_sent(connection: Connection) -> None:
    with connection.SimpleQueue(queue("score")) as score:
        for number in range(20):
            score.put(number)
        received = [score.get(timeout=2) for _ in range(20)]
        for message in received:
            message.ack()
    assert [message.payload for message in received] == list(range(20))


def test_a_file_still_being_written_is_no_message(connection: Connection, tmp_path: Path) -> None:
    with connection.SimpleQueue(queue("score")) as score:
        (tmp_path / "messages" / ".abc.draft").write_text('{"half": ')
        assert score.qsize() == 0
        with pytest.raises(score.Empty):
            score.get(timeout=0.1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b'{"properties": {}}',
        b'{"body": "A", "properties": {"body_encoding": "base64", "delivery_tag": "1"}}',
        b'{"body": "e30=", "properties": {"body_encoding": "rot13", "delivery_tag": "1"}}',
    ],
)
def test_a_damaged_message_is_set_aside_and_the_next_one_arrives(
    connection: Connection, tmp_path: Path, content: bytes
) -> None:
    with connection.SimpleQueue(queue("score")) as score:
        (tmp_path / "messages" / f"{0:020d}_bad.score.msg").write_bytes(content)
        score.put("good")
        message = score.get(timeout=2)
        message.ack()
    assert message.payload == "good"
    damaged = list((tmp_path / "claimed").iterdir())
    assert [path.read_bytes() for path in damaged] == [content]
    assert list((tmp_path / "messages").iterdir()) == []


def test_a_damaged_table_of_queues_is_written_anew(connection: Connection, tmp_path: Path) -> None:
    table = tmp_path / "tables" / "plaudit.exchange"
    table.parent.mkdir()
    table.write_text("")
    with connection.SimpleQueue(queue("score")) as score:
        score.put("good")
        assert score.qsize() == 1
    assert json.loads(table.read_text()) == [["score", "", "score"]]


def test_a_message_claimed_by_another_consumer_is_passed_over(
    connection: Connection, tmp_path: Path
) -> None:
    with connection.SimpleQueue(queue("score")) as score:
        for number in range(3):
            score.put(number)
        first = score.get(timeout=2)
        first.ack()
        min((tmp_path / "messages").iterdir()).unlink()
        second = score.get(timeout=2)
        second.ack()
    assert [first.payload, second.payload] == [0, 2]


def test_a_message_not_yet_settled_at_a_clean_end_goes_back(tmp_path: Path) -> None:
    broker.register()
    app = Celery(broker="plaudit-files://", set_as_current=False)
    app.conf.broker_transport_options = {"folder": str(tmp_path)}
    with app.connection() as first, first.SimpleQueue(queue("score")) as score:
        score.put("kept")
        score.get(timeout=2)
    assert len(list((tmp_path / "messages").iterdir())) == 1


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {
        "PROBE_FOLDER": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    log = (folder / f"{len(list(folder.iterdir()))}.log").open("wb")
    with log:
        return subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=environment, stdout=log, stderr=log
        )


def start_worker(folder: Path, name: str) -> subprocess.Popen[bytes]:
    return start(
        folder, "-m", "celery", "-A", "tests.config.probe", "worker", "-n", f"{name}@here",
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING",
    )  # fmt: skip


def handled(folder: Path) -> list[int]:
    return [int(line) for path in folder.glob("handled-*") for line in path.read_text().split()]


def run_producers_and_workers(folder: Path, each: int) -> None:
    workers = [start_worker(folder, "one"), start_worker(folder, "two")]
    producers = [
        start(folder, "-m", "tests.config.probe", str(first), str(each)) for first in (0, each)
    ]
    try:
        messages = folder / "broker" / "messages"
        wait_until(messages.exists)
        (messages / f"{0:020d}_empty.score.msg").touch()
        (messages / f"{1:020d}_odd.score.msg").write_text(WHOLE_BUT_NO_TASK)
        wait_until(lambda: len(handled(folder)) >= 2 * each, seconds=PATIENCE + each / 5)
        assert [producer.wait(timeout=PATIENCE) for producer in producers] == [0, 0]
        assert [worker.poll() for worker in workers] == [None, None], "a worker was lost"
    finally:
        for process in workers + producers:
            process.terminate()
            process.wait(timeout=PATIENCE)
    assert sorted(handled(folder)) == list(range(2 * each))
    assert list(messages.iterdir()) == []
    assert [path.name for path in (folder / "broker" / "claimed").iterdir()] == [
        f"{0:020d}_empty.score.damaged"
    ]
    assert len(list(folder.glob("handled-*"))) == 2, "one worker did nothing"


@pytest.mark.slow
def test_two_producers_and_two_workers_lose_no_message(tmp_path: Path) -> None:
    run_producers_and_workers(tmp_path, each=150)


@pytest.mark.slow
def test_two_producers_and_two_workers_lose_none_of_3000_messages(tmp_path: Path) -> None:
    run_producers_and_workers(tmp_path, each=1500)
