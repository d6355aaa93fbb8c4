"""Settings shared by every way of running; the environment decides what differs. See .env.example."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import environ
from django.utils.translation import gettext_lazy as _
from kombu import Exchange, Queue

from config.log import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = environ.Env()
if (BASE_DIR / ".env").exists() and not os.environ.get("DJANGO_SETTINGS_MODULE", "").endswith(
    "test"
):
    env.read_env(BASE_DIR / ".env")

VAR_DIR = Path(env.str("PLAUDIT_VAR", default=str(BASE_DIR / "var")))
"""Everything this installation writes when it has no servers: database, files, broker, log-ins."""

DEBUG = False
ALLOWED_HOSTS: list[str] = []
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "rest_framework",
    "drf_spectacular",
    "rules.apps.AutodiscoverRulesConfig",
    "axes",
    "django_htmx",
    "accounts",
    "competition",
    "grading",
]
if find_spec("django_linear_migrations"):  # a tool for developers, who have it installed
    INSTALLED_APPS.append("django_linear_migrations")

MIDDLEWARE = [
    "config.requests.RequestLogMiddleware",
    "config.arrival.ArrivalMiddleware",
    "config.queries.QueryMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.headers.SecurityHeadersMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.AuditOriginMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "config.failures.FailurePagesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "config.context.site",
            ],
        },
    },
]

FORM_RENDERER = "config.renderers.FormRenderer"
CSRF_FAILURE_VIEW = "config.failures.csrf_failure"

DATABASE_URL = env.str("DATABASE_URL", default="")
SQLITE_OPTIONS = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}
if DATABASE_URL:
    DATABASES = {"default": env.db_url("DATABASE_URL")}
    # each request has a thread of its own, whose end would strand a kept connection;
    # the web server's threads hand theirs on to each other instead (config/pooling.py)
    DATABASES["default"]["CONN_MAX_AGE"] = 0
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": VAR_DIR / "plaudit.sqlite3",
            "OPTIONS": SQLITE_OPTIONS,
        }
    }
DATABASE_OWNER_URL = env.str("DATABASE_OWNER_URL", default="")
DATABASE_OWNER = env.db_url("DATABASE_OWNER_URL") if DATABASE_OWNER_URL else {}
"""The role that migrations run as; the application's own then cannot alter what keeps evidence."""
EVIDENCE_IS_APART = False
"""Whether `doctor` wants it so; production with PostgreSQL does."""
DATABASE_POOL = env.int("DATABASE_POOL", default=20)
"""How many idle connections to PostgreSQL one web server keeps; 0: one anew for each request."""
PREPARED_IS_CHECKED = False
"""Whether each prepared query is compared with what Django writes of the same values: in tests."""
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "config.caching.ForgivingRedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 5},
        }
    }
else:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": VAR_DIR / "cache",
            "OPTIONS": {"MAX_ENTRIES": 5_000},  # throttles count here; few entries would lose them
        }
    }

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "rules.permissions.ObjectPermissionBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "accounts.views.lockout"
AXES_USERNAME_FORM_FIELD = "username"
AXES_USERNAME_CALLABLE = "accounts.throttle.typed_digest"
AXES_HANDLER = "accounts.throttle.RecordedFailures"
AXES_SENSITIVE_PARAMETERS = ["username", "password"]
AXES_DISABLE_ACCESS_LOG = True
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_VERBOSE = False

