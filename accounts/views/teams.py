"""Teams: make one, invite people, give roles, leave."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.enums import TeamRole
from accounts.forms.refusals import refusals_on, refusals_told
from accounts.forms.teams import InvitationForm, RoleForm, TeamForm
from accounts.models import Team, TeamMembership
from accounts.rosters import members_of, memberships_of, open_invitations
from accounts.services import teams
from accounts.views.access import confirmed, kept, person, signed_in, spend_by, viewer

LEAVE = "leave"
"""What is typed to leave a team."""


@signed_in
def team_list(request: HttpRequest) -> HttpResponse:
    """List the teams of the person who is logged in."""
    context = {"memberships": memberships_of(person(request))}
    return render(request, "accounts/team_list.html", context)


@signed_in
def team_create(request: HttpRequest) -> HttpResponse:
    """Make a team; whoever makes it is its captain."""
    form = TeamForm(request.POST or None, initial=kept(request))
    if form.is_valid():
        with refusals_on(form):
            spend_by(request, "team")
            team = teams.create_team(
                actor=person(request),
                name=form.cleaned_data["name"],
                affiliation=form.cleaned_data["affiliation"],
                now=timezone.now(),
            )
            messages.success(
                request,
                _("The team is made. Next: register it for a competition, and invite its members."),
            )
            return redirect("accounts:team-detail", team.code)
    return render(request, "accounts/team_create.html", {"form": form})


@signed_in
def team_detail(request: HttpRequest, code: str) -> HttpResponse:
    """Show a team to its members."""
    team = _team(request, code)
    return _team_page(request, team, InvitationForm(initial=kept(request)))


@signed_in
def team_invite(request: HttpRequest, code: str) -> HttpResponse:
    """Invite somebody by e-mail; errors are shown on the team's page."""
    team = _team(request, code)
    form = InvitationForm(request.POST or None)
    if form.is_valid():
        with refusals_on(form):
            email = form.cleaned_data["email"]
            spend_by(request, "invitation")
            teams.invite(actor=person(request), team=team, email=email, now=timezone.now())
            messages.success(
                request, _("An invitation is on its way to %(email)s.") % {"email": email}
            )
            return redirect("accounts:team-detail", team.code)
    return _team_page(request, team, form)


@signed_in
def team_rename(request: HttpRequest, code: str) -> HttpResponse:
    """Change a team's name and affiliation."""
    team = _team(request, code)
    given = kept(request) or {"name": team.name, "affiliation": team.affiliation}
    form = TeamForm(request.POST or None, initial=given)
    if form.is_valid():
        with refusals_on(form):
            teams.rename_team(
                actor=person(request),
                team=team,
                name=form.cleaned_data["name"],
                affiliation=form.cleaned_data["affiliation"],
                now=timezone.now(),
            )
            messages.success(request, _("The team’s name is changed."))
            return redirect("accounts:team-detail", team.code)
    return render(request, "accounts/team_rename.html", {"form": form, "team": team})


@require_POST
@signed_in
def invitation_revoke(request: HttpRequest, code: str, invitation: str) -> HttpResponse:
    """Take an invitation back."""
    team = _team(request, code)
    found = get_object_or_404(team.invitations, code=invitation)
    with refusals_told(request):
        teams.revoke_invitation(actor=person(request), invitation=found, now=timezone.now())
        messages.success(request, _("The invitation is taken back."))
    return redirect("accounts:team-detail", team.code)


@require_POST
@signed_in
def member_role(request: HttpRequest, code: str, member: str) -> HttpResponse:
    """Make a member captain, or a captain member."""
    team = _team(request, code)
    form = RoleForm(request.POST)
    place = _place(team, member)
    if form.is_valid():
        with refusals_told(request):
            teams.set_role(
                actor=person(request),
                team=team,
                user=place.user,
                role=TeamRole(form.cleaned_data["role"]),
                now=timezone.now(),
            )
            messages.success(request, _("The role is changed."))
    return redirect("accounts:team-detail", team.code)


@require_POST
@signed_in
def member_remove(request: HttpRequest, code: str, member: str) -> HttpResponse:
    """Take a member out of the team."""
    team = _team(request, code)
    place = _place(team, member)
    with refusals_told(request):
        teams.remove_member(actor=person(request), team=team, user=place.user, now=timezone.now())
        messages.success(
            request, _("%(name)s is no longer in the team.") % {"name": place.user.name}
        )
    return redirect("accounts:team-detail", team.code)


@require_POST
@signed_in
def team_leave(request: HttpRequest, code: str) -> HttpResponse:
    """Leave a team."""
    team = _team(request, code)
    if not confirmed(request, LEAVE):
        return redirect("accounts:team-detail", team.code)
    with refusals_told(request):
        teams.leave_team(actor=person(request), team=team, now=timezone.now())
        messages.success(request, _("You have left %(team)s.") % {"team": team.name})
        return redirect("accounts:team-list")
    return redirect("accounts:team-detail", team.code)


def invitation_accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation to whoever holds its link, and let a person who is logged in accept it."""
    now = timezone.now()
    invitation = teams.find_invitation(secret=secret, now=now)
    if request.method == "POST":
        return _accept(request, secret)
    context = {"invitation": invitation, "next": request.path, "person": viewer(request)}
    return render(request, "accounts/invitation.html", context)


@signed_in
def _accept(request: HttpRequest, secret: str) -> HttpResponse:
    with refusals_told(request):
        team = teams.accept_invitation(
            actor=person(request), secret=secret, now=timezone.now()
        ).team
        messages.success(request, _("You are in %(team)s now.") % {"team": team.name})
        return redirect("accounts:team-detail", team.code)
    return redirect("accounts:invitation-accept", secret)


def _team(request: HttpRequest, code: str) -> Team:
    return get_object_or_404(Team.objects.of(person(request)), code=code)


def _place(team: Team, member: str) -> TeamMembership:
    return get_object_or_404(members_of(team), user__code=member)


def _team_page(request: HttpRequest, team: Team, form: InvitationForm) -> HttpResponse:
    user = person(request)
    members = list(members_of(team))
    context = {
        "team": team,
        "form": form,
        "members": members,
        "person": user,
        "is_captain": any(
            place.user_id == user.pk and place.role == TeamRole.CAPTAIN for place in members
        ),
        "invitations": open_invitations(team, timezone.now()),
    }
    return render(request, "accounts/team_detail.html", context)
