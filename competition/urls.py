"""Addresses of a competition's pages and of a team's entry."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from competition.views import downloads, entry, packs, pages

app_name = "competition"

entry_patterns: list[URLPattern] = [
    path("", entry.entrant_detail, name="entrant-detail"),
    path("terms/", entry.terms_accept, name="terms-accept"),
    path("join/", entry.join, name="entrant-join"),
    path("members/add/", entry.member_add, name="member-add"),
    path("members/<slug:member>/remove/", entry.member_remove, name="member-remove"),
    path("leave/", entry.leave, name="entrant-leave"),
    path("withdraw/", entry.withdraw, name="entrant-withdraw"),
]

pack_patterns: list[URLPattern] = [
    path("", packs.pack_list, name="pack-list"),
    path("<slug:code>/request/", packs.pack_request, name="pack-request"),
    path("<slug:code>/manifest/", packs.pack_manifest, name="pack-manifest"),
    path("copies/<slug:code>/start/", downloads.start, name="issue-start"),
    path("copies/<slug:code>/download/", downloads.download, name="issue-download"),
]

competition_patterns: list[URLPattern | URLResolver] = [
    path("", pages.competition_detail, name="competition-detail"),
    path("data/", pages.data, name="data"),
    path("rules/", pages.rules, name="rules"),
    path("timeline/", pages.timeline, name="timeline"),
    path("announcements/", pages.announcements, name="announcements"),
    path("register/", entry.register, name="entrant-register"),
    path("entry/", include(entry_patterns)),
    path("packs/", include(pack_patterns)),
]

urlpatterns = [
    path("competitions/<slug:slug>/", include(competition_patterns)),
]