THROTTLES = {
    "login": (60, 600),
    "sign-up": (60, 3600),
    "reset": (30, 3600),
    "reset-password": (60, 3600),
    "token-guess": (60, 600),
    "verify": (60, 600),
    "password": (20, 600),
    "token": (20, 3600),
    "team": (20, 3600),
    "invitation": (60, 3600),
    "upload": (300, 600),
    "own-data": (10, 3600),
}
"""How often, in how many seconds: the first six per address, the others per person."""

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("zh-hans", _("Simplified Chinese")),
    ("zh-hant", _("Traditional Chinese")),
]
LANGUAGE_COOKIE_AGE = 365 * 86400  # longer than any session: a choice outlives the browser
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
FORMAT_MODULE_PATH = ["config.formats"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

PUBLIC_FILES = VAR_DIR / "files"
"""Uploads and other evidence; opened by services only."""
HIDDEN_FILES = VAR_DIR / "hidden"
"""References and held-out clips; no code that participants reach may open it."""

RECEIPT_KEY = env.str("RECEIPT_KEY", default="")
"""The key that signs receipts, 64 hex digits; empty: RECEIPT_KEY_FILE, made when it is first needed."""
RECEIPT_KEY_FILE = VAR_DIR / "receipt-key"

S3_BUCKET = env.str("S3_BUCKET", default="")
"""Where uploads lie instead of PUBLIC_FILES, and references for all machines; empty: on local disk."""
S3_ENDPOINT_URL = env.str("S3_ENDPOINT_URL", default="")
S3_PUBLIC_URL = env.str("S3_PUBLIC_URL", default="")
S3_REGION = env.str("S3_REGION", default="us-east-1")
S3_ACCESS_KEY = env.str("S3_ACCESS_KEY", default="")
S3_SECRET_KEY = env.str("S3_SECRET_KEY", default="")
S3_ADDRESSING = env.str("S3_ADDRESSING", default="auto")
S3_PREFIX = env.str("S3_PREFIX", default="")

DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
FILE_UPLOAD_TEMP_DIR = None
UPLOAD_LIMIT_BYTES = env.int("UPLOAD_LIMIT_BYTES", default=64 * 1024 * 1024)
"""The largest upload that the server reads in one request; phases may set less, or more for uploads in parts."""

EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_TIMEOUT = 10
MAIL_IN_BACKGROUND = False
"""True where a mail server may hang: threads hand the mails over, no request waits."""
NOTICE_SECONDS = 5.0
"""How often a worker looks for notices that are due."""
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Plaudit <noreply@localhost>")
OUTBOX = False
"""True only in the demo: mail is written to files and shown on an outbox page."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.api.parsers.StrictJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "config.api.paging.NewestFirst",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "config.api.problems.problem_response",
    "PAGE_SIZE": 50,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Plaudit",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.api.schema.without_bounds_of_columns",
        "config.api.schema.with_problems",
    ],
    "ENUM_NAME_OVERRIDES": {
        "CompetitionState": "competition.enums.CompetitionState",
        "SubmissionState": "grading.enums.SubmissionState",
        "UploadState": "grading.enums.UploadState",
        "EvaluationState": "grading.enums.EvaluationState",
        "PaperKind": "grading.enums.FilingKind",
    },
}

WEB_PROCESSES = env.int(
    "WEB_PROCESSES",
    default=min(2, os.cpu_count() or 1)
    if REDIS_URL and DATABASES["default"]["ENGINE"].endswith("postgresql")
    else 1,
)
"""How many processes one web server runs; each opens up to 40 connections to the database."""

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default=REDIS_URL or "plaudit-files://here")
CELERY_TASK_TIME_LIMIT = 15 * 60
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object]
if CELERY_BROKER_URL.startswith("plaudit-files"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(VAR_DIR / "broker")}
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 4 * CELERY_TASK_TIME_LIMIT}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_DEFAULT_EXCHANGE = "plaudit"
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(CELERY_TASK_DEFAULT_EXCHANGE), routing_key=name)
    for name in ("default", "score", "audio", "judge", "live")
]
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_PUBLISH_RETRY = False  # a broker that is down must not hold up a request
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = env.int("WORKER_CONCURRENCY", default=2)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
WORKER_NICENESS = env.int("WORKER_NICENESS", default=10)
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False

EVALUATION_LEASE_SECONDS = env.float("EVALUATION_LEASE_SECONDS", default=30.0)
EVALUATION_RENEW_SECONDS = env.float("EVALUATION_RENEW_SECONDS", default=10.0)
EVALUATION_ATTEMPTS = 3
EVALUATION_WALL_SECONDS = env.int("EVALUATION_WALL_SECONDS", default=300)
EVALUATION_CPU_SECONDS = env.int("EVALUATION_CPU_SECONDS", default=300)
EVALUATION_MEMORY_BYTES = env.int("EVALUATION_MEMORY_BYTES", default=2 * 1024**3)
SOUNDS_WALL_SECONDS = env.int("SOUNDS_WALL_SECONDS", default=1800)
"""How long one look at an archive of clips may take; an archive of 2 GiB takes minutes on a slow disk."""
SOUNDS_CPU_SECONDS = env.int("SOUNDS_CPU_SECONDS", default=1800)
SOUNDS_TASK_SECONDS = 3 * SOUNDS_WALL_SECONDS
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=15.0)
RING_AGAIN_SECONDS = env.float("RING_AGAIN_SECONDS", default=30.0)
"""How long a bell may go unheard before it is rung again."""
BOARD_SECONDS = 2.0
"""How often a worker looks for large boards that are behind and whose pause is over."""
JUDGE_API_KEY = env.str("JUDGE_API_KEY", default="")
"""The key of the judge's endpoint; it goes nowhere else, and into no row, log or page."""
JUDGE_BASE_URL = env.str("JUDGE_BASE_URL", default="")
"""Where the judge is asked, whatever address its definition names; empty: there."""
JUDGE_ORIGINS = env.list("JUDGE_ORIGINS", default=[])
"""The origins (https://host) that a definition may name; none is called without standing here."""
JUDGE_RECORDINGS = VAR_DIR / "recordings"
"""Where recordings of judges lie, each as <sha256>.jsonl."""
JUDGE_SLICE_SECONDS = env.float("JUDGE_SLICE_SECONDS", default=120.0)
"""After how long a worker lets another submission's judging go first."""
JUDGE_PAUSE_SECONDS = env.float("JUDGE_PAUSE_SECONDS", default=1.0)
"""The first pause after a failed call; it doubles."""
JUDGE_PATIENCE_SECONDS = env.float("JUDGE_PATIENCE_SECONDS", default=300.0)
"""For how long a judge may be out of reach before its run stops."""
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
"""What a scraper of /metrics sends as its bearer token; empty: only this machine itself may ask."""
CANARY_SECONDS = env.int("CANARY_SECONDS", default=600)
"""How often the server scores a submission of its own, to show that it can; 0 never."""
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "grading.sweep", "schedule": SWEEP_SECONDS},
    # asked often, so that a beat started anew does not put it off
    "canary": {"task": "grading.canary", "schedule": 60.0},
    "checkpoint": {"task": "grading.checkpoint", "schedule": 600.0},
    "copies": {"task": "grading.copies", "schedule": 60.0},
}
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # short intervals: nothing worth a file of its own
BOOTSTRAP_REPLICATES = 10_000

SECRET_KEY = env.str("SECRET_KEY", default="")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LOGGING = logging_settings(
    level=env.str("LOG_LEVEL", default="INFO"),
    plain=env.str("LOG_FORMAT", default="plain" if sys.stderr.isatty() else "json") == "plain",
)
