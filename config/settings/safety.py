"""What production refuses to start with: each unsafe value named, all of them at once. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

SECRET_LENGTH = 50
SECRET_VARIETY = 5
TOKEN_LENGTH = 32
LEAST_HSTS_SECONDS = 3600
WEAK_PASSWORDS = frozenset({"", "postgres", "password", "plaudit", "changeme", "secret", "admin"})
MAIL_TO_PEOPLE = "django.core.mail.backends.smtp.EmailBackend"
LOCAL_BROKERS = ("plaudit-files://", "redis://", "rediss://", "unix://")

Values = Mapping[str, Any]


def faults(values: Values) -> list[str]:
    """Return a sentence for each unsafe value of the settings, empty when production may start."""
    return [
        *_debug(values),
        *_secrets(values),
        *_hosts(values),
        *_cookies(values),
        *_servers(values),
        *_mail(values),
    ]


def _debug(values: Values) -> list[str]:
    said = []
    if values["DEBUG"] or values["WANTS_DEBUG"]:
        said.append("DEBUG must not be set: its error pages show everything.")
    if values["OUTBOX"]:
        said.append("PLAUDIT_OUTBOX must not be set: everybody could read all mails.")
    return said


def _secrets(values: Values) -> list[str]:
    secret, token = str(values["SECRET_KEY"]), str(values["METRICS_TOKEN"])
    said = []
    if len(secret) < SECRET_LENGTH or len(set(secret)) < SECRET_VARIETY:
        said.append(
            f"SECRET_KEY must be set to a random value of {SECRET_LENGTH} characters or more."
        )
    elif secret.startswith(("django-insecure", "only-for-tests")):
        said.append("SECRET_KEY is a default; set a random value of your own.")
    if token and len(token) < TOKEN_LENGTH:
        said.append(f"METRICS_TOKEN must have {TOKEN_LENGTH} characters or more, or be empty.")
    return said


def _hosts(values: Values) -> list[str]:
    hosts, site = list(values["ALLOWED_HOSTS"]), urlsplit(str(values["SITE_URL"]))
    said = []
    if not hosts or any(host.strip(".") in {"", "*"} for host in hosts):
        said.append("ALLOWED_HOSTS must name this server's host names.")
    if site.scheme != "https":
        said.append("SITE_URL must start with https://.")
    elif hosts and not any(_names(host, site.hostname or "") for host in hosts):
        said.append("SITE_URL's host must be one of ALLOWED_HOSTS.")
    if any(not origin.startswith("https://") for origin in values["CSRF_TRUSTED_ORIGINS"]):
        said.append("CSRF_TRUSTED_ORIGINS must hold https:// origins only.")
    return said


def _names(host: str, wanted: str) -> bool:
    return wanted == host or (host.startswith(".") and wanted.endswith(host))


def _cookies(values: Values) -> list[str]:
    said = [
        f"{name} must not be switched off: cookies would travel in the clear."
        for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
        if not values[name]
    ]
    if values["SECURE_HSTS_SECONDS"] < LEAST_HSTS_SECONDS:
        said.append(f"SECURE_HSTS_SECONDS must be {LEAST_HSTS_SECONDS} or more.")
    return said


def _servers(values: Values) -> list[str]:
    said = []
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
        url = urlsplit(str(values[name]))
        if url.hostname and not _is_local(url.hostname) and (url.password or "") in WEAK_PASSWORDS:
            said.append(
                f"{name} must have a password of its own: the server is on another machine."
            )
    if not str(values["CELERY_BROKER_URL"]).startswith(LOCAL_BROKERS):
        said.append("CELERY_BROKER_URL must name Redis, or be empty.")
    if values["S3_BUCKET"] and not (values["S3_ACCESS_KEY"] and values["S3_SECRET_KEY"]):
        said.append("S3_ACCESS_KEY and S3_SECRET_KEY must be set with S3_BUCKET.")
    for name in ("S3_ENDPOINT_URL", "S3_PUBLIC_URL"):
        url = urlsplit(str(values[name]))
        is_public = name == "S3_PUBLIC_URL" or not _is_inside(url.hostname or "")
        if url.scheme == "http" and is_public:
            said.append(f"{name} must start with https://: files would travel in the clear.")
    return said


def _mail(values: Values) -> list[str]:
    if values["EMAIL_BACKEND"] != MAIL_TO_PEOPLE:
        return ["EMAIL_URL must name a mail server (smtp://…): nobody could verify an address."]
    is_open = not values.get("EMAIL_USE_TLS") and not values.get("EMAIL_USE_SSL")
    if is_open and values.get("EMAIL_HOST_PASSWORD") and not _is_inside(values["EMAIL_HOST"]):
        return [
            "EMAIL_URL must use smtp+tls:// or smtp+ssl://: the password would travel in the clear."
        ]
    return []


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_inside(host: str) -> bool:
    """Return whether a host is this machine, a private address, or a name without a domain."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host
