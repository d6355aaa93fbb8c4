"""How a service's refusal reaches the page: beside its field, or on top; 403 for another's act."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest

from accounts.refusals import NotYours, Refusal
from accounts.services.throttles import Throttled


class _Refusals(ABC):
    """Swallows the refusal that ends a block, after telling it; all else goes on.

    So do NotYours and Throttled: they are answered 403 and 429."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Refusal) or isinstance(error, NotYours | Throttled):
            return False
        self.tell(error)
        return True

    @abstractmethod
    def tell(self, refusal: Refusal) -> None:
        """Bring the refusal to the person."""


class refusals_on(_Refusals):  # noqa: N801  read as a verb: with refusals_on(form)
    """Put a refusal raised inside on the form: on the field it names as `field`, else on top."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def tell(self, refusal: Refusal) -> None:
        """Add the sentence to the form's errors."""
        field = refusal.params.get("field")
        known = field if isinstance(field, str) and field in self.form.fields else None
        self.form.add_error(known, refusal.message)


class refusals_told(_Refusals):  # noqa: N801  read as a verb: with refusals_told(request)
    """Tell a refusal raised inside as a message of the next page: for acts without a form."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    def tell(self, refusal: Refusal) -> None:
        """Keep the sentence for the next page."""
        messages.error(self.request, refusal.message)
