"""Sending, checking and following submissions over the API."""

from __future__ import annotations

import gzip
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.enums import TokenScope
from grading.models import QuotaEntry, Submission
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.grading import CANARY, jsonl, scored

RAW = {"content_type": "application/octet-stream"}


def send(client, address, data: bytes, query: str = "?system=alder", **headers):
    return client.post(
        address.submissions + query,
        data=data,
        HTTP_CONTENT_DISPOSITION='attachment; filename="run.jsonl"',
        **RAW,
        **headers,
    )


def problem(response, status: int, code: str):
    assert response.status_code == status, response.content
    assert response["Content-Type"].startswith("application/problem+json")
    body = response.json()
    assert body["code"] == code
    assert body["status"] == status
    assert body["detail"]
    return body


def test_a_raw_body_becomes_a_submission_that_is_scored(
    api, address, arena, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        response = send(api, address, jsonl(arena.perfect()))
    assert response.status_code == 201
    created = response.json()
    assert (created["system"], created["filename"]) == ("alder", "run.jsonl")
    body = api.get(f"/api/v1/submissions/{created['code']}/").json()
    assert body["stage"] == "scored"
    assert body["result"]["score"] == 100.0
    assert body["rows"] == 16


def test_a_form_becomes_a_submission(api, address, arena):
    file = SimpleUploadedFile("run.jsonl", jsonl(arena.perfect()))
    response = api.post(address.submissions, {"file": file, "system": "birch"}, format="multipart")
    assert response.status_code == 201
    assert response.json()["system"] == "birch"
    assert response["Location"] == response.json()["url"]


def test_the_same_content_returns_the_standing_submission(api, address, arena):
    first = send(api, address, jsonl(arena.perfect()))
    again = send(api, address, jsonl(arena.perfect()))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["code"] == first.json()["code"]
    assert again.json()["repeated"] is True
    assert QuotaEntry.objects.count() == 1


def test_a_repeated_idempotency_key_makes_one_submission(api, address, arena):
    key = {"HTTP_IDEMPOTENCY_KEY": "k-1"}
    first = send(api, address, jsonl(arena.perfect()), **key)
    second = send(api, address, jsonl(arena.perfect()), **key)
    assert first.json()["code"] == second.json()["code"]
    assert Submission.objects.count() == 1


def test_an_idempotency_key_with_another_body_is_refused(api, address, arena):
    send(api, address, jsonl(arena.perfect()), HTTP_IDEMPOTENCY_KEY="k-1")
    response = send(api, address, jsonl(arena.flawed(2)), HTTP_IDEMPOTENCY_KEY="k-1")
    problem(response, 422, "IDEMPOTENCY_KEY_REUSED")
    assert Submission.objects.count() == 1


def test_used_up_quota_is_refused_and_says_when_it_resets(api, address, arena):
    for wrong in (1, 2, 3):
        assert send(api, address, jsonl(arena.flawed(wrong))).status_code == 201
    body = problem(send(api, address, jsonl(arena.perfect())), 429, "QUOTA_EXCEEDED")
    assert body["params"]["limit"] == 3
    assert body["params"]["resets_at"]
    assert Submission.objects.count() == 3


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("image/png", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ],
)
def test_an_unknown_content_type_is_refused(api, address, arena, kind, status, code):
    response = api.generic("POST", address.submissions, jsonl(arena.perfect()), content_type=kind)
    problem(response, status, code)
    assert not Submission.objects.exists()


def test_a_zip_that_calls_itself_json_is_refused(api, address):
    response = api.generic(
        "POST", address.submissions, b"PK\x03\x04\xff\xfe", content_type="application/json"
    )
    problem(response, 400, "MALFORMED_BODY")
    assert not Submission.objects.exists()


def test_a_compressed_body_is_refused_with_the_reason(api, address, arena):
    response = send(
        api, address, gzip.compress(jsonl(arena.perfect())), HTTP_CONTENT_ENCODING="gzip"
    )
    assert "compressed" in problem(response, 415, "UNSUPPORTED_MEDIA_TYPE")["detail"]


def test_a_body_that_says_it_is_not_compressed_is_taken(api, address, arena):
    sent = send(api, address, jsonl(arena.perfect()), HTTP_CONTENT_ENCODING="Identity")
    assert sent.status_code == 201


def test_a_file_sent_as_a_text_field_is_refused(api, address):
    response = api.post(address.submissions, {"file": "predictions.jsonl"}, format="multipart")
    assert "file" in problem(response, 400, "FILE_MISSING")["detail"]


def test_an_empty_body_is_refused(api, address):
    problem(send(api, address, b""), 422, "EMPTY_FILE")
    assert not Submission.objects.exists()


