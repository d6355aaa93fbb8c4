"""The ASGI entry point: Django behind the guard."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from config.guard import Guard, Limits

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
application = Guard(
    get_asgi_application(),
    Limits(upload=settings.UPLOAD_LIMIT_BYTES, other=settings.DATA_UPLOAD_MAX_MEMORY_SIZE),
)
