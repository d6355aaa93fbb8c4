"""Settings of the test suite: SQLite in memory, or what DATABASE_URL and REDIS_URL name."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from config.settings.base import *

SECRET_KEY = "only-for-tests-" + "x" * 40
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
VAR_DIR = Path(tempfile.mkdtemp(prefix="plaudit-tests-"))
atexit.register(shutil.rmtree, VAR_DIR, ignore_errors=True)
PUBLIC_FILES = VAR_DIR / "files"
HIDDEN_FILES = VAR_DIR / "hidden"
RECEIPT_KEY_FILE = VAR_DIR / "receipt-key"
S3_BUCKET = ""
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": os.environ.get("PYTEST_XDIST_WORKER", "alone"),
        }
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
if DATABASE_URL:
    DATABASES = {
        "default": {
            **env.db_url("DATABASE_URL"),
            "CONN_MAX_AGE": 0,
            # what a test wrote need not outlive a power cut
            "OPTIONS": {"options": "-c synchronous_commit=off"},
        }
    }
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": ":memory:",
            "OPTIONS": {"transaction_mode": "IMMEDIATE"},
        }
    }
THROTTLES = {}  # tests of throttles bring their own
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
PREPARED_IS_CHECKED = True
