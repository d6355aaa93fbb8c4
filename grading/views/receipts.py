"""Receipts: the download of a submission's own, the public keys, and a page that verifies any."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.views.access import signed_in, spend_from
from grading import receipts
from grading.forms import ReceiptForm
from grading.receipts import Outcome, ReceiptFault, Verified
from grading.services import receipt_keys
from grading.services import receipts as issuing
from grading.services.errors import ReceiptsUnavailable
from grading.shown import NONE
from grading.views.exports import attached
from grading.views.submissions import visible_submission

KEYS_SECONDS = 300


@signed_in
@require_safe
def receipt(request: HttpRequest, code: str) -> HttpResponse:
    """Give the signed receipt of a submission as a file."""
    submission = visible_submission(request, code)
    found = issuing.receipt(submission=submission, now=timezone.now())
    text = json.dumps(found, ensure_ascii=True, indent=1, sort_keys=True) + "\n"
    response = HttpResponse(text, content_type="application/json")
    return attached(response, f"receipt-{submission.code}.json")


@require_safe
def public_keys(request: HttpRequest) -> JsonResponse:
    """Give every public key with its validity, for whoever verifies receipts without this server."""
    # A pinned copy should hold the key before its first receipt; without one, the others still show.
    try:
        receipt_keys.current(now=timezone.now())
        failed = False
    except ReceiptsUnavailable:
        failed = True
    document = receipts.keys_document(settings.SITE_URL, receipt_keys.known())
    response = JsonResponse(document, json_dumps_params={"indent": 1})
    response["Cache-Control"] = "no-store" if failed else f"public, max-age={KEYS_SECONDS}"
    response["Access-Control-Allow-Origin"] = "*"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def receipt_verify(request: HttpRequest) -> HttpResponse:
    """Verify a receipt that is pasted or uploaded; nothing is kept."""
    if request.method == "POST":
        spend_from(request, "verify")
    form = ReceiptForm(request.POST, request.FILES) if request.method == "POST" else ReceiptForm()
    verdict = None
    if form.is_bound and form.is_valid():
        verdict = verdict_of(form.cleaned_data["content"])
    return render(request, "grading/receipt_verify.html", {"form": form, "verdict": verdict})


@dataclass(frozen=True, slots=True)
class Checked:
    """One statement on the page: its title, what was found, and its content if it holds."""

    title: str
    reason: str
    facts: list[tuple[str, str]]

    @property
    def holds(self) -> bool:
        """Whether the signature holds."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check of a whole receipt found; `fault` says why there was nothing to check."""

    fault: str
    statements: list[Checked]

    @property
    def holds(self) -> bool:
        """Whether every statement holds."""
        return not self.fault and all(one.holds for one in self.statements)


def verdict_of(content: bytes) -> Verdict:
    """Return what the check of a receipt's bytes found."""
    try:
        entries = receipts.parse(content)
    except ReceiptFault as fault:
        return Verdict(_faults()[fault.code], [])
    found = receipts.verify(entries, receipt_keys.known())
    return Verdict("", [_checked(one) for one in found])


def _checked(one: Verified) -> Checked:
    titles = {
        issuing.RECEIVED: _("Received"),
        issuing.VALIDATED: _("Validated"),
        issuing.SCORED: _("Scored"),
    }
    # What does not hold may say anything; it is not repeated on a page of ours.
    if one.outcome != Outcome.HOLDS:
        return Checked(_("A statement"), _reasons()[one.outcome], [])
    title = titles.get(one.statement["kind"], _("A statement"))
    return Checked(title, "", list(_facts(one.statement)))


def _facts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of a statement with the path of each, in the order of their names."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _facts(value[key], f"{name}.{key}" if name else key)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield name, text if value not in (None, "") else NONE


def _faults() -> dict[str, str]:
    return {
        "TOO_LARGE": _("This is too large to be a receipt."),
        "NOT_JSON": _("This is not a receipt: it is not the JSON that receipts are made of."),
        "NOT_A_RECEIPT": _("This is JSON, but not a receipt."),
        "MIXED": _("The statements are about different submissions."),
    }


def _reasons() -> dict[Outcome, str]:
    return {
        Outcome.UNKNOWN_KEY: _("It is signed with a key that this server does not know."),
        Outcome.WRONG_SIGNATURE: _("The signature does not fit: it was changed after signing."),
        Outcome.OUTSIDE_VALIDITY: _("Its key was not valid at the moment that it names."),
    }
