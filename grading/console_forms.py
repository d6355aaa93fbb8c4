"""Forms of what organizers write and decide in the console; what the rules refuse comes from services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.templatetags.interface import language_name
from competition.services.announcing import BODY_LIMIT, TITLE_LIMIT
from competition.services.authority import REASON_LIMIT
from competition.services.questions import ANSWER_LIMIT, TEXT_LIMIT


class ReasonForm(forms.Form):
    """An act that is recorded with a reason everybody concerned reads."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LIMIT,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, shown_to: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if shown_to:
            self.fields["reason"].help_text = shown_to


class AnnouncementForm(forms.Form):
    """News in each language of the site; a language that is left empty is not announced in."""

    def __init__(self, *args: Any, languages: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.languages = languages
        for code in languages:
            self.fields[f"title_{code}"] = forms.CharField(
                label=_("Title in %(language)s") % {"language": language_name(code)},
                max_length=TITLE_LIMIT,
                required=False,
                widget=forms.TextInput(attrs={"lang": code, "autocomplete": "off"}),
            )
            self.fields[f"body_{code}"] = forms.CharField(
                label=_("Text in %(language)s") % {"language": language_name(code)},
                max_length=BODY_LIMIT,
                required=False,
                help_text=_("Markdown."),
                widget=forms.Textarea(attrs={"lang": code, "rows": 8}),
            )

    @property
    def texts(self) -> dict[str, dict[str, str]]:
        """What was written, by language; only for a valid form."""
        return {
            code: {key: self.cleaned_data[f"{key}_{code}"] for key in ("title", "body")}
            for code in self.languages
        }


class QuestionForm(forms.Form):
    """A question to the organizers."""

    text = forms.CharField(
        label=_("Your question"),
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "The organizers read it with your name. An answer for everybody leaves it out."
        ),
    )


class AnswerForm(forms.Form):
    """An answer, to the person alone or to everybody."""

    text = forms.CharField(
        label=_("Answer"), max_length=ANSWER_LIMIT, widget=forms.Textarea(attrs={"rows": 8})
    )
    is_public = forms.BooleanField(label=_("Everybody may read it"), required=False)
    shown_text = forms.CharField(
        label=_("The question as everybody reads it"),
        max_length=TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Take out what tells who asks. Used only when everybody may read the answer."),
    )
