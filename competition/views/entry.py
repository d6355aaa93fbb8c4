"""A team's entry: registration with the terms, its members, leaving."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.forms.refusals import refusals_on, refusals_told
from accounts.views.access import confirmed, kept, person, signed_in
from competition.entries import joinable, led_teams
from competition.enums import EntrantState, MemberRole
from competition.forms import MemberForm, RegistrationForm, TermsForm, WithdrawForm
from competition.models import Competition, Entrant
from competition.queries import current_terms, entrant_of, has_accepted_terms, members_of
from competition.services import entry
from competition.views.frame import find_competition, frame

LEAVE = "leave"
"""What is typed to leave an entry."""


@signed_in
def register(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a team: its captain chooses it and accepts the terms with the typed name."""
    competition = find_competition(request, slug)
    user = person(request)
    if entrant_of(user, competition):
        return redirect("competition:entrant-detail", slug)
    given = kept(request) or {"team": request.GET.get("team", "")}
    form = RegistrationForm(request.POST or None, person=user, initial=given)
    if form.is_valid():
        with refusals_on(form):
            entrant = entry.enter(
                actor=user,
                competition=competition,
                team=form.cleaned_data["team"],
                typed_name=form.cleaned_data["typed_name"],
                now=timezone.now(),
            )
            messages.success(request, _welcome(entrant))
            return redirect("competition:entrant-detail", slug)
    context = frame(competition, timezone.now(), "entry") | {
        "form": form,
        "terms": current_terms(competition),
        "has_team": led_teams(user).exists(),
    }
    return render(request, "competition/register.html", context)


def _welcome(entrant: Entrant) -> str:
    if entrant.state == EntrantState.ACCEPTED:
        return _("Your team takes part.")
    return _("Your team is registered. The organizers decide about it; you will see it here.")


@signed_in
def entrant_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the entry to its members."""
    competition, entrant = _own(request, slug)
    return _page(request, competition, entrant)


@signed_in
def terms_accept(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept the terms in force with the typed name."""
    competition, entrant = _own(request, slug)
    form = TermsForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            entry.accept_terms(
                actor=person(request),
                competition=competition,
                typed_name=form.cleaned_data["typed_name"],
                now=timezone.now(),
            )
            messages.success(request, _("You have accepted the terms."))
            return redirect("competition:entrant-detail", slug)
    return _page(request, competition, entrant, terms_form=form)


@require_POST
@signed_in
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Take part in the entry of one's own team, which was registered before one joined it."""
    competition = find_competition(request, slug)
    user = person(request)
    entrant = joinable(user, competition)
    if entrant is None:
        raise Http404
    with refusals_told(request):
        entry.add_member(actor=user, entrant=entrant, user=user, now=timezone.now())
        messages.success(request, _("You take part now."))
        return redirect("competition:entrant-detail", slug)
    return redirect("competition:competition-detail", slug)


@signed_in
def member_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Let another member of the team take part."""
    competition, entrant = _own(request, slug)
    form = MemberForm(request.POST or None, entrant=entrant)
    if form.is_valid():
        with refusals_on(form):
            entry.add_member(
                actor=person(request),
                entrant=entrant,
                user=form.cleaned_data["person"],
                now=timezone.now(),
            )
            messages.success(request, _("The member takes part now."))
            return redirect("competition:entrant-detail", slug)
    return _page(request, competition, entrant, member_form=form)


@require_POST
@signed_in
def member_remove(request: HttpRequest, slug: str, member: str) -> HttpResponse:
    """Take a member out of the entry."""
    _competition, entrant = _own(request, slug)
    place = get_object_or_404(members_of(entrant), user__code=member)
    with refusals_told(request):
        entry.remove_member(
            actor=person(request), entrant=entrant, user=place.user, now=timezone.now()
        )
        messages.success(request, _("The member no longer takes part."))
    return redirect("competition:entrant-detail", slug)


@require_POST
@signed_in
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave the entry."""
    _competition, entrant = _own(request, slug)
    if not confirmed(request, LEAVE):
        return redirect("competition:entrant-detail", slug)
    with refusals_told(request):
        entry.leave(actor=person(request), entrant=entrant, now=timezone.now())
        messages.success(request, _("You no longer take part."))
        return redirect("competition:competition-detail", slug)
    return redirect("competition:entrant-detail", slug)


@signed_in
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw the entry for good, confirmed by typing."""
    competition, entrant = _own(request, slug)
    form = WithdrawForm(request.POST or None, word=competition.slug)
    if form.is_valid():
        with refusals_on(form):
            entry.withdraw(actor=person(request), entrant=entrant, now=timezone.now())
            messages.success(request, _("Your team is withdrawn."))
            return redirect("competition:competition-detail", slug)
    return _page(request, competition, entrant, withdraw_form=form)


def _own(request: HttpRequest, slug: str) -> tuple[Competition, Entrant]:
    competition = find_competition(request, slug)
    entrant = entrant_of(person(request), competition)
    if entrant is None:
        raise Http404
    return competition, entrant


def _page(
    request: HttpRequest,
    competition: Competition,
    entrant: Entrant,
    *,
    terms_form: TermsForm | None = None,
    member_form: MemberForm | None = None,
    withdraw_form: WithdrawForm | None = None,
) -> HttpResponse:
    user = person(request)
    members = list(members_of(entrant))
    captains = {place.user_id for place in members if place.role == MemberRole.CAPTAIN}
    context = frame(competition, timezone.now(), "entry") | {
        "entrant": entrant,
        "members": members,
        "person": user,
        "is_captain": user.pk in captains,
        "is_standing": entrant.state in {EntrantState.PENDING, EntrantState.ACCEPTED},
        "has_terms": has_accepted_terms(user, competition),
        "terms": current_terms(competition),
        "changes": entrant.changes.all(),
        "terms_form": terms_form or TermsForm(),
        "member_form": member_form or MemberForm(entrant=entrant),
        "withdraw_form": withdraw_form or WithdrawForm(word=competition.slug),
    }
    return render(request, "competition/entry.html", context)
