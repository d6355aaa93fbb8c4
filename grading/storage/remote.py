"""Uploads in a bucket. Every key is used once, so that removing one never meets a new upload."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from competition import bucket
from grading.storage.base import UPLOADS, Assembly, Leftover, Link, Part, Watch, key_of
from grading.storage.refusals import BytesMissing, NotBegunHere
from grading.storage.spooling import Spooled, temporary

LINK_SECONDS = 3600


class BucketStore:
    """Parts go from their sender to the bucket, by links that sign their size and SHA-256."""

    def publish(self, spooled: Spooled) -> str:
        """Store a temporary file under a key of its own."""
        key = key_of(spooled.content_id, secrets.token_hex(8))
        bucket.put_file(spooled.path, key, spooled.sha256)
        return key

    @contextmanager
    def local_copy(self, key: str, watch: Watch) -> Iterator[Path]:
        """Stream the object to a temporary file, which is gone afterwards."""
        size = self._size(key)
        watch(0, size)
        with temporary() as path:
            done = 0
            with path.open("xb") as target:
                for chunk in bucket.fetch(key, limit=size):
                    target.write(chunk)
                    done += len(chunk)
                    watch(done, size)
            yield path

    def exists(self, key: str) -> bool:
        """Return whether the object is there."""
        return bool(key) and bucket.size_of(key) is not None

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """Yield the keys of objects that were stored before `moment`."""
        for entry in bucket.listed("list_objects_v2", UPLOADS + "/", "Contents"):
            if entry["LastModified"] < moment:
                yield bucket.key_in(entry)

    def remove_before(self, key: str, moment: datetime) -> bool:
        """Remove the object; its key is never stored again."""
        if not self.exists(key):
            return False
        bucket.remove(key)
        return True

    def begin(self, key: str) -> str:
        """Begin a multipart upload; return its id."""
        with bucket.answering():
            begun = bucket.client().create_multipart_upload(
                ChecksumAlgorithm="SHA256", **bucket.name(key)
            )
        return begun["UploadId"]

    def link(self, assembly: Assembly, part: Part) -> Link | None:
        """Return a link, good for an hour, that takes these bytes and no others."""
        digest = bucket.checksum(part.sha256)
        params = {
            **_named(assembly),
            "PartNumber": part.number,
            "ContentLength": part.size,
            "ChecksumSHA256": digest,
        }
        url = bucket.public_client().generate_presigned_url(
            "upload_part", Params=params, ExpiresIn=LINK_SECONDS
        )
        return Link(url, {"x-amz-checksum-sha256": digest})

    def present(self, assembly: Assembly) -> set[int] | None:
        """Return the parts that the bucket has, all of them once they were put together."""
        try:
            found = self._parts(assembly)
        except FileNotFoundError:
            if bucket.size_of(assembly.key) != assembly.size:
                raise NotBegunHere from None
            return {part.number for part in assembly.parts}
        return {part.number for part in assembly.parts if _fits(found.get(part.number), part)}

    def write_part(self, assembly: Assembly, part: Part, content: Iterator[bytes]) -> None:
        """Hand a part on to the bucket: its link was given when uploads still lay on local disk."""
        if not assembly.handle:
            raise NotBegunHere
        with bucket.answering():
            bucket.client().upload_part(
                Body=b"".join(content),
                PartNumber=part.number,
                ChecksumSHA256=bucket.checksum(part.sha256),
                **_named(assembly),
            )

    def assemble(self, assembly: Assembly) -> None:
        """Complete the multipart upload; done before, nothing is left to do."""
        try:
            tags = self._parts(assembly)
            if any(not _fits(tags.get(part.number), part) for part in assembly.parts):
                raise BytesMissing
            self._complete(assembly, tags)
        except FileNotFoundError:
            if bucket.size_of(assembly.key) != assembly.size:
                raise BytesMissing from None

    def discard(self, assembly: Assembly) -> None:
        """Abort the multipart upload and remove what was made of it."""
        self.discard_leftover(Leftover(assembly.code, assembly.handle, assembly.key))
        bucket.remove(assembly.key)

    def unfinished(self, moment: datetime) -> Iterator[Leftover]:
        """Yield the multipart uploads that were begun before `moment`."""
        for entry in bucket.listed("list_multipart_uploads", UPLOADS + "/", "Uploads"):
            if entry["Initiated"] < moment:
                key = bucket.key_in(entry)
                yield Leftover(key.rpartition(".")[2], str(entry["UploadId"]), key)

    def discard_leftover(self, leftover: Leftover) -> None:
        """Abort one multipart upload; one without a handle was begun on local disk."""
        if not leftover.handle:
            return
        with suppress(FileNotFoundError), bucket.answering():
            bucket.client().abort_multipart_upload(
                UploadId=leftover.handle, **bucket.name(leftover.key)
            )

    @staticmethod
    def _size(key: str) -> int:
        size = bucket.size_of(key)
        if size is None:
            raise BytesMissing
        return size

    @staticmethod
    def _parts(assembly: Assembly) -> dict[int, dict[str, Any]]:
        if not assembly.handle:
            raise FileNotFoundError(assembly.code)
        with bucket.answering():
            pages = bucket.client().get_paginator("list_parts").paginate(**_named(assembly))
            return {
                part["PartNumber"]: dict(part) for page in pages for part in page.get("Parts", [])
            }

    @staticmethod
    def _complete(assembly: Assembly, tags: dict[int, dict[str, Any]]) -> None:
        parts: Any = [
            {
                "PartNumber": part.number,
                "ETag": tags[part.number]["ETag"],
                "ChecksumSHA256": bucket.checksum(part.sha256),
            }
            for part in assembly.parts
        ]
        with bucket.answering():
            bucket.slow_client().complete_multipart_upload(
                MultipartUpload={"Parts": parts}, **_named(assembly)
            )


def _named(assembly: Assembly) -> dict[str, Any]:
    return {**bucket.name(assembly.key), "UploadId": assembly.handle}


def _fits(found: dict[str, Any] | None, part: Part) -> bool:
    """Return whether the bucket's entry is the part; not every bucket tells the checksum."""
    if found is None or found["Size"] != part.size:
        return False
    return found.get("ChecksumSHA256") in (None, bucket.checksum(part.sha256))
