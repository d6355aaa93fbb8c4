"""Addresses of accounts, teams, privacy and the demo's outbox."""

from __future__ import annotations

from django.urls import include, path

from accounts.views import account, entry, site, teams

app_name = "accounts"

account_patterns = [
    path("login/", entry.LogIn.as_view(), name="login"),
    path("logout/", entry.log_out, name="logout"),
    path("sign-up/", entry.sign_up, name="sign-up"),
    path("sign-up/sent/", entry.sign_up_sent, name="sign-up-sent"),
    path("verify/resend/", entry.resend, name="verify-resend"),
    path("verify/<str:token>/", entry.verify, name="verify"),
    path("reset/", entry.reset, name="reset"),
    path("reset/sent/", entry.reset_sent, name="reset-sent"),
    path("reset/<str:token>/", entry.reset_password, name="reset-password"),
    path("account/", account.account_detail, name="account-detail"),
    path("account/notices/", account.notices_choose, name="notices-choose"),
    path("notices/<str:token>/<slug:kind>/", account.notice_stop, name="notice-stop"),
    path("account/password/", account.password_change, name="password-change"),
    path("tokens/", account.token_list, name="token-list"),
    path("tokens/<slug:code>/revoke/", account.token_revoke, name="token-revoke"),
]

team_patterns = [
    path("", teams.team_detail, name="team-detail"),
    path("rename/", teams.team_rename, name="team-rename"),
    path("leave/", teams.team_leave, name="team-leave"),
    path("invite/", teams.team_invite, name="team-invite"),
    path(
        "invitations/<slug:invitation>/revoke/", teams.invitation_revoke, name="invitation-revoke"
    ),
    path("members/<slug:member>/role/", teams.member_role, name="member-role"),
    path("members/<slug:member>/remove/", teams.member_remove, name="member-remove"),
]

urlpatterns = [
    path("accounts/", include(account_patterns)),
    path("teams/", teams.team_list, name="team-list"),
    path("teams/new/", teams.team_create, name="team-create"),
    path("teams/<slug:code>/", include(team_patterns)),
    path("invitations/<str:secret>/", teams.invitation_accept, name="invitation-accept"),
    path("privacy/", site.privacy, name="privacy"),
    path("outbox/", site.outbox, name="outbox"),
]
