"""The web server: uvicorn with the guard's protocol. Run with `python -m config.server`."""

from __future__ import annotations

import os
import warnings

import uvicorn
from django.conf import settings

from config import processes
from config.guard import GuardedProtocol

KEEP_ALIVE_SECONDS = 15
GRACE_SECONDS = 5


def server(*, host: str, port: int) -> uvicorn.Server:
    """Return the server, not yet listening."""
    return uvicorn.Server(
        uvicorn.Config(
            "config.asgi:application",
            host=host,
            port=port,
            http=GuardedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=int(os.environ.get("WEB_CONCURRENCY", "500")),
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )


def main() -> None:
    """Serve until told to stop, with WEB_PROCESSES processes."""
    # WhiteNoise's files are small: reading them whole is what it is for
    warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    host = os.environ.get("PLAUDIT_HOST", "127.0.0.1")
    served = server(host=host, port=int(os.environ.get("PLAUDIT_PORT", "8000")))
    listener = processes.inherited()
    if listener is not None:
        served.run(sockets=[listener])
    elif settings.WEB_PROCESSES > 1:
        processes.keep_running(served.config.bind_socket(), settings.WEB_PROCESSES)
    else:
        served.run()


if __name__ == "__main__":
    main()
