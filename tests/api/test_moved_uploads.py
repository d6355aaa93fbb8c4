"""Uploads in parts whose storage changes under way, or forgets them: they go on under the same code."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from competition import bucket as buckets
from grading import storage
from grading.models import Submission, UploadSession
from tests.api.test_submissions import problem
from tests.api.uploading import Sender, big


@pytest.fixture
def sender(api, address) -> Sender:
    return Sender(api, address.base, big())


def test_an_upload_goes_on_when_the_installation_moves_to_a_bucket(request, sender):
    upload = sender.begin().json()
    first, second, *_others = upload["parts"]
    assert sender.put(first).status_code == 200
    request.getfixturevalue("bucket")
    assert sender.put(second).status_code == 200, "a link to this server is good for an hour"
    assert sender.put(second).status_code == 200
    state = sender.get(upload["code"])
    assert state["missing"] == [1, 3, 4], "what lay on the disk has to come again"
    assert all(urlsplit(part["url"]).hostname == "127.0.0.1" for part in state["parts"])
    assert problem(sender.complete(upload["code"]), 409, "PARTS_MISSING")
    sender.put_all(state)
    done = sender.complete(upload["code"])
    assert done.status_code == 201
    with storage.local_copy(Submission.objects.get(code=done.json()["code"]).storage_key) as path:
        assert path.read_bytes() == sender.content


def test_an_upload_begun_on_disk_can_be_given_up_in_a_bucket(request, sender):
    upload = sender.begin().json()
    request.getfixturevalue("bucket")
    assert sender.abort(upload["code"]).json()["state"] == "aborted"
    begun = buckets.listed("list_multipart_uploads", "", "Uploads")
    assert list(begun) == []


def test_an_upload_that_a_bucket_has_forgotten_begins_again_under_the_same_code(bucket, sender):
    upload = sender.begin().json()
    sender.put_all(upload)
    session = UploadSession.objects.get()
    buckets.client().abort_multipart_upload(
        UploadId=session.storage_handle, **buckets.name(session.storage_key)
    )
    state = sender.get(upload["code"])
    assert state["missing"] == [1, 2, 3, 4]
    sender.put_all(state)
    assert sender.complete(upload["code"]).status_code == 201


def test_an_upload_goes_on_when_the_installation_moves_from_a_bucket_to_disk(
    bucket, sender, settings
):
    upload = sender.begin().json()
    sender.put(upload["parts"][0])
    settings.S3_BUCKET = ""
    state = sender.get(upload["code"])
    assert state["missing"] == [1, 2, 3, 4]
    sender.put_all(state)
    assert sender.complete(upload["code"]).status_code == 201
