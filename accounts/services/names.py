"""Names that services accept: the pure rules of `accounts.names`, refused in plain words."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from accounts.names import NameFault, clean_name
from accounts.services.errors import EmailInvalid, NameInvalid


def accepted_name(text: str, *, limit: int, field: str = "name") -> str:
    """Return the name as it is kept; raises NameInvalid, which says what is wrong with it."""
    try:
        return clean_name(text, limit=limit)
    except NameFault as fault:
        raise NameInvalid(
            _sentence(fault, limit), field=field, reason=fault.code, found=fault.found
        ) from fault


def accepted_line(text: str, *, limit: int, field: str) -> str:
    """Return an optional line of text as it is kept, possibly empty; raises NameInvalid."""
    return accepted_name(text, limit=limit, field=field) if text.strip() else ""


def accepted_email(text: str) -> str:
    """Return the address trimmed and in lower case; raises EmailInvalid."""
    address = text.strip().lower()
    try:
        validate_email(address)
    except ValidationError as error:
        raise EmailInvalid(_("This is not an e-mail address."), field="email") from error
    return address


def _sentence(fault: NameFault, limit: int) -> str:
    if fault.code == "EMPTY":
        return _("This must hold at least one letter, digit or sign.")
    if fault.code == "TOO_LONG":
        return _("This is too long: at most %(limit)s characters.") % {"limit": limit}
    if fault.code == "MARKS":
        return _("There are too many accents on one letter.")
    return _("The character %(found)s cannot be used: it is invisible or controls the text.") % {
        "found": fault.found
    }
