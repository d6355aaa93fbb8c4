"""File systems of a proof's own: small ones that are soon full, and ones that can be made to hang."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def may_mount() -> bool:
    """Return whether a file system can be mounted."""
    return os.geteuid() == 0


@contextmanager
def small_disk(folder: Path, mebibytes: int) -> Iterator[Path]:
    """Give a file system of its own, in memory. Needs root."""
    folder.mkdir()
    options = f"size={mebibytes}m,mode=711"
    _run("mount", "-t", "tmpfs", "-o", options, "plaudit-proof", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "--lazy", str(folder))


@contextmanager
def freezable_disk(folder: Path, mebibytes: int) -> Iterator[Path]:
    """Give a file system of its own that `frozen` can stop. Needs root, ext4 and a loop device."""
    folder.mkdir()
    image = folder.with_suffix(".image")
    with image.open("wb") as file:
        file.truncate(mebibytes * 2**20)
    _run("mkfs.ext4", "-q", "-m", "0", str(image))
    _run("mount", "-o", "loop", str(image), str(folder))
    try:
        yield folder
    finally:
        with suppress(subprocess.CalledProcessError):  # it is not frozen, mostly
            _run("fsfreeze", "--unfreeze", str(folder))
        _run("umount", "--lazy", str(folder))
        image.unlink()


@contextmanager
def frozen(folder: Path) -> Iterator[None]:
    """Let every write to the file system hang while inside, as a disk that does not answer."""
    _run("fsfreeze", "--freeze", str(folder))
    try:
        yield
    finally:
        _run("fsfreeze", "--unfreeze", str(folder))


def keep_full(folder: Path, seconds: float) -> None:
    """Fill a file system to its last byte again and again for so long, whatever others free."""
    until = time.monotonic() + seconds
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            while time.monotonic() < until:
                _fill(file.fileno())
                time.sleep(0.02)
    finally:
        ballast.unlink()


def _fill(handle: int) -> None:
    for size in (1 << 20, 1 << 12, 1):
        with suppress(OSError):
            while os.write(handle, b"x" * size):
                pass


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
