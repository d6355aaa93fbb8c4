"""The web server: uvicorn with the guard's protocol. Run with `python -m config.server`."""

from __future__ import annotations

import os
import warnings

import uvicorn

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
    """Serve until told to stop."""
    # WhiteNoise's files are small: reading them whole is what it is for
    warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
    host = os.environ.get("PLAUDIT_HOST", "127.0.0.1")
    server(host=host, port=int(os.environ.get("PLAUDIT_PORT", "8000"))).run()


if __name__ == "__main__":
    main()
