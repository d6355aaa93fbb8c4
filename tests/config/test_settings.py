from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.settings import safety

ROOT = Path(__file__).resolve().parents[2]
SAFE = {
    "DJANGO_SETTINGS_MODULE": "config.settings.prod",
    "SECRET_KEY": "k9-Vq2" * 12,
    "ALLOWED_HOSTS": "challenge.example.org",
    "SITE_URL": "https://challenge.example.org",
}
INSPECT = """
from django.conf import settings
print(settings.DEBUG, settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE,
      settings.SECURE_HSTS_SECONDS > 0, settings.OUTBOX, settings.PASSWORD_HASHERS[0])
"""


def load(
    tmp_path: Path, program: str = INSPECT, **changes: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PLAUDIT_VAR": str(tmp_path),
        "HOME": str(tmp_path),
    } | SAFE
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment | changes,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_starts_with_safe_values_and_keeps_cookies_to_https(tmp_path: Path) -> None:
    done = load(tmp_path)
    assert done.stderr == ""
    assert done.stdout.split() == [
        "False", "True", "True", "True", "False",
        "django.contrib.auth.hashers.Argon2PasswordHasher",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", ""),
        ("SECRET_KEY", "short"),
        ("ALLOWED_HOSTS", ""),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "challenge.example.org,*"),
        ("SITE_URL", "http://challenge.example.org"),
        ("SITE_URL", "https://another.example.org"),
        ("SECRET_KEY", "k9" * 32),
        ("SECRET_KEY", "django-insecure-" + "Vq2-x9" * 10),
        ("ALLOWED_HOSTS", "."),
        ("DEBUG", "true"),
        ("PLAUDIT_OUTBOX", "true"),
        ("METRICS_TOKEN", "guess-me"),
        ("CSRF_TRUSTED_ORIGINS", "http://challenge.example.org"),
        ("SECURE_HSTS_SECONDS", "0"),
        ("DATABASE_URL", "postgres://plaudit:postgres@db.example.org/plaudit"),
        ("REDIS_URL", "redis://redis.example.org:6379/0"),
        ("CELERY_BROKER_URL", "memory://"),
        ("S3_PUBLIC_URL", "http://files.example.org"),
        ("EMAIL_URL", "consolemail://"),
        ("EMAIL_URL", "smtp://plaudit:password@mail.example.org:25"),
    ],
)
def test_production_refuses_an_unsafe_value_by_its_name(
    tmp_path: Path, name: str, value: str
) -> None:
    done = load(tmp_path, **{name: value})
    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name}" in done.stderr


def test_every_unsafe_value_is_named_at_once(tmp_path: Path) -> None:
    done = load(tmp_path, SECRET_KEY="", ALLOWED_HOSTS="", SITE_URL="http://x", DEBUG="true")
    for name in ("SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL", "DEBUG"):
        assert f"{name} must" in done.stderr


def test_cookies_in_the_clear_and_a_bucket_without_keys_are_refused() -> None:
    values = {
        "DEBUG": False, "WANTS_DEBUG": False, "OUTBOX": False, "SECRET_KEY": "k9-Vq2" * 12,
        "METRICS_TOKEN": "", "ALLOWED_HOSTS": [".example.org"],
        "SITE_URL": "https://challenge.example.org", "CSRF_TRUSTED_ORIGINS": [],
        "SESSION_COOKIE_SECURE": True, "CSRF_COOKIE_SECURE": True, "SECURE_HSTS_SECONDS": 3600,
        "DATABASE_URL": "postgres://plaudit@127.0.0.1/plaudit", "DATABASE_OWNER_URL": "", "REDIS_URL": "redis://localhost:6379/0",
        "CELERY_BROKER_URL": "redis://localhost:6379/0", "S3_BUCKET": "", "S3_ACCESS_KEY": "",
        "S3_SECRET_KEY": "", "S3_ENDPOINT_URL": "http://store:8333", "S3_PUBLIC_URL": "",
        "EMAIL_BACKEND": safety.MAIL_TO_PEOPLE, "EMAIL_HOST": "mail",
    }  # fmt: skip
    assert safety.faults(values) == []
    assert "travel in the clear" in safety.faults(values | {"CSRF_COOKIE_SECURE": False})[0]
    assert "S3_ACCESS_KEY" in safety.faults(values | {"S3_BUCKET": "plaudit"})[0]


def test_one_machine_makes_its_own_secret_once_for_its_owner_alone(tmp_path: Path) -> None:
    program = "from django.conf import settings; print(settings.SECRET_KEY)"
    changes = {"DJANGO_SETTINGS_MODULE": "config.settings.dev", "SECRET_KEY": ""}
    first, second = load(tmp_path, program, **changes), load(tmp_path, program, **changes)
    assert first.stdout == second.stdout
    assert len(first.stdout.strip()) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


def test_redis_is_broker_and_cache_where_it_is_named(tmp_path: Path) -> None:
    program = (
        "from django.conf import settings;"
        " print(settings.CELERY_BROKER_URL, settings.CACHES['default']['LOCATION'])"
    )
    done = load(tmp_path, program, REDIS_URL="redis://127.0.0.1:6379/3")
    assert done.stdout.split() == ["redis://127.0.0.1:6379/3"] * 2