def test_a_body_that_is_not_what_its_digest_says_is_refused(api, address, arena):
    response = send(api, address, jsonl(arena.perfect())[:-1], HTTP_X_CONTENT_SHA256="0" * 64)
    problem(response, 400, "MALFORMED_BODY")
    assert not Submission.objects.exists()


@pytest.mark.parametrize("way", ["raw", "form"])
def test_a_file_over_the_limit_is_refused(api, address, arena, way):
    arena.phase.limits = {"file_bytes": 100}
    arena.phase.save()
    data = jsonl(arena.perfect())
    if way == "raw":
        response = send(api, address, data)
    else:
        file = SimpleUploadedFile("run.jsonl", data)
        response = api.post(address.submissions, {"file": file}, format="multipart")
    assert problem(response, 413, "FILE_TOO_LARGE")["params"]["limit"] == 100
    assert not Submission.objects.exists()


def test_check_only_returns_the_report_and_makes_no_row(api, address, arena):
    bad = arena.perfect() | {"en_0000": "x [sniffl] y"}
    response = api.post(address.check, data=jsonl(bad), **RAW)
    assert response.status_code == 200
    body = response.json()
    assert body["accepted"] is False
    assert [one["code"] for one in body["problems"]] == ["UNSUPPORTED_NVV_TAG"]
    assert "[sniffl]" in body["problems"][0]["message"]
    assert not Submission.objects.exists()


def test_a_rejected_submission_lists_its_problems_and_costs_nothing(
    api, address, arena, django_capture_on_commit_callbacks
):
    few = dict(list(arena.perfect().items())[:-2])
    with django_capture_on_commit_callbacks(execute=True):
        code = send(api, address, jsonl(few)).json()["code"]
    body = api.get(f"/api/v1/submissions/{code}/").json()
    report = api.get(f"/api/v1/submissions/{code}/report/").json()
    assert (body["stage"], report["accepted"]) == ("rejected", False)
    assert [one["code"] for one in report["problems"]] == ["MISSING_SAMPLES"]
    assert QuotaEntry.objects.get().state == "released"


def test_cancel_gives_the_slot_back(api, address, arena):
    code = send(api, address, jsonl(arena.perfect())).json()["code"]
    response = api.post(f"/api/v1/submissions/{code}/cancel/")
    assert (response.status_code, response.json()["stage"]) == (200, "cancelled")
    problem(api.post(f"/api/v1/submissions/{code}/cancel/"), 409, "SUBMISSION_ENDED")


