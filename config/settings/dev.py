"""One machine, nothing but Python: SQLite, files on local disk, a broker of files; also the demo."""

from __future__ import annotations

import secrets

from config.settings.base import *

ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
WHITENOISE_USE_FINDERS = True
OUTBOX = env.bool("PLAUDIT_OUTBOX", default=True)
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = VAR_DIR / "outbox"


def _stored_secret() -> str:
    """Return this installation's secret, made once."""
    path = VAR_DIR / "secret-key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(secrets.token_urlsafe(48))
        path.chmod(0o600)
    return path.read_text()


SECRET_KEY = SECRET_KEY or _stored_secret()
