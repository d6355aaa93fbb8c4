"""The signed receipt of a submission over the API."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.permissions import MayRead
from grading.api.views import visible_submission
from grading.services import receipts


class SignedStatementSerializer(serializers.Serializer[None]):
    """A statement and the Ed25519 signature over its canonical JSON, 128 hexadecimal digits."""

    statement = serializers.DictField()
    signature = serializers.RegexField(r"^[0-9a-f]{128}$")


class ReceiptSerializer(serializers.Serializer[None]):
    """A receipt: what was received, then validated, then scored, as far as it has come."""

    format = serializers.CharField()
    statements = SignedStatementSerializer(many=True)


class SubmissionReceipt(APIView):
    """What was sent and when, signed; the keys are at /.well-known/plaudit-keys.json."""

    permission_classes = [MayRead]

    @extend_schema(responses=ReceiptSerializer, operation_id="submission_receipt")
    def get(self, request: Request, code: str) -> Response:
        """Return the receipt as it stands now."""
        submission = visible_submission(request, code)
        return Response(receipts.receipt(submission=submission, now=timezone.now()))
