"""One machine, nothing but Python: SQLite, files on local disk, a broker of files; also the demo."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress

from config.settings.base import *

ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
WHITENOISE_USE_FINDERS = True
OUTBOX = env.bool("PLAUDIT_OUTBOX", default=True)
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = VAR_DIR / "outbox"


def _stored_secret() -> str:
    """Return this installation's secret, made once, also when several processes start at once."""
    path = VAR_DIR / "secret-key"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as draft:
            draft.write(secrets.token_urlsafe(48))
            draft.flush()
            with suppress(FileExistsError):
                os.link(draft.name, path)
    return path.read_text()


SECRET_KEY = SECRET_KEY or _stored_secret()
