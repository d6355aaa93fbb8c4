"""Packs and copies as the API shows them, to the person they are for."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from competition.enums import IssueState
from config.api.bodies import StrictSerializer


class CopySerializer(serializers.Serializer[Any]):
    """One's own copy of a pack. `sha256` is that of the whole zip, null until it is computed.

    `download` is an address for the next hour that answers to this person's token alone, with ranges;
    null while the copy may not be downloaded. `size` is that of the zip, null before it is issued.
    """

    code = serializers.CharField()
    number = serializers.IntegerField()
    competition = serializers.CharField()
    pack = serializers.CharField()
    version = serializers.IntegerField()
    manifest_sha256 = serializers.CharField()
    state = serializers.ChoiceField(choices=IssueState.choices)
    accepted_as = serializers.CharField()
    terms_version = serializers.CharField()
    requested_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    filename = serializers.CharField()
    sha256 = serializers.CharField(allow_null=True)
    size = serializers.IntegerField(allow_null=True)
    download = serializers.CharField(allow_null=True)


class OfferSerializer(serializers.Serializer[Any]):
    """A pack on offer, or one of which the person has a copy; `approval` says whether an organizer decides."""

    code = serializers.CharField()
    name = serializers.CharField()
    version = serializers.IntegerField()
    manifest_sha256 = serializers.CharField()
    files = serializers.IntegerField()
    content_size = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)
    approval = serializers.BooleanField()
    valid_days = serializers.IntegerField()
    may_ask = serializers.BooleanField()
    copy = CopySerializer(allow_null=True)


class OfferedTermsSerializer(serializers.Serializer[Any]):
    """The terms in force, by language; asking for a copy accepts them."""

    version = serializers.CharField()
    sha256 = serializers.CharField()
    texts = serializers.DictField(child=serializers.CharField())
    accepted = serializers.BooleanField()


class ShelfSerializer(serializers.Serializer[Any]):
    """The packs of a competition as one person finds them."""

    terms = OfferedTermsSerializer(allow_null=True)
    packs = OfferSerializer(many=True)


class AskSerializer(StrictSerializer):
    """The name that accepts the terms, and which version of them was read."""

    typed_name = serializers.CharField(max_length=120)
    terms_version = serializers.CharField(max_length=32)
