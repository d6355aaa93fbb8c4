"""A scorer's process that misbehaves as its job says: run as `python -m tests.grading.naughty`."""

from __future__ import annotations

import os
import signal
import sys
import time

from grading import sandbox


def hang(job, progress):
    progress(1, 10)
    time.sleep(600)


def spin(job, progress):
    while True:
        pass


def eat(job, progress):
    hoard = []
    while True:
        hoard.append(bytearray(b"x" * (1 << 24)))


def die(job, progress):
    os.kill(os.getpid(), signal.SIGKILL)


def leave(job, progress):
    os._exit(3)


def fail(job, progress):
    raise ValueError("the zyzzyva crawled up the wall")


def talk(job, progress):
    print("a stray line")  # noqa: T201
    sys.stdout.flush()
    progress(1, 2)
    progress(2, 2)
    return {"big": "x" * 300_000}


def nan(job, progress):
    return {"score": float("nan")}


def tell_pid(job, progress):
    progress(os.getpid(), 0)
    time.sleep(600)


sandbox.DOERS = {
    one.__name__: one for one in (hang, spin, eat, die, leave, fail, talk, nan, tell_pid)
}

if __name__ == "__main__":
    sys.exit(sandbox.main())
