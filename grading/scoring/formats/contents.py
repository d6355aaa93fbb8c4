"""What a file really is, told by its first bytes and not by its name."""

from __future__ import annotations

import re
import zlib
from enum import StrEnum

_TAR_MARK = slice(257, 262)


class Family(StrEnum):
    """What sort of thing a file is, as far as the answer to its sender goes."""

    ARCHIVE = "archive"
    AUDIO = "audio"
    OTHER = "other"


_SIGNATURES: tuple[tuple[bytes, Family, str], ...] = (
    (b"\x1f\x8b", Family.ARCHIVE, "gzip"),
    (b"BZh", Family.ARCHIVE, "bzip2"),
    (b"\xfd7zXZ\x00", Family.ARCHIVE, "xz"),
    (b"7z\xbc\xaf\x27\x1c", Family.ARCHIVE, "7z"),
    (b"Rar!\x1a\x07", Family.ARCHIVE, "rar"),
    (b"\x28\xb5\x2f\xfd", Family.ARCHIVE, "zstd"),
    (b"\x04\x22\x4d\x18", Family.ARCHIVE, "lz4"),
    (b"MSCF\0\0\0\0", Family.ARCHIVE, "cab"),
    (b"LZIP", Family.ARCHIVE, "lzip"),
    (b"ID3", Family.AUDIO, "MP3"),
    (b"\xff\xfb", Family.AUDIO, "MP3"),
    (b"\xff\xf3", Family.AUDIO, "MP3"),
    (b"\xff\xf2", Family.AUDIO, "MP3"),
    (b"\xff\xf1", Family.AUDIO, "AAC"),
    (b"fLaC", Family.AUDIO, "FLAC"),
    (b"OggS", Family.AUDIO, "Ogg"),
    (b".snd", Family.AUDIO, "AU"),
    (b"caff\0", Family.AUDIO, "CAF"),
    (b"#!AMR", Family.AUDIO, "AMR"),
    (b"NIST_1A", Family.AUDIO, "NIST SPHERE"),
    (b"\x1a\x45\xdf\xa3", Family.AUDIO, "WebM or Matroska"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Family.AUDIO, "WMA"),
    (b"%PDF-", Family.OTHER, "PDF"),
    (b"\x89PNG", Family.OTHER, "PNG image"),
    (b"\xff\xd8\xff", Family.OTHER, "JPEG image"),
    (b"GIF8", Family.OTHER, "GIF image"),
    (b"\xd0\xcf\x11\xe0", Family.OTHER, "old Office document (xls, doc)"),
    (b"PAR1", Family.OTHER, "Parquet"),
    (b"ARROW1", Family.OTHER, "Arrow"),
    (b"\x89HDF", Family.OTHER, "HDF5"),
    (b"\x93NUMPY", Family.OTHER, "NumPy array"),
    (b"SQLite format 3\0", Family.OTHER, "SQLite database"),
    (b"\x7fELF", Family.OTHER, "program"),
    (b"version https://git-lfs", Family.OTHER, "Git LFS pointer"),
)
_RIFF = {b"RIFF", b"RIFX", b"RF64", b"BW64"}
_HTML = re.compile(rb"\s*+(?:<!doctype\s+html|<html|<head|<body)", re.IGNORECASE)
_XML = re.compile(rb"\s*+<\?xml")
_PICKLE = re.compile(rb"\x80[\x02-\x05][\x00-\xff]{2}")


def recognize(data: bytes) -> tuple[Family, str] | None:
    """Return the family and common name of a file that cannot be text of ours, else None.

    A zip archive is not told here.

    >>> recognize(b"<!DOCTYPE html><title>Sign in</title>")
    (<Family.OTHER: 'other'>, 'HTML page')
    """
    for mark, family, name in _SIGNATURES:
        if data.startswith(mark):
            return family, f"{name} (tar)" if name == "gzip" and _holds_tar(data) else name
    if data[:4] in _RIFF and data[8:12] == b"WAVE":
        return Family.AUDIO, "WAV"
    if data[:4] == b"FORM" and data[8:12] in {b"AIFF", b"AIFC"}:
        return Family.AUDIO, "AIFF"
    if data[4:8] == b"ftyp":
        return Family.AUDIO, "MP4 or M4A"
    if data[_TAR_MARK] == b"ustar":
        return Family.ARCHIVE, "tar"
    return _document(data)


def _document(data: bytes) -> tuple[Family, str] | None:
    head = data[:1024].removeprefix(b"\xef\xbb\xbf")
    for pattern, name in ((_HTML, "HTML page"), (_XML, "XML file"), (_PICKLE, "Python pickle")):
        if pattern.match(head):
            return Family.OTHER, name
    return None


def _holds_tar(data: bytes) -> bool:
    """Look into the first block of a gzip stream for the mark of a tar archive."""
    try:
        head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data[:65_536], 512)
    except zlib.error:
        return False
    return head[_TAR_MARK] == b"ustar"
