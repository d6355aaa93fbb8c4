"""Sentences of Django and REST framework that people meet here and that their own catalogs lack.

Both come with Chinese catalogs, which have gaps: what is marked here is translated in ours, which is
looked up first. A test fills in forms and calls the API wrongly in both ways of writing Chinese.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop, ngettext_lazy

DJANGO = (
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)
REST_FRAMEWORK = (
    gettext_noop("Malformed request."),
    gettext_noop("Authentication credentials were not provided."),
    gettext_noop("Could not satisfy the request Accept header."),
    gettext_noop('Unsupported media type "{media_type}" in request.'),
    gettext_noop("Not a valid string."),
    gettext_noop("Invalid cursor"),
)
