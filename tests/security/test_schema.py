"""The API's own document against the API: whatever fits it or nearly fits it is never a 500."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import schemathesis
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from requests import Request
from schemathesis import GenerationMode

from tests.security.stage import Stage

pytestmark = pytest.mark.slow

CONSOLE = re.compile("/(?:rescoring|checks)/")
EXAMPLES = int(os.environ.get("PLAUDIT_SCHEMA_EXAMPLES", "6"))
SCHEMA = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
OPERATIONS = {
    f"{one.ok().method.upper()} {one.ok().path}": one.ok() for one in SCHEMA.get_all_operations()
}
QUIET = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def known_parts(stage: Stage) -> dict[str, str]:
    """Return values of path parameters that exist."""
    places = stage.places(stage.arena)
    return {**places, "number": "1", "name": "en_0001.wav"}


def code_for(stage: Stage, path: str) -> str:
    if "/file-sets/" in path:
        return stage.voices.sets[stage.own.entrant.pk].code
    return stage.own.upload.code if "/uploads/" in path else stage.own.scored.code


def ask(client: Client, case: Any) -> int:
    """Send a generated case through the whole of Django; return the status."""
    kwargs = case.as_transport_kwargs(base_url="http://testserver")
    kwargs.pop("timeout", None)
    kwargs.pop("verify", None)
    prepared = Request(**kwargs).prepare()
    parts = urlsplit(prepared.url or "")
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    body = prepared.body or b""
    headers = {name: str(value) for name, value in prepared.headers.items()}
    content_type = headers.pop("Content-Type", "application/octet-stream")
    headers.pop("Content-Length", None)
    response = client.generic(
        prepared.method or "GET",
        target,
        data=body if isinstance(body, bytes) else str(body).encode("utf-8", "surrogatepass"),
        content_type=content_type,
        headers={n: v for n, v in headers.items() if v.isprintable()},
    )
    if response.streaming:
        response.getvalue()
    return response.status_code


def people_for(operation: str) -> list[str]:
    """Return who is let far into an operation, and who is not."""
    own = ["captain", "organizer"] if CONSOLE.search(operation) else ["captain"]
    return ["anonymous", *own]


@pytest.mark.parametrize(
    ("operation", "who"), [(one, who) for one in OPERATIONS for who in people_for(one)]
)
def test_nothing_that_the_document_allows_is_an_error(
    stage: Stage, operation: str, who: str
) -> None:
    client = Client(raise_request_exception=False)
    if who != "anonymous":
        client = Client(
            raise_request_exception=False, HTTP_AUTHORIZATION=f"Bearer {stage.secrets[who]}"
        )
    found = OPERATIONS[operation]
    real = known_parts(stage) | {"code": code_for(stage, found.path)}
    signed = client.defaults.get("HTTP_AUTHORIZATION")
    strategy = st.one_of(
        found.as_strategy(generation_mode=GenerationMode.POSITIVE),
        found.as_strategy(generation_mode=GenerationMode.NEGATIVE),
    )

    @QUIET
    @given(case=strategy, is_real=st.sampled_from([True, True, True, False]))
    def tried(case: Any, is_real: bool) -> None:
        if is_real:
            case.path_parameters = {name: real[name] for name in case.path_parameters or {}}
            if signed:  # made-up credentials would keep nearly everything out
                case.headers, case.cookies = {**(case.headers or {}), "Authorization": signed}, {}
        with transaction.atomic():
            status = ask(client, case)
            transaction.set_rollback(True)
        assert status < 500, case.as_curl_command()

    tried()
