"""Datasets, packs and windows as tests need them: rows alone, without bytes."""

from __future__ import annotations

import hashlib

import factory
from factory.django import DjangoModelFactory

from competition.enums import IssueState, Pool
from competition.models import (
    Audio,
    Dataset,
    DatasetClip,
    DatasetVersion,
    Draw,
    DrawWindow,
    Pack,
    PackFile,
    PackIssue,
)
from competition.services import pools, vault
from competition.services.vault import Area
from tests.factories.competition import (
    NOW,
    CompetitionFactory,
    EntrantFactory,
    TermsAcceptanceFactory,
)


def digest(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


class DatasetFactory(DjangoModelFactory):
    class Meta:
        model = Dataset

    competition = factory.SubFactory(CompetitionFactory)
    slug = factory.Sequence(lambda n: f"dataset-{n}")
    title = "Clips"
    created_at = NOW


class DatasetVersionFactory(DjangoModelFactory):
    class Meta:
        model = DatasetVersion

    dataset = factory.SubFactory(DatasetFactory)
    number = 1
    sha256 = factory.Sequence(lambda n: digest(f"version {n}"))
    clip_count = 1
    loaded_at = NOW


class AudioFactory(DjangoModelFactory):
    class Meta:
        model = Audio

    sha256 = factory.Sequence(lambda n: digest(f"audio {n}"))
    crc32 = 1
    size = 10
    storage_key = factory.LazyAttribute(
        lambda audio: vault.key_of(pools.area_of(audio.pool), audio.sha256)
    )
    pool = Pool.ROTATION
    stored_at = NOW


class DatasetClipFactory(DjangoModelFactory):
    class Meta:
        model = DatasetClip

    version = factory.SubFactory(DatasetVersionFactory)
    utt_id = factory.Sequence(lambda n: f"clip_{n:03d}")
    language = "en"
    tier = "easy"
    milliseconds = 1500
    audio = factory.SubFactory(AudioFactory)


class PackFactory(DjangoModelFactory):
    class Meta:
        model = Pack

    competition = factory.SubFactory(CompetitionFactory)
    name = factory.Sequence(lambda n: f"pack-{n}")
    version = 1
    sha256 = factory.Sequence(lambda n: digest(f"pack {n}"))
    file_count = 1
    content_size = 10
    made_at = NOW
    offered_at = NOW


class PackFileFactory(DjangoModelFactory):
    class Meta:
        model = PackFile

    pack = factory.SubFactory(PackFactory)
    path = factory.Sequence(lambda n: f"audio/{n}.wav")
    size = 10
    sha256 = factory.Sequence(lambda n: digest(f"file {n}"))
    crc32 = 1
    storage_key = factory.LazyAttribute(lambda file: vault.key_of(Area.SERVED, file.sha256))


class PackIssueFactory(DjangoModelFactory):
    class Meta:
        model = PackIssue

    pack = factory.SubFactory(PackFactory)
    competition = factory.SelfAttribute("pack.competition")
    entrant = factory.SubFactory(EntrantFactory, competition=factory.SelfAttribute("..competition"))
    number = factory.Sequence(lambda n: n + 1)
    acceptance = factory.SubFactory(
        TermsAcceptanceFactory, terms__competition=factory.SelfAttribute("...competition")
    )
    person = factory.SelfAttribute("acceptance.user")
    state = IssueState.REQUESTED
    requested_at = NOW


class DrawWindowFactory(DjangoModelFactory):
    class Meta:
        model = DrawWindow

    version = factory.SubFactory(DatasetVersionFactory)
    competition = factory.SelfAttribute("version.dataset.competition")
    algorithm = "hash-order"
    algorithm_version = 1
    n = 1
    pool_sha256 = factory.Sequence(lambda n: digest(f"pool {n}"))
    pool_size = 1
    seed = factory.Sequence(lambda n: digest(f"seed {n}"))
    commitment = factory.LazyAttribute(lambda window: digest(window.seed))
    opens_at = NOW
    closes_at = factory.LazyAttribute(lambda window: window.opens_at.replace(day=30))
    made_at = NOW


class DrawFactory(DjangoModelFactory):
    class Meta:
        model = Draw

    window = factory.SubFactory(DrawWindowFactory)
    run = 0
    counts = factory.LazyFunction(lambda: {"easy": 1})
    sha256 = factory.Sequence(lambda n: digest(f"draw {n}"))
    drawn_at = NOW
