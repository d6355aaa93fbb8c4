"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView
from django.views.i18n import set_language

from competition.views.home import home
from config.api.page import api_page
from config.health import healthz, readyz
from config.metrics import metrics

urlpatterns = [
    path("", home, name="home"),
    path("", include("accounts.urls")),
    path("", include("competition.urls")),
    path("", include("grading.urls")),
    path("competitions/", RedirectView.as_view(pattern_name="home"), name="competition-list"),
    # Exempt: the worst that a forged request does is to change the language of a page, and public
    # pages without a token in them may be cached.
    path("language/", csrf_exempt(set_language), name="set-language"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/", api_page, name="api"),
    path("api/v1/", include("config.api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "config.failures.bad_request"
handler404 = "config.failures.not_found"
handler500 = "config.failures.server_error"
