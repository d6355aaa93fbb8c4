"""An admin site on which everything could be changed: what the database says to that."""

from __future__ import annotations

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.urls import path

from config.urls import urlpatterns as of_the_site

site = AdminSite("open")
for config in ("competition", "grading"):
    for model in apps.get_app_config(config).get_models():
        site.register(model, ModelAdmin)

urlpatterns = [path("open/", site.urls), *of_the_site]
