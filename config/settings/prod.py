"""Production: refuses to start with a value that is not safe."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

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

SECRET_LENGTH = 50
if len(SECRET_KEY) < SECRET_LENGTH:
    raise ImproperlyConfigured(
        f"SECRET_KEY must be set to a random value of {SECRET_LENGTH} characters or more."
    )
if not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name this server's host names.")
if not SITE_URL.startswith("https://"):
    raise ImproperlyConfigured("SITE_URL must start with https://.")
