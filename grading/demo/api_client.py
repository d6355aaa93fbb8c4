"""The demo's entrants at the API: upload a file, ask where it stands. Patient with a busy server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import httpx

SETTLED = frozenset({"scored", "withheld", "rejected", "failed", "cancelled"})
PATIENCE_SECONDS = 120.0


class UploadError(Exception):
    """The server refused what the demo sent, or could not be reached for two minutes."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A phase as its address in the API."""

    competition: str
    track: str
    phase: str

    @property
    def path(self) -> str:
        return (
            f"/api/v1/competitions/{self.competition}/tracks/{self.track}"
            f"/phases/{self.phase}/submissions/"
        )


class Api:
    """One server, asked in the name of the person whose token goes with each call."""

    def __init__(self, http: httpx.Client, *, patience: float = PATIENCE_SECONDS) -> None:
        self._http = http
        self._patience = patience

    def upload(
        self, token: str, destination: Destination, *, filename: str, system: str, content: bytes
    ) -> str:
        """Send the file and return the submission's code; sending the same again changes nothing.

        Raises UploadError with the server's own words.
        """
        digest = sha256(content).hexdigest()
        headers = _bearer(token) | {
            "Content-Type": "application/octet-stream",
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Idempotency-Key": f"demo-{destination.phase}-{digest[:32]}",
        }
        answer = self._patiently(
            lambda: self._http.post(
                destination.path, params={"system": system}, content=content, headers=headers
            )
        )
        return str(answer["code"])

    def stage(self, token: str, code: str) -> str:
        """Return where the submission stands; final when it is one of SETTLED."""
        path = f"/api/v1/submissions/{code}/"
        answer = self._patiently(lambda: self._http.get(path, headers=_bearer(token)))
        return str(answer["stage"])

    def _patiently(self, send: Callable[[], httpx.Response]) -> dict[str, Any]:
        give_up_at = time.monotonic() + self._patience
        while True:
            try:
                response = send()
            except httpx.TransportError as error:
                reason, wait = f"the server cannot be reached: {error}", 0.5
            else:
                # the server itself says when the same request may succeed
                asked = response.headers.get("Retry-After")
                if asked is None:
                    return _good_answer(response)
                reason, wait = _words(response), float(asked)
            if time.monotonic() + wait > give_up_at:
                raise UploadError(reason)
            time.sleep(wait)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _good_answer(response: httpx.Response) -> dict[str, Any]:
    if not response.is_success:
        raise UploadError(_words(response))
    answer: dict[str, Any] = response.json()
    return answer


def _words(response: httpx.Response) -> str:
    problem = _problem(response)
    if "detail" in problem:
        return f"{problem['detail']} ({problem.get('code', response.status_code)})"
    return f"the server answered {response.status_code}"


def _problem(response: httpx.Response) -> dict[str, Any]:
    if "json" not in response.headers.get("Content-Type", ""):
        return {}
    body = response.json()
    return body if isinstance(body, dict) else {}
