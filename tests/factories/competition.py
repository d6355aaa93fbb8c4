"""Competitions as tests need them: published, one track, one open phase with two reference rows."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import factory
from factory.django import DjangoModelFactory

from competition.enums import CompetitionState, EntrantState, MemberRole, Role
from competition.models import (
    Announcement,
    Competition,
    Entrant,
    EntrantMember,
    Phase,
    ReferenceUtterance,
    ReferenceVersion,
    RoleGrant,
    Terms,
    TermsAcceptance,
    Track,
)
from tests.factories.accounts import TeamFactory, UserFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

REFERENCES = (
    b'{"utt_id": "en_1", "language": "en", "text_with_nvvs": "well [laugh] yes"}\n'
    b'{"utt_id": "zh_1", "language": "zh", "text_with_nvvs": "\xe5\xa5\xbd[sigh]\xe5\x90\xa7"}\n'
)
PARAMS = {
    "labels": ["laugh", "sigh", "throat clearing"],
    "collars": {"en": 2, "zh": 5},
    "weights": {"f1": 0.7, "mntd": 0.2, "error": 0.1},
    "tie_breaks": ["f1", "mntd", "error"],
}


class CompetitionFactory(DjangoModelFactory):
    """A published competition with terms version 1 (the Terms row too)."""

    class Meta:
        model = Competition
        skip_postgeneration_save = True

    slug = factory.Sequence(lambda n: f"challenge-{n}")
    state = CompetitionState.PUBLISHED
    texts = factory.LazyAttribute(lambda c: {"en": {"title": f"Challenge {c.slug}"}})
    contact = "organizers@example.org"
    terms_version = "1"
    definition = ""
    definition_sha256 = "0" * 64
    created_at = NOW - timedelta(days=60)
    loaded_at = NOW - timedelta(days=60)

    @factory.post_generation
    def terms(self, create, extracted, **kwargs):
        TermsFactory(competition=self, version=self.terms_version)


class TermsFactory(DjangoModelFactory):
    class Meta:
        model = Terms

    competition = factory.SubFactory(CompetitionFactory)
    version = "2"
    texts = factory.LazyFunction(lambda: {"en": "Play fair."})
    sha256 = "0" * 64
    created_at = NOW - timedelta(days=60)


class TrackFactory(DjangoModelFactory):
    class Meta:
        model = Track

    competition = factory.SubFactory(CompetitionFactory)
    slug = factory.Sequence(lambda n: f"track-{n}")
    kind = "nvv-t1"
    texts = factory.LazyFunction(lambda: {"en": {"title": "Understanding"}})
    params = factory.LazyFunction(lambda: dict(PARAMS))


class ReferenceVersionFactory(DjangoModelFactory):
    """Two utterances; their bytes are REFERENCES (not stored: `store_references` does that)."""

    class Meta:
        model = ReferenceVersion
        skip_postgeneration_save = True

    track = factory.SubFactory(TrackFactory)
    name = factory.Sequence(lambda n: f"phase-{n}")
    version = 1
    sha256 = hashlib.sha256(REFERENCES).hexdigest()
    storage_key = factory.LazyAttribute(lambda r: f"references/{r.sha256[:2]}/{r.sha256}")
    size = len(REFERENCES)
    counts = factory.LazyFunction(lambda: {"en": 1, "zh": 1})
    loaded_at = NOW - timedelta(days=60)

    @factory.post_generation
    def utterances(self, create, extracted, **kwargs):
        for utt_id, language in extracted or (("en_1", "en"), ("zh_1", "zh")):
            ReferenceUtterance.objects.create(references=self, utt_id=utt_id, language=language)


class PhaseFactory(DjangoModelFactory):
    """An open phase: from ten days before to ten days after NOW."""

    class Meta:
        model = Phase

    track = factory.SubFactory(TrackFactory)
    slug = factory.Sequence(lambda n: f"phase-{n}")
    texts = factory.LazyFunction(lambda: {"en": {"title": "Phase"}})
    references = factory.SubFactory(ReferenceVersionFactory, track=factory.SelfAttribute("..track"))
    opens_at = NOW - timedelta(days=10)
    closes_at = NOW + timedelta(days=10)
    quota_per_day = 5
    quota_total = 50


class EntrantFactory(DjangoModelFactory):
    """An accepted entrant; `captain=` and `people=` make members (and team members)."""

    class Meta:
        model = Entrant
        skip_postgeneration_save = True

    competition = factory.SubFactory(CompetitionFactory)
    team = factory.SubFactory(TeamFactory)
    state = EntrantState.ACCEPTED
    registered_at = NOW - timedelta(days=9)
    decided_at = NOW - timedelta(days=9)

    @factory.post_generation
    def captain(self, create, extracted, **kwargs):
        if extracted:
            EntrantMemberFactory(entrant=self, user=extracted, role=MemberRole.CAPTAIN)

    @factory.post_generation
    def people(self, create, extracted, **kwargs):
        for user in extracted or ():
            EntrantMemberFactory(entrant=self, user=user)


class EntrantMemberFactory(DjangoModelFactory):
    class Meta:
        model = EntrantMember

    entrant = factory.SubFactory(EntrantFactory)
    competition = factory.SelfAttribute("entrant.competition")
    user = factory.SubFactory(UserFactory)
    joined_at = NOW - timedelta(days=9)


class RoleGrantFactory(DjangoModelFactory):
    class Meta:
        model = RoleGrant

    competition = factory.SubFactory(CompetitionFactory)
    user = factory.SubFactory(UserFactory)
    role = Role.ORGANIZER
    granted_at = NOW - timedelta(days=30)


class TermsAcceptanceFactory(DjangoModelFactory):
    class Meta:
        model = TermsAcceptance

    terms = factory.SubFactory(TermsFactory)
    user = factory.SubFactory(UserFactory)
    typed_name = factory.SelfAttribute("user.name")
    accepted_at = NOW - timedelta(days=9)


class AnnouncementFactory(DjangoModelFactory):
    class Meta:
        model = Announcement

    competition = factory.SubFactory(CompetitionFactory)
    texts = factory.LazyFunction(lambda: {"en": {"title": "News", "body": "Something."}})
    published_at = NOW - timedelta(days=1)
    author = factory.SubFactory(UserFactory)
