"""An answer that is sent piece by piece, whatever its size; a slow reader holds no thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from django.http import StreamingHttpResponse


class PartResponse(StreamingHttpResponse):
    """A streaming answer that the server sends piece by piece: Django would read all of it first."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = iter(self)
        while piece := await asyncio.to_thread(next, pieces, b""):
            yield piece
