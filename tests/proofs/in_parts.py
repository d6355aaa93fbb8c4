"""A large file sent in parts by a careful client: what got no answer is asked for again."""

from __future__ import annotations

import hashlib
import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from grading.identity import PART_BYTES, SINGLE_BYTES
from tests.proofs.shop import Shop

ANSWER_SECONDS = 60
FINISH_SECONDS = 120
AGAIN_SECONDS = 0.5
Json = dict[str, Any]


def enlarged(data: bytes) -> bytes:
    """Return the same rows in a file of four parts: blank lines follow them."""
    return data + b"\n" * (SINGLE_BYTES + 1 - len(data))


@dataclass
class InParts:
    """One file on its way; each step returns None when it got no answer, or a refusal."""

    shop: Shop
    token: str
    data: bytes
    filename: str

    def begin(self) -> Json | None:
        """Name the file; return what is missing of it, or the submission that has its content."""
        ends = range(0, len(self.data), PART_BYTES)
        hashes = [hashlib.sha256(self.data[at : at + PART_BYTES]).hexdigest() for at in ends]
        named = {"filename": self.filename, "system": "", "note": "", "size": len(self.data)}
        path = f"{self.shop.site.world['api']}/cases/uploads/"
        return self._ask("POST", path, json.dumps({**named, "parts": hashes}).encode())

    def put(self, part: Json) -> bool:
        """Send one part to the link that was given; return whether it has arrived."""
        data = self.data[part["offset"] : part["offset"] + part["size"]]
        address = urlsplit(part["url"])
        target = f"{address.path}?{address.query}"
        headers = {"Content-Type": "application/octet-stream", **part["headers"]}
        return _answer(address.port or 80, "PUT", target, data, headers) is not None

    def complete(self, code: str) -> Json | None:
        """Ask for the parts to be put together; return the submission."""
        return self._ask("POST", f"/api/v1/uploads/{code}/complete/", b"")

    def finish(self) -> str:
        """Do all that is left to do; return the submission's code. Raises AssertionError after long."""
        deadline = time.monotonic() + FINISH_SECONDS
        while time.monotonic() < deadline:
            begun = self.begin()
            if begun is not None and "missing" not in begun:
                return str(begun["code"])
            if begun is not None and all(self.put(part) for part in begun["parts"]):
                done = self.complete(begun["code"])
                if done is not None:
                    return str(done["code"])
            time.sleep(AGAIN_SECONDS)
        raise AssertionError(f"{self.filename} was not taken in {FINISH_SECONDS} s")

    def _ask(self, method: str, path: str, body: bytes) -> Json | None:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        told = _answer(self.shop.site.port, method, path, body, headers)
        return None if told is None else json.loads(told)


def _answer(
    port: int, method: str, path: str, body: bytes, headers: Mapping[str, str]
) -> bytes | None:
    """Return the body of a good answer, None for a refusal or none at all."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
    try:
        connection.request(method, path, body=body, headers=dict(headers))
        answer = connection.getresponse()
        told = answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return told if answer.status in {200, 201} else None
