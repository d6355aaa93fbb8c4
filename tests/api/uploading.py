"""How the tests send a file in parts: as a client does that knows nothing of where parts lie."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from rest_framework.test import APIClient

from grading.identity import PART_BYTES, SINGLE_BYTES


def big(tail: bytes = b"end", *, head: bytes = b"") -> bytes:
    """Return a little more than what may come in one request: four parts."""
    return head + b"\n" * (SINGLE_BYTES + 1 - len(head)) + tail


def hashes(content: bytes) -> list[str]:
    """Return the SHA-256 of every part."""
    parts = range(0, len(content), PART_BYTES)
    return [hashlib.sha256(content[start : start + PART_BYTES]).hexdigest() for start in parts]


@dataclass
class Answer:
    status_code: int
    text: str


class Sender:
    """Sends one content over the API."""

    def __init__(self, client: APIClient, base: str, content: bytes) -> None:
        self.client = client
        self.base = base
        self.content = content

    def begin(self, **changes: Any) -> Any:
        named = {
            "filename": "run.jsonl",
            "system": "alder",
            "note": "",
            "size": len(self.content),
            "parts": hashes(self.content),
        }
        return self.client.post(self.base + "uploads/", named | changes, format="json")

    def put(self, part: dict[str, Any], data: bytes | None = None) -> Answer:
        if data is None:
            data = self.content[part["offset"] : part["offset"] + part["size"]]
        address = urlsplit(part["url"])
        if address.hostname != "testserver":
            sent = httpx.put(part["url"], content=data, headers=part["headers"])
            return Answer(sent.status_code, sent.text)
        answer = APIClient().put(
            f"{address.path}?{address.query}",
            data=data,
            content_type="application/octet-stream",
        )
        return Answer(answer.status_code, answer.content.decode())

    def put_all(self, upload: dict[str, Any]) -> None:
        for part in upload["parts"]:
            assert self.put(part).status_code == 200

    def get(self, code: str) -> dict[str, Any]:
        return self.client.get(f"/api/v1/uploads/{code}/").json()

    def complete(self, code: str) -> Any:
        return self.client.post(f"/api/v1/uploads/{code}/complete/")

    def abort(self, code: str) -> Any:
        return self.client.post(f"/api/v1/uploads/{code}/abort/")

    def send(self) -> Any:
        """Go the whole way; return the answer of its end."""
        upload = self.begin().json()
        self.put_all(upload)
        return self.complete(upload["code"])
