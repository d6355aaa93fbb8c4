"""How a service's refusal reaches the page: beside its field, or on top."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest

from accounts.refusals import Refusal


@contextmanager
def refusals_on(form: Form) -> Iterator[None]:
    """Put a refusal raised inside on the form: on the field it names as `field`, else on top."""
    try:
        yield
    except Refusal as refusal:
        field = refusal.params.get("field")
        known = field if isinstance(field, str) and field in form.fields else None
        form.add_error(known, refusal.message)


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Tell a refusal raised inside as a message of the next page: for acts without a form."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, refusal.message)
