"""An export verifies with nothing but its lines, names its first break, and is held to the chain here."""

from __future__ import annotations

import hashlib
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from accounts.chain import canonical_json, instant, link_hash
from accounts.models import AuditEvent
from accounts.services import audit, exported
from accounts.services.exported import NotAnExport, verify_lines
from tests.factories.competition import NOW

pytestmark = pytest.mark.django_db
SCOPE = "competition:abc"


def record(count: int) -> None:
    for number in range(count):
        audit.record(
            kind="thing.done",
            actor=None,
            target=f"thing:{number}",
            payload={"x": 1.5, "ü": "ü"},
            now=NOW,
            scope=SCOPE,
        )


def lines() -> list[bytes]:
    rows = AuditEvent.objects.filter(chain__scope=SCOPE).order_by("number")
    names = ("number", "kind", "actor", "target", "payload", "previous", "hash")
    return [
        json.dumps(
            {"scope": SCOPE, "at": instant(row.at), **{name: getattr(row, name) for name in names}}
        ).encode()
        + b"\n"
        for row in rows
    ]


def changed(line: bytes, **values: object) -> bytes:
    return canonical_json({**json.loads(line), **values}).encode() + b"\n"


@pytest.mark.parametrize("text", ["", '"\\\\', "ü\u2028\x00\x7f", "\ud800", "😀", "</script>"])
def test_a_links_hash_is_that_of_its_canonical_json(text):
    names = ("scope", "kind", "actor", "target", "payload", "previous")
    for at in (NOW, NOW.replace(microsecond=7)):
        link = {**dict.fromkeys(names, text), "number": 12, "at": instant(at)}
        assert link_hash(link) == hashlib.sha256(canonical_json(link).encode()).hexdigest()
        assert link["at"] == at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_whole_chain_holds_and_ends_at_the_head():
    record(4)
    found = verify_lines(lines())
    assert found.broken is None
    assert (found.count, found.head) == audit.head(SCOPE)
    assert verify_lines(lines(), audit.Pin(3, json.loads(lines()[2])["hash"])).broken is None


@pytest.mark.parametrize(
    ("spoil", "number", "reason"),
    [
        (lambda rows: [rows[0], changed(rows[1], target="x"), *rows[2:]], 2, "content"),
        (lambda rows: [rows[0], *rows[2:]], 2, "missing"),
        (lambda rows: rows[1:], 1, "missing"),
        (lambda rows: [*rows[:3], changed(rows[3], previous="0" * 64)], 4, "follow"),
        (lambda rows: [*rows[:3], changed(rows[3], scope="site")], 4, "another chain"),
        (lambda rows: [rows[0], rows[2], rows[1], rows[3]], 2, "missing"),
    ],
)
def test_the_first_break_is_named(spoil, number, reason):
    record(4)
    broken = verify_lines(spoil(lines())).broken
    assert broken is not None
    assert broken.number == number
    assert reason in broken.reason


def test_a_pin_finds_a_chain_that_was_cut_or_written_anew():
    record(4)
    whole = lines()
    count, head = audit.head(SCOPE)
    assert verify_lines(whole[:3], audit.Pin(count, head)).broken.number == 4
    assert verify_lines(whole, audit.Pin(2, "0" * 64)).broken.number == 2


@pytest.mark.parametrize("line", [b"x\n", b"[]\n", b"{}\n", b'{"scope": 1}\n', b"[" * 5000])
def test_what_is_no_export_is_said_to_be_none(line):
    with pytest.raises(NotAnExport, match="line 1"):
        verify_lines([line])


def run(file: Path, *more: str) -> str:
    out = StringIO()
    call_command("verify_audit", "--export", str(file), *more, stdout=out)
    return out.getvalue()


def test_the_command_holds_an_export_to_the_chain_of_this_server(tmp_path):
    record(3)
    file = tmp_path / "log.jsonl"
    whole = lines()
    file.write_bytes(b"".join(whole))
    record(2)
    assert "3 events hold" in run(file)
    assert "begins with it; 2 events are later" in run(file)
    with pytest.raises(CommandError, match="does not hold"):
        run(file, "--pin", "5:" + "0" * 64)
    file.write_bytes(b"".join(changed(line, scope="competition:xyz") for line in whole))
    with pytest.raises(CommandError, match="does not hold"):
        run(file)
    file.write_bytes(b"nothing")
    with pytest.raises(CommandError, match="no event"):
        run(file)


def test_without_a_database_the_chain_alone_decides(tmp_path, monkeypatch):
    def no_table(_found: object) -> None:
        raise OperationalError("no such table: accounts_auditevent")

    record(2)
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(lines()))
    monkeypatch.setattr(exported, "compared", no_table)
    said = run(file)
    assert "2 events hold" in said
    assert "no database of the server here" in said
    with pytest.raises(CommandError, match="does not hold"):
        run(file, "--pin", "5:" + "0" * 64)
