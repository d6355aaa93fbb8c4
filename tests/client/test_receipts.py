"""`plaudit receipt`: saved from the real application, verified with nothing but files."""

from __future__ import annotations

import json
from datetime import timedelta

import httpx
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from accounts.services import tokens
from grading import receipts
from grading.services import receipt_keys
from tests.client.program import load
from tests.factories.grading import NOW, jsonl, make_arena, submit
from tests.wsgi import Site

pytestmark = pytest.mark.django_db
client = load()
SERVER = "http://127.0.0.1:8000"


@pytest.fixture
def folder(settings, tmp_path, monkeypatch):
    """A folder to work in, a key of its own, and requests that go to the application."""
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    settings.RECEIPT_KEY_FILE = tmp_path / "receipt-key"
    transport = Site()
    http = httpx.Client

    def of(**options):
        return http(**options, transport=transport)

    monkeypatch.setattr(client.httpx, "Client", of)
    monkeypatch.setattr(client.httpx, "get", lambda url, timeout: of(timeout=timeout).get(url))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with time_machine.travel(NOW, tick=False):
        yield work


@pytest.fixture
def submission(folder, monkeypatch):
    arena = make_arena()
    _, secret = tokens.create_token(
        actor=arena.captain, name="laptop", scopes=["read"], now=NOW - timedelta(days=1)
    )
    monkeypatch.setenv("PLAUDIT_SERVER", SERVER)
    monkeypatch.setenv("PLAUDIT_TOKEN", secret)
    (folder / "run.jsonl").write_bytes(jsonl(arena.perfect()))
    return submit(arena, arena.perfect())


@pytest.fixture
def saved(submission, folder):
    """A receipt that was saved, with its keys, and no way to the server any more."""
    assert client.main(["receipt", "get", submission.code]) == 0
    return folder / f"receipt-{submission.code}.json"


def cut_off(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a request was sent")

    monkeypatch.setattr(client.httpx, "Client", refuse)
    monkeypatch.setattr(client.httpx, "get", refuse)


def keys_file(folder):
    path = folder / "keys.json"
    path.write_text(json.dumps(receipts.keys_document(SERVER, receipt_keys.known())))
    return path


def test_a_saved_receipt_verifies_offline_with_the_kept_keys(saved, monkeypatch, capsys):
    cut_off(monkeypatch)
    assert client.main(["receipt", "verify", str(saved)]) == 0
    out = capsys.readouterr().out
    assert "Every signature holds." in out
    assert '"submission.received"' in out


def test_the_keys_may_come_from_a_file_or_the_server(saved, folder, monkeypatch):
    assert client.main(["receipt", "verify", str(saved), "--server", SERVER + "/"]) == 0
    cut_off(monkeypatch)
    keys = str(keys_file(folder))
    assert client.main(["receipt", "verify", str(saved), "--keys", keys]) == 0


def test_the_file_that_was_sent_is_recognized(saved, folder, capsys):
    assert client.main(["receipt", "verify", str(saved), "--of", "run.jsonl"]) == 0
    (folder / "other.jsonl").write_bytes(b"{}\n")
    assert client.main(["receipt", "verify", str(saved), "--of", "other.jsonl"]) == 1
    assert "is not the one that was sent" in capsys.readouterr().out


def test_a_large_file_has_the_identity_that_the_server_gives_it(folder, monkeypatch):
    from grading import identity

    content = bytes(range(256)) * 40
    for module in (client, identity):
        monkeypatch.setattr(module, "PART_BYTES", 4096)
        monkeypatch.setattr(module, "SINGLE_BYTES", 8192)
    digests = identity.Digests()
    digests.update(content)
    (folder / "big").write_bytes(content)
    assert client.content_id_of(folder / "big") == digests.content_id


def test_a_receipt_is_never_overwritten(saved, submission, capsys):
    assert client.main(["receipt", "get", submission.code]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["size", "created_at", "kind", "submission", "on_time"])
def test_a_changed_statement_does_not_hold(saved, capsys, name):
    found = json.loads(saved.read_text())
    found["statements"][0]["statement"][name] = "1"
    saved.write_text(json.dumps(found))
    assert client.main(["receipt", "verify", str(saved)]) == 1
    out = capsys.readouterr().out
    assert "changed after signing" in out
    assert "DO NOT RELY" in out


def test_a_forger_with_a_key_of_their_own_is_not_believed(saved, capsys):
    found = json.loads(saved.read_text())
    forger = Ed25519PrivateKey.generate()
    found["statements"] = [receipts.sign(forger, found["statements"][0]["statement"])]
    saved.write_text(json.dumps(found))
    assert client.main(["receipt", "verify", str(saved), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "holds": False,
        "reasons": ["it is signed with a key that is not among the public keys"],
        "statements": [None],
    }


def test_keys_count_only_while_they_are_valid(saved, folder, capsys):
    document = receipts.keys_document(SERVER, receipt_keys.known())
    for name, value in [("valid_until", "2026-12-01T15:00:00.000000Z"), ("server", "https://a")]:
        changed = {**document, "keys": [{**document["keys"][0], name: value}]}
        (folder / "keys.json").write_text(json.dumps(changed))
        assert client.main(["receipt", "verify", str(saved), "--keys", "keys.json"]) == 1
        assert "was not valid at the moment" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"format": "plaudit-keys/1"}', '{"format": "plaudit-keys/1", "keys": [1]}', "x"],
)
def test_what_are_no_keys_is_refused(saved, folder, content, capsys):
    (folder / "keys.json").write_text(content)
    assert client.main(["receipt", "verify", str(saved), "--keys", "keys.json"]) == 2
    assert "not a server's public keys" in capsys.readouterr().err


def test_a_key_under_a_foreign_name_is_refused(saved, folder, capsys):
    document = receipts.keys_document(SERVER, receipt_keys.known())
    document["keys"][0]["public_key"] = "00" * 32
    (folder / "keys.json").write_text(json.dumps(document))
    assert client.main(["receipt", "verify", str(saved), "--keys", "keys.json"]) == 2


@pytest.mark.parametrize(
    "content",
    [
        "x",
        "[]",
        "{}",
        "[" * 5000,
        '{"format": "plaudit-receipt/1", "statements": []}',
        '{"format": "plaudit-receipt/1", "statements": [{"statement": 1}]}',
        '{"a": 1.5}',
        '{"a": 1, "a": 2}',
        " " * 70_000,
    ],
)
def test_what_is_no_receipt_is_told_in_words(saved, content, capsys):
    saved.write_text(content)
    assert client.main(["receipt", "verify", str(saved)]) == 1
    assert "receipt" in capsys.readouterr().err


def test_without_kept_keys_it_says_where_to_get_them(saved, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert client.main(["receipt", "verify", str(saved)]) == 2
    assert "--keys FILE or --server URL" in capsys.readouterr().err
