"""The client against the API's document: each path, method, parameter, header and field it uses."""

from __future__ import annotations

from functools import partial

import httpx
import pytest
from django.utils import timezone

from accounts.enums import TokenScope
from accounts.services import tokens
from grading.models import Submission
from grading.services import evaluations, validation
from scripts import export_schema
from tests.client import document
from tests.client.document import DOCUMENT, DocumentedSite, Watched, faults_of_answer, watched
from tests.client.program import load
from tests.factories.grading import jsonl, make_arena

client = load()
SITE = "http://testserver"
PHASE = "/api/v1/competitions/{slug}/tracks/{track}/phases/{phase}/"


@pytest.fixture
def arena(db, settings, tmp_path):
    settings.PUBLIC_FILES = tmp_path / "files"
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return make_arena(now=timezone.now())


@pytest.fixture
def site(arena, monkeypatch, tmp_path):
    """The client's way to the site, watched; it is logged in as the team's captain."""
    found = DocumentedSite()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    scopes = [TokenScope.READ, TokenScope.SUBMIT]
    _, secret = tokens.create_token(
        actor=arena.captain, name="client", scopes=scopes, now=timezone.now()
    )
    monkeypatch.setenv("PLAUDIT_TOKEN", secret)
    monkeypatch.setenv("PLAUDIT_SERVER", SITE)
    opened = partial(httpx.Client, transport=found)
    monkeypatch.setattr(client.httpx, "Client", opened)
    monkeypatch.setattr(client.httpx, "get", lambda url, **more: opened().get(url))
    answered = client.read_answer

    def minded(response):
        return Watched(answered(response), found.schema, found.read)

    monkeypatch.setattr(client, "read_answer", minded)
    monkeypatch.setattr(client, "pause", lambda *args: pytest.fail("the client had to wait"))
    return found


@pytest.fixture
def run(arena):
    """Run a command of the client for the arena's phase."""
    slugs = ["--competition", arena.competition.slug, "--track", arena.track.slug]

    def ran(*words: str, phase: bool = False) -> int:
        return client.main([*words, *([*slugs, "--phase", arena.phase.slug] if phase else [])])

    return ran


def score(submission: Submission) -> None:
    checked = validation.validate(submission_id=submission.pk, clock=timezone.now)
    evaluation = evaluations.live_of(checked)
    if evaluation is not None:
        evaluations.run(evaluation_id=evaluation.pk, worker="w", clock=timezone.now)


@pytest.mark.slow
def test_every_call_of_the_client_and_every_field_it_reads_is_in_the_document(
    arena, site, run, tmp_path, capsys
):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(jsonl(arena.flawed(3)))
    bad.write_bytes(jsonl(dict.fromkeys(arena.rows, "[nothing]")))
    assert run("login", SITE) == 0
    assert run("check", str(good), phase=True) == 0
    assert run("check", str(bad), phase=True) == 1
    assert run("submit", str(good), "--system", "S", "--no-wait", phase=True) == 0
    assert run("submit", str(good), "--system", "S", "--no-wait", phase=True) == 0
    assert run("submit", str(bad), "--system", "S", "--no-wait", phase=True) == 0
    scored, rejected = Submission.objects.order_by("pk")
    score(scored)
    score(rejected)
    assert run("status") == 0
    assert run("status", scored.code) == 0
    assert run("status", rejected.code) == 1
    assert run("status", "NOSUCHCODE") == 1
    assert run("receipt", "get", scored.code, "--out", str(tmp_path / "receipt.json")) == 0
    assert run("receipt", "verify", str(tmp_path / "receipt.json"), "--of", str(good)) == 0
    assert site.faults == []
    assert site.used == {
        "GET /api/v1/me/",
        f"POST {PHASE}check/",
        f"POST {PHASE}submissions/",
        "GET /api/v1/submissions/",
        "GET /api/v1/submissions/{code}/",
        "GET /api/v1/submissions/{code}/report/",
        "GET /api/v1/submissions/{code}/receipt/",
    }
    assert {"stage", "result", "score", "interval", "problems", "message"} <= site.read
    assert "[nothing]" in capsys.readouterr().out


def test_the_committed_document_is_what_the_api_says():
    assert (export_schema.ROOT / "docs" / "openapi.json").read_text("utf-8") == (
        export_schema.rendered()
    ), "Run scripts/export_schema.py."


@pytest.mark.django_db
def test_the_served_document_is_the_committed_one(client):
    for language in ("en", "zh-CN"):
        served = client.get("/api/v1/schema/", headers={"accept-language": language}).json()
        assert served == DOCUMENT


def test_every_operation_says_how_it_may_refuse():
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            assert "default" in operation["responses"], (path, method)


def test_a_field_that_the_document_does_not_name_is_told():
    schema = {"$ref": "#/components/schemas/Submission"}
    answer = watched({"code": "a", "result": {"score": 1.0}}, schema, set())
    assert answer["result"]["score"] == 1.0
    for wrong in (lambda: answer.get("problems"), lambda: answer["result"].get("points")):
        with pytest.raises(AssertionError, match="names no field"):
            wrong()


def test_a_call_that_the_document_does_not_name_is_told():
    unknown = httpx.Request("PATCH", f"{SITE}/api/v1/me/")
    with pytest.raises(AssertionError, match="knows no PATCH"):
        document.operation_of(unknown)
    asked = httpx.Request(
        "GET", f"{SITE}/api/v1/submissions/?order=up&cursor=1", headers={"X-Odd": "1"}
    )
    operation = document.operation_of(asked)[1]
    assert document.faults_of_request(asked, operation) == ["?order", "header x-odd"]


def test_an_answer_that_the_document_does_not_describe_is_told():
    schema = {"$ref": "#/components/schemas/Receipt"}
    right = {"format": "plaudit-receipt/1", "statements": []}
    assert faults_of_answer(right, schema) == []
    (fault,) = faults_of_answer(right | {"statements": "many"}, schema)
    assert fault.startswith("$.statements: 'many'")
