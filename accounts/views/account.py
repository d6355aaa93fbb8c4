"""A person's own pages: account, password, tokens."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.enums import NoticeKind
from accounts.forms.account import NoticesForm, PasswordChangeForm, ProfileForm, TokenForm
from accounts.forms.refusals import refusals_on, refusals_told
from accounts.services import profile, tokens
from accounts.views.access import kept, person, remember_language, signed_in, spend_by


@signed_in
def account_detail(request: HttpRequest) -> HttpResponse:
    """Show a person's account and change name and language."""
    user = person(request)
    given = kept(request) or {"name": user.name, "language": user.language}
    form = ProfileForm(request.POST or None, initial=given)
    if form.is_valid():
        language = form.cleaned_data["language"]
        with refusals_on(form):
            profile.change_profile(
                actor=user, name=form.cleaned_data["name"], language=language, now=timezone.now()
            )
            with override(language):
                messages.success(request, _("Your account is changed."))
            response = redirect("accounts:account-detail")
            remember_language(response, language)
            return response
    return render(request, "accounts/account.html", {"form": form, "person": user})


@signed_in
def notices_choose(request: HttpRequest) -> HttpResponse:
    """Let a person choose which mails they get."""
    user = person(request)
    wanted = [kind for kind in NoticeKind.values if kind not in user.muted_notices]
    form = NoticesForm(request.POST or None, initial={"wanted": wanted})
    if request.method == "POST" and form.is_valid():
        kinds = [NoticeKind(kind) for kind in form.cleaned_data["wanted"]]
        profile.choose_notices(actor=user, wanted=kinds, now=timezone.now())
        messages.success(request, _("Your choice of mails is kept."))
        return redirect("accounts:notices-choose")
    return render(request, "accounts/notices.html", {"form": form})


# Exempt: mail programs post here by themselves when somebody unsubscribes (RFC 8058). The token in
# the address is what allows it, and the worst that it does is to stop one kind of mail.
@csrf_exempt
@never_cache
def notice_stop(request: HttpRequest, token: str, kind: str) -> HttpResponse:
    """Switch one kind of mail off by the link in such a mail, without a log-in."""
    if kind not in NoticeKind.values:
        raise Http404
    chosen = NoticeKind(kind)
    if request.method == "POST":
        profile.stop_notices(token=token, kind=chosen, now=timezone.now())
    context = {"kind": chosen.label, "done": request.method == "POST"}
    return render(request, "accounts/notice_stop.html", context)


@sensitive_post_parameters("current", "password")
@signed_in
def password_change(request: HttpRequest) -> HttpResponse:
    """Change the password; this session stays, all others end."""
    user = person(request)
    form = PasswordChangeForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            spend_by(request, "password")
            profile.change_password(
                actor=user,
                current=form.cleaned_data["current"],
                password=form.cleaned_data["password"],
                now=timezone.now(),
            )
            update_session_auth_hash(request, user)
            messages.success(request, _("Your password is changed. Other sessions have ended."))
            return redirect("accounts:account-detail")
    return render(request, "accounts/password.html", {"form": form})


@never_cache
@signed_in
def token_list(request: HttpRequest) -> HttpResponse:
    """List a person's API tokens and make a new one, whose secret is shown in this answer only."""
    user = person(request)
    form = TokenForm(request.POST or None, initial=kept(request))
    context: dict[str, object] = {}
    if form.is_valid():
        now = timezone.now()
        days = int(form.cleaned_data["days"])
        with refusals_on(form):
            spend_by(request, "token")
            token, secret = tokens.create_token(
                actor=user,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                now=now,
                expires_at=now + timedelta(days=days) if days else None,
            )
            context = {"new_token": token, "secret": secret}
            form = TokenForm()
    context |= {"form": form, "tokens": user.tokens.filter(revoked_at__isnull=True)}
    return render(request, "accounts/tokens.html", context)


@require_POST
@signed_in
def token_revoke(request: HttpRequest, code: str) -> HttpResponse:
    """Revoke one of the person's own tokens."""
    user = person(request)
    token = get_object_or_404(user.tokens, code=code)
    with refusals_told(request):
        tokens.revoke_token(actor=user, token=token, now=timezone.now())
        messages.success(request, _("The token is revoked and no longer works."))
    return redirect("accounts:token-list")
