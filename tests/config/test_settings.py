from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAFE = {
    "DJANGO_SETTINGS_MODULE": "config.settings.prod",
    "SECRET_KEY": "k9" * 32,
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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", ""),
        ("SECRET_KEY", "short"),
        ("ALLOWED_HOSTS", ""),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "challenge.example.org,*"),
        ("SITE_URL", "http://challenge.example.org"),
    ],
)
def test_production_refuses_an_unsafe_value_by_its_name(
    tmp_path: Path, name: str, value: str
) -> None:
    done = load(tmp_path, **{name: value})
    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name}" in done.stderr


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
