"""Getting in and out: log-in, log-out, sign-up, verification, a forgotten password."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.forms.entry import LogInForm, NewPasswordForm, ResetRequestForm, SignUpForm
from accounts.forms.refusals import refusals_on, refusals_told
from accounts.models import User
from accounts.services import links, registration
from accounts.services.errors import LinkInvalid
from accounts.views.access import back, kept, person, remember_language, signed_in, spend_from


class LogIn(LoginView):
    """Log in by e-mail and go on where the person wanted to go."""

    template_name = "accounts/login.html"
    authentication_form = LogInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Check what was typed, unless this address tried too often, for whichever accounts."""
        spend_from(request, "login")
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: LogInForm) -> HttpResponse:  # type: ignore[override]
        """Start the session, in the language of the account."""
        response = super().form_valid(form)
        user = self.request.user
        if isinstance(user, User):
            remember_language(response, user.language)
        return response


def lockout(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """Answer a log-in after too many failures: when to try again, and the way round it."""
    minutes = round(60 * settings.AXES_COOLOFF_TIME)
    page = render(request, "accounts/lockout.html", {"minutes": minutes}, status=429)
    page["Retry-After"] = str(60 * minutes)
    return page


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    messages.success(request, _("You are logged out."))
    return redirect("home")


@sensitive_post_parameters("password")
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account; the answer is the same whether or not the address is known."""
    if request.user.is_authenticated:
        return redirect("accounts:account-detail")
    form = SignUpForm(request.POST or None, initial=kept(request))
    if form.is_valid():
        with refusals_on(form):
            spend_from(request, "sign-up")
            registration.sign_up(
                email=form.cleaned_data["email"],
                name=form.cleaned_data["name"],
                password=form.cleaned_data["password"],
                language=form.language,
                now=timezone.now(),
            )
            return redirect("accounts:sign-up-sent")
    return render(request, "accounts/sign_up.html", {"form": form})


def sign_up_sent(request: HttpRequest) -> HttpResponse:
    """Say that a mail is on its way."""
    return render(request, "accounts/sign_up_sent.html")


def verify(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm an address by a button, so that a mail scanner that opens links confirms nothing."""
    try:
        if request.method != "POST":
            links.read_token(links.VERIFY, token, timezone.now())
            return render(request, "accounts/verify.html")
        registration.verify_email(token=token, now=timezone.now())
    except LinkInvalid:
        return _broken(request, links.VERIFY)
    messages.success(request, _("Your e-mail address is confirmed."))
    return redirect("home" if request.user.is_authenticated else "accounts:login")


def _broken(request: HttpRequest, purpose: str) -> HttpResponse:
    """Say that a mailed link does not work, and how to get one that does."""
    context = {"is_reset": purpose == links.RESET}
    return render(request, "accounts/link_broken.html", context, status=LinkInvalid.status)


@require_POST
@signed_in
def resend(request: HttpRequest) -> HttpResponse:
    """Send the link once more."""
    with refusals_told(request):
        registration.resend_verification(user=person(request), now=timezone.now())
        messages.success(request, _("A new link is on its way to your address."))
    return redirect(back(request, "/accounts/account/"))


def reset(request: HttpRequest) -> HttpResponse:
    """Ask for a link to set a new password; the answer is the same for every address."""
    form = ResetRequestForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            spend_from(request, "reset")
            registration.request_reset(email=form.cleaned_data["email"], now=timezone.now())
            return redirect("accounts:reset-sent")
    return render(request, "accounts/reset.html", {"form": form})


def reset_sent(request: HttpRequest) -> HttpResponse:
    """Say that a mail is on its way if the address has an account."""
    return render(request, "accounts/reset_sent.html")


@sensitive_post_parameters("password")
def reset_password(request: HttpRequest, token: str) -> HttpResponse:
    """Set a new password by the link that was mailed."""
    form = NewPasswordForm(request.POST or None)
    if request.method != "POST":
        try:
            links.read_token(links.RESET, token, timezone.now())
        except LinkInvalid:
            return _broken(request, links.RESET)
    if form.is_valid():
        with refusals_on(form):
            spend_from(request, "reset-password")
            registration.reset_password(
                token=token, password=form.cleaned_data["password"], now=timezone.now()
            )
            messages.success(request, _("Your new password is set. Log in with it."))
            return redirect("accounts:login")
    return render(request, "accounts/reset_password.html", {"form": form})
