from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.codes import new_code


class UserManager(BaseUserManager["User"]):
    """Makes users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Return a saved user; the address is trimmed and lower-cased."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Return a saved administrator whose address counts as verified."""
        fields |= {"is_staff": True, "is_superuser": True, "email_verified_at": timezone.now()}
        return self.create_user(email, password, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person who logs in by e-mail; `muted_notices` lists the kinds of mail they do not want."""

    code = models.CharField(max_length=16, unique=True, default=new_code, editable=False)
    email = models.EmailField(_("e-mail address"), max_length=254, unique=True)
    name = models.CharField(_("name"), max_length=120)
    language = models.CharField(_("language"), max_length=10, default="en")
    muted_notices = models.JSONField(default=list, db_default=[], blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    email_verified_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]
    objects = UserManager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="accounts_user_email_lower"
            ),
        ]

    def __str__(self) -> str:
        return f"person {self.code}"

    @property
    def is_verified(self) -> bool:
        """True once the person has opened the link we mailed."""
        return self.email_verified_at is not None
