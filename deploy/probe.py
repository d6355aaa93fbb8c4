"""Ends with 0 when an address answers 200: for health checks in images without curl."""

from __future__ import annotations

import sys
from http import HTTPStatus
from urllib.request import urlopen

PATIENCE_SECONDS = 4

if __name__ == "__main__":
    with urlopen(sys.argv[1], timeout=PATIENCE_SECONDS) as answer:  # noqa: S310  our own address
        sys.exit(answer.status != HTTPStatus.OK)
