"""Production: refuses to start with a value that is not safe."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from config.settings import safety
from config.settings.base import *

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
EMAIL_CONFIG = env.email("EMAIL_URL", default="smtp://localhost:25")
vars().update(EMAIL_CONFIG)
MAIL_IN_BACKGROUND = True
EVIDENCE_IS_APART = bool(DATABASE_URL)

OUTBOX = env.bool("PLAUDIT_OUTBOX", default=False)
WANTS_DEBUG = env.bool("DEBUG", default=False)
FAULTS = safety.faults(globals())
if FAULTS:
    raise ImproperlyConfigured("\n".join(FAULTS))
