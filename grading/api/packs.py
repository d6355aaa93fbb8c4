"""Packs over the API: what is on offer, asking for a copy, and downloading one's own."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.people import person
from accounts.api.permissions import MayRead, MaySubmit
from accounts.models import User
from competition import copies as shown
from competition.api.views import visible_competition
from competition.copies import Offer
from competition.enums import EntrantState, IssueState
from competition.models import Competition, Pack, PackIssue
from competition.queries import current_terms, entrant_of, has_accepted_terms
from competition.services import downloads, issues, packs
from competition.services.errors import CopyGone, DownloadDenied, TermsChanged
from competition.views import downloads as sending
from grading.api.pack_serializers import AskSerializer, CopySerializer, ShelfSerializer
from grading.services import copies

Json = dict[str, Any]
LINK = OpenApiParameter(
    "link", OpenApiTypes.STR, required=True, description="part of the address that was given"
)


class Shelf(APIView):
    """The packs that the person may ask for or has a copy of."""

    permission_classes = [MayRead]

    @extend_schema(responses=ShelfSerializer, operation_id="packs")
    def get(self, request: Request, slug: str) -> Response:
        """Return the packs with one's copies, and the terms that asking for one accepts."""
        competition, user, now = visible_competition(request, slug), person(request), timezone.now()
        offers = shown.offers_of(user, competition, now)
        return Response(
            {
                "terms": _terms(user, competition),
                "packs": [_offer_json(request, one, now) for one in offers],
            }
        )


class PackManifest(APIView):
    """What a pack holds."""

    permission_classes = [MayRead]

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="pack_manifest")
    def get(self, request: Request, slug: str, code: str) -> HttpResponse:
        """Return MANIFEST.json byte for byte: its SHA-256 is the pack's identity."""
        pack = _pack(request, slug, code)
        return HttpResponse(packs.manifest_of(pack), content_type="application/json")


class PackAsk(APIView):
    """Asking for a copy."""

    permission_classes = [MaySubmit]

    @extend_schema(
        request=AskSerializer,
        responses={200: CopySerializer, 201: CopySerializer},
        operation_id="pack_ask",
    )
    def post(self, request: Request, slug: str, code: str) -> Response:
        """Accept the terms in force by typing one's name and ask; 200 for the copy that there is.

        409 `TERMS_CHANGED` when the version that was read is not the one in force.
        """
        pack = _pack(request, slug, code)
        sent = AskSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if sent.validated_data["terms_version"] != pack.competition.terms_version:
            raise TermsChanged(
                _("These are not the terms in force; read version %(version)s.")
                % {"version": pack.competition.terms_version},
                version=pack.competition.terms_version,
            )
        user, now = person(request), timezone.now()
        entrant = entrant_of(user, pack.competition)
        if entrant is None or entrant.state != EntrantState.ACCEPTED:
            raise PermissionDenied
        issue = copies.request(
            actor=user, pack=pack, typed_name=sent.validated_data["typed_name"], now=now
        )
        status = 201 if issue.requested_at == now else 200
        return Response(_copy_json(request, _own(user).get(pk=issue.pk), now), status=status)


class CopyDetail(APIView):
    """One of the person's own copies."""

    permission_classes = [MayRead]

    @extend_schema(responses=CopySerializer, operation_id="copy")
    def get(self, request: Request, code: str) -> Response:
        """Return the copy, with a fresh link where it may be downloaded."""
        issue = get_object_or_404(_own(person(request)), code=code)
        return Response(_copy_json(request, issue, timezone.now()))


class AsItIs(BaseContentNegotiation):
    """A zip is a zip, whatever the caller accepts; refusals are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """Return the first parser."""
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer."""
        return renderers[0], renderers[0].media_type


class CopyDownload(APIView):
    """The bytes of one's own copy."""

    permission_classes = [MayRead]
    content_negotiation_class = AsItIs

    @extend_schema(
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
        parameters=[LINK],
        operation_id="copy_download",
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        """Send the zip or a range of it (206); 410 when it is no more, 403 with a wrong link.

        Every byte is noted under the person's name before it is sent.
        """
        issue = get_object_or_404(_copies(), code=code)
        plain: HttpRequest = request._request  # noqa: SLF001  ranges and entity tags are HTTP's
        link = request.query_params.get("link", "")
        answer = sending.send(plain, issue, person(request), link)
        _refuse(answer.status_code)
        return answer  # type: ignore[return-value]  # or streamed


def _refuse(status: int) -> None:
    """Raise what a denied download is answered with: the attempt is noted already."""
    if status == HTTPStatus.NOT_FOUND:
        raise Http404
    if status == HTTPStatus.GONE:
        raise CopyGone(_("This copy, or this link to it, is no more. Ask for the copy again."))
    if status == HTTPStatus.FORBIDDEN:
        raise DownloadDenied(_("This copy cannot be downloaded with this link."))


def _terms(user: User, competition: Competition) -> Json | None:
    terms = current_terms(competition)
    if terms is None:
        return None
    return {
        "version": terms.version,
        "sha256": terms.sha256,
        "texts": terms.texts,
        "accepted": has_accepted_terms(user, competition),
    }


def _offer_json(request: Request, offer: Offer, now: datetime) -> Json:
    pack = offer.pack
    return {
        "code": pack.code,
        "name": pack.name,
        "version": pack.version,
        "manifest_sha256": pack.sha256,
        "files": pack.file_count,
        "content_size": pack.content_size,
        "note": pack.note,
        "approval": pack.approve,
        "valid_days": pack.valid_days,
        "may_ask": offer.may_ask,
        "copy": _copy_json(request, offer.issue, now) if offer.issue else None,
    }


def _copy_json(request: Request, issue: PackIssue, now: datetime) -> Json:
    known = getattr(issue, "zip", None)
    is_live = issues.is_live(issue, now)
    return {
        "code": issue.code,
        "number": issue.number,
        "competition": issue.competition.slug,
        "pack": issue.pack.name,
        "version": issue.pack.version,
        "manifest_sha256": issue.pack.sha256,
        "state": issue.state,
        "accepted_as": issue.acceptance.typed_name,
        "terms_version": issue.acceptance.terms.version,
        "requested_at": issue.requested_at,
        "decided_at": issue.decided_at,
        "expires_at": issue.expires_at,
        "revoked_at": issue.revoked_at,
        "reason": issue.reason,
        "filename": shown.file_name(issue),
        "sha256": known.sha256 if known else None,
        "size": shown.zip_size(issue) if issue.state == IssueState.ACTIVE else None,
        "download": _link(request, issue) if is_live else None,
    }


def _link(request: Request, issue: PackIssue) -> str:
    path = reverse("api-v1:copy-download", args=[issue.code])
    link = downloads.sign(issue, person(request))
    return request.build_absolute_uri(f"{path}?link={link}")


def _pack(request: Request, slug: str, code: str) -> Pack:
    """Return a pack on offer that the person may know of, or answer 404."""
    competition = visible_competition(request, slug)
    found = Pack.objects.visible_to(person(request)).select_related("competition")
    return get_object_or_404(found, competition=competition, code=code, offered_at__isnull=False)


def _copies() -> QuerySet[PackIssue]:
    return PackIssue.objects.select_related(
        "pack", "competition", "entrant__team", "person", "acceptance__terms", "zip"
    )


def _own(user: User) -> QuerySet[PackIssue]:
    return _copies().filter(person=user)
