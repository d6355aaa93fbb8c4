from __future__ import annotations

import pytest
from django.core.paginator import Paginator
from django.template import Context, Template

from accounts.templatetags import interface


def render(source: str, rf=None, **context: object) -> str:
    if rf:
        context["request"] = rf
    return Template("{% load interface %}" + source).render(Context(context)).strip()


def test_every_icon_is_decoration():
    for name in interface.ICONS:
        assert 'aria-hidden="true"' in interface.icon(name)


def test_a_badge_has_its_word_escaped():
    assert interface.badge("<b>late</b>", "warn").endswith("&lt;b&gt;late&lt;/b&gt;</span>")


@pytest.mark.parametrize(
    ("path", "prefixes", "marked"),
    [("/", ["=/"], True), ("/teams/", ["=/"], False), ("/teams/x/", ["=/", "/teams/"], True)],
)
def test_the_place_in_the_navigation_is_marked(rf, path, prefixes, marked):
    mark = interface.current(Context({"request": rf.get(path)}), *prefixes)
    assert (mark == ' aria-current="page"') is marked


def test_the_way_to_the_next_page_keeps_the_search(rf):
    page = Paginator(range(50), 10).page(2)
    html = render("{% pages page %}", rf.get("/?q=a%26b&page=2"), page=page)
    assert 'href="?q=a%26b&amp;page=1"' in html
    assert 'href="?q=a%26b&amp;page=3"' in html
    assert "Page 2 of 5" in html


def test_a_list_on_one_page_has_no_such_way(rf):
    assert render("{% pages page %}", rf.get("/"), page=Paginator([1], 10).page(1)) == ""


def test_a_share_is_shown_without_needless_zeros():
    assert [interface.percent(share) for share in (0.7, 0.125, 1)] == ["70 %", "12.5 %", "100 %"]
