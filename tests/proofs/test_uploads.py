"""Uploads against the real server, over lines that break and servers that are killed."""

from __future__ import annotations

import socket
import sqlite3
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from grading.identity import Digests
from tests.proofs import uploads
from tests.proofs.installation import Installation
from tests.proofs.uploads import MIB

pytestmark = pytest.mark.slow
FORTY = 40 * MIB


@pytest.mark.parametrize("place", ["disk", "bucket"])
def test_an_upload_over_a_line_that_keeps_breaking_arrives_whole(tmp_path: Path, place: str):
    outcome = uploads.prove(place, FORTY, tmp_path)
    assert outcome.held, outcome.row()


STORED = "SELECT count(*) FROM grading_uploadpart WHERE stored_at IS NOT NULL"


def wait_for_a_part(installation: Installation) -> None:
    """Return as soon as a part is stored: read from the file, a process would come too late."""
    deadline = time.monotonic() + 60
    file = installation.folder / "var" / "plaudit.sqlite3"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=20)) as opened:
        while not opened.execute(STORED).fetchone()[0]:
            assert time.monotonic() < deadline, "the parts did not arrive"
            time.sleep(0.01)


def test_a_web_server_killed_in_an_upload_leaves_nothing_half_made_and_the_client_goes_on(
    tmp_path: Path,
):
    digests = uploads.write_file(tmp_path / "run.jsonl", FORTY)
    with ExitStack() as stack:
        installation, proxies = uploads.installed(stack, tmp_path, "disk")
        installation.prepare()
        with installation.web() as web:
            client = stack.enter_context(
                installation.client(tmp_path / "run.jsonl", proxies[-1].port)
            )
            wait_for_a_part(installation)
            installation.kill(web)
        found = installation.ask("report")
        assert (found["submissions"], found["slots"]) == ([], [])
        with installation.web():
            out, err = client.communicate(timeout=200)
        assert client.returncode == 0, (out, err)
        found = installation.ask("validate")
    (submission,) = found["submissions"]
    assert (submission["content_id"], submission["sha256"]) == (digests.content_id, digests.sha256)
    assert (len(found["sessions"]), len(found["slots"])) == (1, 1)
    assert found["log_holds"]


def test_a_web_server_killed_in_a_single_upload_leaves_no_row_and_no_stored_file(tmp_path: Path):
    installation = Installation(tmp_path, {})
    installation.prepare()
    slug = installation.prepared["competition"]
    path = f"/api/v1/competitions/{slug}/tracks/understanding/phases/final/submissions/"
    head = [
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {installation.prepared['token']}",
        "Content-Type: application/octet-stream",
        f"Content-Length: {2 * MIB}",
    ]
    with (
        installation.web() as web,
        socket.create_connection(("127.0.0.1", installation.port)) as opened,
    ):
        opened.sendall("\r\n".join([*head, "", ""]).encode() + b"\n" * MIB)
        time.sleep(0.5)  # not a wait for anything: the kill may come at any moment
        installation.kill(web)
    found = installation.ask("report")
    assert (found["submissions"], found["slots"]) == ([], [])
    files = tmp_path / "var" / "files"
    assert not [item for item in files.rglob("*") if item.is_file() and "uploads" in item.parts]


def test_the_content_of_a_file_is_known_from_its_parts(tmp_path: Path):
    digests = uploads.write_file(tmp_path / "x", 17 * MIB)
    again = Digests()
    again.update((tmp_path / "x").read_bytes())
    assert again.content_id == digests.content_id != digests.sha256
