"""What a token must carry: 401 without one, 403 without the scope."""

from __future__ import annotations

from typing import ClassVar

from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.enums import TokenScope
from accounts.models import ApiToken


class HasScope(BasePermission):
    """The request carries a living token with the scope that the class names."""

    scope: ClassVar[TokenScope] = TokenScope.READ
    message = _("This token may not be used for that; make one with the right scope.")

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return whether the token has the scope; False without a token is answered 401."""
        token = request.auth
        return isinstance(token, ApiToken) and self.scope in token.scopes


class MayRead(HasScope):
    """Reading what the person may see."""

    scope = TokenScope.READ


class MaySubmit(HasScope):
    """Uploading, cancelling, marking."""

    scope = TokenScope.SUBMIT


class MayOrganize(HasScope):
    """Acting for a competition that the person organizes."""

    scope = TokenScope.ORGANIZE
