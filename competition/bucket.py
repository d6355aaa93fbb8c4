"""A bucket of the S3 protocol as the place of files, where S3_BUCKET is set.

Every failure is an OSError, as a disk's: FileNotFoundError for what is not there, BucketUnavailable
for anything else. What needs the operator (a wrong clock, a refused key) is logged as an error.
"""

from __future__ import annotations

import base64
import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CONNECT_SECONDS = 3
READ_SECONDS = 10
ATTEMPTS = 2
SLOW_SECONDS = 120
"""Together less than a lease: a worker that waits for a bucket does not lose its claim."""
CHUNK = 256 * 1024
MISSING = {"404", "NoSuchKey", "NoSuchUpload", "NotFound"}
FOR_OPERATORS = {
    "RequestTimeTooSkewed": "the clocks of this server and of the bucket are too far apart",
    "AccessDenied": "the bucket refuses S3_ACCESS_KEY",
    "InvalidAccessKeyId": "the bucket does not know S3_ACCESS_KEY",
    "SignatureDoesNotMatch": "the bucket refuses S3_SECRET_KEY",
    "NoSuchBucket": "there is no bucket of that name",
}

log = logging.getLogger(__name__)


class BucketUnavailable(OSError):
    """The bucket did not do what was asked; trying later may help. `code` is its own word."""

    def __init__(self, code: str) -> None:
        super().__init__(f"the bucket answered {code}")
        self.code = code


def is_on() -> bool:
    """Return whether files lie in a bucket."""
    return bool(settings.S3_BUCKET)


def client() -> S3Client:
    """Return the client for this server's own requests."""
    return _client(_identity(settings.S3_ENDPOINT_URL))


def slow_client() -> S3Client:
    """Return the client for what may take a bucket minutes; never for a worker under a lease."""
    return _client(_identity(settings.S3_ENDPOINT_URL), read_seconds=SLOW_SECONDS, attempts=1)


def public_client() -> S3Client:
    """Return the client that signs links for others: by the address under which they reach it."""
    return _client(_identity(settings.S3_PUBLIC_URL or settings.S3_ENDPOINT_URL))


def public_origin() -> str:
    """Return scheme, host and port to which signed links lead; empty without a bucket."""
    endpoint = settings.S3_PUBLIC_URL or settings.S3_ENDPOINT_URL
    return _origin(_identity(endpoint), settings.S3_BUCKET) if is_on() else ""


class Named(TypedDict):
    """What names an object in a request."""

    Bucket: str
    Key: str


def name(key: str) -> Named:
    """Return what names an object in a request; `S3_PREFIX` stands before every key."""
    return {"Bucket": settings.S3_BUCKET, "Key": settings.S3_PREFIX + key}


def put_file(path: Path, key: str, sha256: str) -> None:
    """Store a file under a key; the bucket verifies its SHA-256 (hex)."""
    with path.open("rb") as body, answering():
        client().put_object(Body=body, ChecksumSHA256=checksum(sha256), **name(key))


def fetch(key: str, *, limit: int | None = None) -> Iterator[bytes]:
    """Yield an object's bytes. Raises FileNotFoundError, BucketUnavailable, also midway."""
    with answering():
        answer = client().get_object(**name(key))
        size, seen = answer["ContentLength"], 0
        if limit is not None and size > limit:
            raise BucketUnavailable("TooLarge")
        for chunk in answer["Body"].iter_chunks(CHUNK):
            seen += len(chunk)
            yield chunk
        if seen != size:
            raise BucketUnavailable("IncompleteBody")


def fetch_slice(key: str, offset: int, size: int) -> Iterator[bytes]:
    """Yield `size` bytes of an object from `offset` on. Raises FileNotFoundError, BucketUnavailable."""
    with answering():
        wanted = f"bytes={offset}-{offset + size - 1}"
        answer = client().get_object(Range=wanted, **name(key))
        seen = 0
        for chunk in answer["Body"].iter_chunks(CHUNK):
            seen += len(chunk)
            yield chunk
        if seen != size:
            raise BucketUnavailable("IncompleteBody")


def size_of(key: str) -> int | None:
    """Return an object's size in bytes, None without one."""
    try:
        with answering():
            return int(client().head_object(**name(key))["ContentLength"])
    except FileNotFoundError:
        return None


def remove(key: str) -> None:
    """Remove an object; one that is not there is as good."""
    with answering():
        client().delete_object(**name(key))


def probe() -> None:
    """Write, read and remove a small object. Raises OSError when the bucket does not do all of it."""
    key, body = f"probes/{secrets.token_hex(8)}", b"x"
    with answering():
        client().put_object(Body=body, **name(key))
    if b"".join(fetch(key)) != body:
        raise BucketUnavailable("ProbeChanged")
    remove(key)


def listed(operation: Any, prefix: str, member: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of every page of a listing below a prefix."""
    with answering():
        pages = client().get_paginator(operation)
        for page in pages.paginate(Bucket=settings.S3_BUCKET, Prefix=settings.S3_PREFIX + prefix):
            yield from page.get(member, [])


def key_in(entry: dict[str, Any]) -> str:
    """Return the key, without our prefix, of an entry of a listing."""
    return str(entry["Key"]).removeprefix(settings.S3_PREFIX)


def checksum(sha256: str) -> str:
    """Return a SHA-256 (hex) as the protocol writes it."""
    return base64.b64encode(bytes.fromhex(sha256)).decode()


@contextmanager
def answering() -> Iterator[None]:
    """Turn the library's errors into OSErrors, and tell the operator what only they can mend."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", "Unknown"))
        if code in MISSING:
            raise FileNotFoundError(code) from error
        if code in FOR_OPERATORS:
            reason = FOR_OPERATORS[code]
            log.error("bucket.refused", extra={"code": code, "reason": reason})  # noqa: TRY400
        raise BucketUnavailable(code) from error
    except BotoCoreError as error:
        raise BucketUnavailable(type(error).__name__) from error


def _identity(endpoint: str) -> tuple[str, ...]:
    return (
        endpoint,
        settings.S3_REGION,
        settings.S3_ACCESS_KEY,
        settings.S3_SECRET_KEY,
        settings.S3_ADDRESSING,
    )


@lru_cache(maxsize=8)
def _origin(identity: tuple[str, ...], bucket: str) -> str:
    link = _client(identity).generate_presigned_url(
        "get_object", Params={"Bucket": bucket, "Key": "x"}
    )
    parts = urlsplit(link)
    return f"{parts.scheme}://{parts.netloc}"


@lru_cache(maxsize=8)
def _client(
    identity: tuple[str, ...], *, read_seconds: int = READ_SECONDS, attempts: int = ATTEMPTS
) -> S3Client:
    # Loaded here: an installation without a bucket does without them.
    import boto3  # noqa: PLC0415
    from botocore.config import Config  # noqa: PLC0415

    endpoint, region, access, secret, addressing = identity
    config = Config(
        signature_version="s3v4",
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        s3={"addressing_style": cast("Literal['auto', 'path', 'virtual']", addressing)},
        # Checksums are given where they matter; not every bucket knows the newer defaults.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return boto3.session.Session().client(
        "s3",
        endpoint_url=endpoint or None,
        region_name=region,
        aws_access_key_id=access,
        aws_secret_access_key=secret,
        config=config,
    )
