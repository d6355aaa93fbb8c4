from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.urls import reverse

from config.api.page import described, kind_of
from config.api.schema import METHODS
from tests.site.markup import faults, read


@pytest.fixture
def document() -> dict:
    return json.loads((settings.BASE_DIR / "docs" / "openapi.json").read_text("utf-8"))


@pytest.mark.django_db
def test_the_page_has_every_call_and_every_object_of_the_committed_document(client, document):
    html = client.get(reverse("api")).content.decode()
    page = read(html).text
    assert faults(html) == []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in METHODS:
                assert f"{method.upper()} {path}" in page
                assert f'id="call-{operation["operationId"]}"' in html
    for name in document["components"]["schemas"]:
        assert f'id="object-{name}"' in html


@pytest.mark.django_db
def test_the_page_says_how_to_begin_and_stands_in_the_footer(client):
    html = client.get(reverse("home")).content.decode()
    assert f'href="{reverse("api")}"' in html
    page = client.get(reverse("api")).content.decode()
    assert "Authorization: Bearer TOKEN" in page
    assert f'href="{reverse("api-v1:schema")}"' in page


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"$ref": "#/components/schemas/Report"}, "Report"),
        ({"type": ["integer", "null"]}, "integer or null"),
        ({"type": ["string", "null"], "format": "date-time"}, "date-time or null"),
        ({"type": "array", "items": {"$ref": "#/x/Team"}}, "list of Team"),
        ({"oneOf": [{"$ref": "#/x/A"}, {"type": "null"}]}, "A or null"),
        ({"type": "string", "enum": ["a", "b"]}, '"a" or "b"'),
        ({}, "any"),
    ],
)
def test_a_type_is_one_phrase(schema, words):
    assert kind_of(schema) == words


def test_calls_are_grouped_by_what_they_are_about(document):
    groups = dict(described(document).groups)
    assert {call.name for call in groups["me"]} == {"me"}
    create = next(call for call in groups["competitions"] if call.name == "submission_create")
    assert [status for status, _kind in create.answers] == ["201", "200"]
    assert ("application/octet-stream", "binary") in create.bodies
