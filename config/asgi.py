"""The ASGI entry point: Django behind the guard."""

from __future__ import annotations

import gc
import os

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.guard import Guard, Limits
from config.pooling import share_connections
from grading.scoring import registry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
share_connections()
django.setup(set_prefix=False)
for name in registry.names():
    registry.get(name)  # read before anybody asks: no visitor waits for it
gc.collect()
gc.freeze()  # what was loaded stays: walking it takes some 80 ms, which a visitor waits


class OneThreadHandler(ASGIHandler):
    """Django with a request's middleware and view in one thread, entered once.

    Nothing here is asynchronous; Django would go back to the event loop between the two, which
    costs as much as a small page.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain of synchronous calls."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Answer in the request's own thread."""
        answer = sync_to_async(self.get_response, thread_sensitive=True)
        response: HttpResponseBase = await answer(request)
        return response


application = Guard(
    OneThreadHandler(),
    Limits(upload=settings.UPLOAD_LIMIT_BYTES, other=settings.DATA_UPLOAD_MAX_MEMORY_SIZE),
)
