"""A person's own data as a file, and the end of their account."""

from __future__ import annotations

import json

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms.account import EraseForm
from accounts.forms.refusals import refusals_on
from accounts.views.access import person, signed_in, spend_by
from grading.services import erasure, own_data
from grading.views.exports import attached


@require_POST
@signed_in
def own_data_take(request: HttpRequest) -> HttpResponse:
    """Give what the server holds about the person who is logged in, as one JSON file."""
    spend_by(request, "own-data")
    found = own_data.collect(actor=person(request), now=timezone.now())
    text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    response = attached(
        HttpResponse(text, content_type="application/json; charset=utf-8"),
        f"plaudit-{found['account']['code']}.json",
    )
    response["Cache-Control"] = "no-store"
    return response


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def account_erase(request: HttpRequest) -> HttpResponse:
    """Tell what erasing an account does and what keeps it, and erase it once that is confirmed."""
    user = person(request)
    form = EraseForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            spend_by(request, "password")
            erasure.erase(
                actor=user,
                email=form.cleaned_data["email"],
                password=form.cleaned_data["password"],
                now=timezone.now(),
            )
            logout(request)
            messages.success(request, _("Your account is erased."))
            return redirect("home")
    context = {"form": form, "obstacles": erasure.obstacles(actor=user)}
    return render(request, "accounts/erase.html", context)
