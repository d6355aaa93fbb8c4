from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.competition import CompetitionFactory, PhaseFactory, TrackFactory
from tests.site.markup import read

pytestmark = pytest.mark.django_db


def test_the_language_can_be_chosen_without_a_log_in_and_leads_back():
    client = Client(enforce_csrf_checks=True)
    response = client.post(
        reverse("set-language"), {"language": "zh-hans", "next": "/accounts/login/"}
    )
    assert response.url == "/accounts/login/"
    page = read(client.get("/accounts/login/").content.decode())
    assert page.all("html")[0].attributes["lang"] == "zh-hans"


def test_the_choice_leads_to_no_other_site(client):
    response = client.post(
        reverse("set-language"), {"language": "zh-hans", "next": "//example.invalid/"}
    )
    assert response.url == "/"


def test_a_public_page_sets_no_cookie_so_that_it_can_be_cached(client):
    response = client.get("/")
    assert response.cookies == {}


def test_the_log_in_brings_the_language_of_the_account(client):
    user = UserFactory(language="zh-hant")
    client.post(reverse("accounts:login"), {"username": user.email, "password": PASSWORD})
    assert client.cookies["django_language"].value == "zh-hant"


def test_a_competition_s_own_text_is_in_the_reader_s_language_or_names_its_own(client):
    texts = {"en": {"title": "Challenge", "summary": "In English"}, "zh-Hans": {"title": "挑战赛"}}
    competition = CompetitionFactory(texts=texts)
    PhaseFactory(track=TrackFactory(competition=competition))
    client.post(reverse("set-language"), {"language": "zh-hans"})
    html = client.get(f"/competitions/{competition.slug}/").content.decode()
    assert "挑战赛</h1>" in html.replace("\n", "").replace("</span>", "")
    assert '<span lang="en">In English</span>' in html