def test_mark_and_unmark(api, address, arena, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        code = send(api, address, jsonl(arena.perfect())).json()["code"]
    assert api.post(f"/api/v1/submissions/{code}/mark/").json()["counts_by_mark"] is True
    assert api.post(f"/api/v1/submissions/{code}/unmark/").json()["counts_by_mark"] is False


def test_another_team_does_not_see_it(api, address, arena):
    code = send(api, address, jsonl(arena.perfect())).json()["code"]
    _, other = arena.enter()
    stranger = client_of(other)
    for way, act in (("get", ""), ("get", "report/"), ("post", "cancel/"), ("post", "mark/")):
        response = getattr(stranger, way)(f"/api/v1/submissions/{code}/{act}")
        problem(response, 404, "NOT_FOUND")
    assert stranger.get("/api/v1/submissions/").json()["results"] == []


def test_nobody_without_a_token_gets_in(address, arena):
    client = APIClient()
    for response in (
        client.get("/api/v1/submissions/"),
        client.get("/api/v1/me/"),
        client.post(address.submissions, data=b"x", **RAW),
        client.post(address.check, data=b"x", **RAW),
    ):
        problem(response, 401, "NOT_AUTHENTICATED")
        assert response["WWW-Authenticate"] == "Bearer"


def test_a_token_without_the_scope_is_refused(address, arena):
    reader = client_of(arena.captain, [TokenScope.READ])
    problem(send(reader, address, jsonl(arena.perfect())), 403, "NOT_ALLOWED")
    assert reader.get("/api/v1/submissions/").status_code == 200


def test_a_person_outside_every_team_is_refused(address, arena):
    outsider = client_of(UserFactory())
    problem(send(outsider, address, jsonl(arena.perfect())), 403, "NOT_A_MEMBER")


def test_a_page_of_submissions_needs_as_many_queries_as_one(
    api, address, arena, django_assert_max_num_queries
):
    for wrong in range(3):
        send(api, address, jsonl(arena.flawed(wrong)))
    with django_assert_max_num_queries(8):
        body = api.get(address.submissions).json()
    assert [one["number"] for one in body["results"]] == [3, 2, 1]


def test_a_page_of_scored_submissions_needs_as_many_queries_as_one(api, address, arena):
    api.get(address.submissions)  # the token notes that it was used
    counts = []
    for score in (60.0, 70.0, 80.0):
        scored(arena, arena.entrant, arena.captain, score)
        with CaptureQueriesContext(connection) as queries:
            results = api.get(address.submissions).json()["results"]
        assert results[0]["result"]["score"] == score
        counts.append(len(queries))
    assert len(set(counts)) == 1


def test_no_reference_is_in_any_answer(api, address, arena, django_capture_on_commit_callbacks):
    spoilt = dict.fromkeys(arena.perfect(), "nothing [burp]")
    with django_capture_on_commit_callbacks(execute=True):
        code = send(api, address, jsonl(spoilt)).json()["code"]
    slug = arena.competition.slug
    for path in (
        f"/api/v1/submissions/{code}/",
        f"/api/v1/submissions/{code}/report/",
        address.base,
        address.base + "manifest/",
        address.base + "board/",
        f"/api/v1/competitions/{slug}/",
        "/api/v1/competitions/",
    ):
        response = api.get(path)
        assert response.status_code == 200
        assert CANARY not in response.content.decode()


def test_the_manifest_holds_ids_and_languages_only(address, arena):
    body = APIClient().get(address.base + "manifest/").json()
    assert {"utt_id": "en_0000", "language": "en"} in body["utterances"]
    assert len(body["utterances"]) == 16


def test_a_board_answers_304_to_its_own_etag(
    api, address, arena, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        send(api, address, jsonl(arena.flawed(2)))
    first = APIClient().get(address.base + "board/")
    assert first.json()["views"]["final"]["rows"][0]["place"] == 1
    again = APIClient().get(address.base + "board/", HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[1, 2]", "MALFORMED_BODY"),
        (b'{"name": "\\ud800"}', "MALFORMED_BODY"),
        (b'{"name": "x", "meta": {"k": "\\ud800"}}', "MALFORMED_BODY"),
        (b'{"name": "x\\u0000"}', "MALFORMED_BODY"),
        (b'{"name": NaN}', "MALFORMED_BODY"),
        (b'{"name": 1e999}', "MALFORMED_BODY"),
        (b'{"name": -1e999}', "MALFORMED_BODY"),
        (b'{"name": "x", "name": "y"}', "MALFORMED_BODY"),
        (b'{"name": {"a": 1, "\\u0061": 2}}', "MALFORMED_BODY"),
        (b'\xef\xbb\xbf{"name": "x"}', "MALFORMED_BODY"),
        ('{"name": "x"}'.encode("utf-16"), "MALFORMED_BODY"),
        (b'{"name": "\xff"}', "MALFORMED_BODY"),
        (b'{"name": ' + b"[" * 100_000, "MALFORMED_BODY"),
        (b'{"name": "x", "size": 99999999999999999999}', "INVALID"),
        (b'{"name": ' + b"9" * 5000 + b"}", "MALFORMED_BODY"),
        (b'{"nme": "x"}', "INVALID"),
        (b"", "INVALID"),
    ],
)
def test_a_body_that_cannot_be_used_is_refused(api, arena, body, code):
    response = api.generic("POST", "/api/v1/teams/", body, content_type="application/json")
    problem(response, 400, code)


def test_a_team_is_founded(api, arena):
    response = api.post("/api/v1/teams/", {"name": "Team Quartz"}, format="json")
    assert response.status_code == 201
    assert "Team Quartz" in {team["name"] for team in api.get("/api/v1/me/").json()["teams"]}


def test_the_schema_is_served_and_names_every_operation(arena):
    schema = json.loads(APIClient().get("/api/v1/schema/").content)
    assert schema["openapi"].startswith("3.1")
    operations = [one["operationId"] for path in schema["paths"].values() for one in path.values()]
    assert len(operations) == len(set(operations))


def test_a_wrong_name_is_told_with_the_names_that_there_are(api, address, arena):
    base = f"/api/v1/competitions/{arena.competition.slug}/tracks"
    for path in (f"{base}/{arena.track.slug}/phases/finale", f"{base}/t/phases/final"):
        body = problem(api.get(f"{path}/"), 404, "NOT_FOUND")
        assert body["params"]["known"] == [f"{arena.track.slug}/{arena.phase.slug}"]
        assert f"There are: {arena.track.slug}/{arena.phase.slug}." in body["detail"]
    missing = problem(api.get("/api/v1/competitions/nope/"), 404, "NOT_FOUND")
    assert "no competition “nope”" in missing["detail"]
    missing = problem(api.get("/api/v1/submissions/nope/"), 404, "NOT_FOUND")
    assert "no submission “nope”" in missing["detail"]
