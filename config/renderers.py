"""How forms are drawn: each field with its label, hint and errors, from our own template."""

from __future__ import annotations

from django.forms.renderers import TemplatesSetting


class FormRenderer(TemplatesSetting):
    """Looks for form templates in the site's own folders first."""

    field_template_name = "partials/field.html"
