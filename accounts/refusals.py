"""The base of every refusal a service makes: a stable code, a plain sentence, an HTTP status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class Refusal(Exception):
    """A request that the rules do not allow; pages and API turn it into a 4xx answer."""

    code: ClassVar[str] = "REFUSED"
    status: ClassVar[int] = 400

    def __init__(self, message: str, **params: object) -> None:
        super().__init__(message)
        self.message = message
        self.params: Mapping[str, object] = params

    @property
    def headers(self) -> dict[str, str]:
        """What the answer's head says of it: when to come back, for a refusal that knows."""
        after = self.params.get("retry_after")
        return {} if after is None else {"Retry-After": str(after)}


class NotAllowed(Refusal):
    """The person is known, the object is known, the act is not theirs."""

    code = "NOT_ALLOWED"
    status = 403


class NotYours(NotAllowed):
    """The act belongs to another role: the page itself answers 403, nothing is told in passing."""

    code = "NOT_YOURS"


class NotFound(Refusal):
    """There is no such thing, or none that this person may know of."""

    code = "NOT_FOUND"
    status = 404


class Conflict(Refusal):
    """The state of the object does not allow the act (any more)."""

    code = "CONFLICT"
    status = 409


class Invalid(Refusal):
    """A value that was sent does not fit."""

    code = "INVALID"
    status = 422
