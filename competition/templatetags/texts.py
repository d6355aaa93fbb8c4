"""The competition's own texts on pages: in the reader's language, marked when it is another one."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from competition import texts
from competition.enums import EntrantKind, EntrantState
from competition.languages import language_named
from competition.models import Competition, Phase, Terms

register = template.Library()


def reader_language() -> str:
    """Return the language of the page."""
    return get_language() or texts.FALLBACK


@register.filter
def spoken(code: str) -> str:
    """Return the name of a language that utterances are in, in the reader's own; else its code."""
    return language_named(code)


@register.filter
def text(thing: texts.HasTexts, key: str) -> texts.Text:
    """Return one text of a competition, track, phase or announcement."""
    return texts.text_of(thing, key, reader_language())


@register.filter
def phase_name(phase: Phase, competition: Competition | None = None) -> texts.Text:
    """Return a phase's title, with its track's where the competition has several tracks.

    A list of phases gives their competition along: it is asked once for all of them.
    """
    title = text(phase, "title") or texts.Text(str(phase.slug), texts.FALLBACK)
    if not (competition or phase.track.competition).has_several_tracks:
        return title  # one track needs no name
    track = text(phase.track, "title") or phase.track.slug
    return texts.Text(f"{title} · {track}", title.language)


@register.filter
def marked(given: texts.Text) -> SafeString | str:
    """Return a text, in a span that names its language when that is not the page's."""
    if not given or given.language.lower() == reader_language().lower():
        return given
    return format_html('<span lang="{}">{}</span>', given.language, given)


@register.filter
def markdown(given: texts.Text) -> SafeString:
    """Return a Markdown text as safe HTML in a block that names its language."""
    html = mark_safe(texts.markdown_html(str(given)))  # noqa: S308  cleaned by nh3
    return format_html('<div class="prose" lang="{}">{}</div>', given.language, html)


@register.filter
def terms_text(terms: Terms) -> texts.Text:
    """Return the text of one version of the terms."""
    return texts.pick(terms.texts, reader_language())


@register.simple_tag
def utterance_counts(phase: Phase) -> str:
    """Return how many utterances a phase has in each language."""
    counts = phase.references.counts
    return " · ".join(f"{counts[language]:,} {spoken(language)}" for language in sorted(counts))


@register.simple_tag
def component_order(name: str) -> str:
    """Return how a component decides between equal scores."""
    words = {"f1": _("higher F1"), "mntd": _("lower mNTD"), "error": _("lower error")}
    return words.get(name) or _("higher %(name)s") % {"name": name}


@register.simple_tag
def collar_words(language: str, collar: int) -> str:
    """Return how far from its place an event still counts as found, in words of the language."""
    forms = {
        "en": ngettext(
            "%(language)s: at most %(n)s word from its place",
            "%(language)s: at most %(n)s words from its place",
            collar,
        ),
        "zh": ngettext(
            "%(language)s: at most %(n)s character from its place",
            "%(language)s: at most %(n)s characters from its place",
            collar,
        ),
    }
    others = ngettext(
        "%(language)s: at most %(n)s unit of text from its place",
        "%(language)s: at most %(n)s units of text from its place",
        collar,
    )
    return forms.get(language, others) % {"language": spoken(language), "n": collar}


@register.filter
def entrant_word(value: str) -> str:
    """Return the word for a state or kind of an entrant."""
    words = dict(EntrantState.choices) | dict(EntrantKind.choices)
    return str(words.get(value, value))
