"""The demo's entrants upload their files to the running server and wait for the worker's scores.

What the server has already is not sent again, so that it may be stopped anywhere and run again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import zip_longest

from django.db.models import F

from accounts.enums import TokenScope
from accounts.models import ApiToken, User
from accounts.services import tokens
from grading.demo.api_client import SETTLED, Api, Destination, UploadError
from grading.demo.contents import file_content
from grading.demo.entrants import ENTRANTS, Entrant, Upload
from grading.demo.people import captain_of, everybody
from grading.demo.prepare import FOLDER, SLUG
from grading.enums import EvaluationState, SubmissionState
from grading.models import Board, Evaluation, Submission

TRACK = "understanding"
TOKEN_NAME = "Demo uploads"  # noqa: S105  a label, not a secret
POLL_SECONDS = 0.5
STALL_SECONDS = 300.0
Show = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Task:
    """One upload of one entrant, how its bytes are made, and the submission it became, if it did."""

    email: str
    destination: Destination
    filename: str
    system: str
    content: Callable[[], bytes]
    code: str | None


def upload_all(api: Api, *, now: datetime, show: Show) -> int:
    """Send what is missing of Track 1, wait until all is settled and on the board.

    Returns how many were sent. `show` is called with what is being done, how many are done, and of
    how many. Raises UploadError when the server refuses a file, or ends nothing of anybody's for
    five minutes.
    """
    return send_all(api, list(open_tasks()), now=now, show=show)


def send_all(
    api: Api,
    tasks: Sequence[Task],
    *,
    now: datetime,
    show: Show,
    settled: Collection[str] = SETTLED,
) -> int:
    """Send what was not sent and wait until all are at one of the stages `settled`.

    Returns how many were sent.
    """
    revoke_tokens(now)
    secrets = {email: _new_token(email, now) for email in sorted({task.email for task in tasks})}
    try:
        codes = [_send(api, secrets[task.email], task) for task in _told(tasks, show)]
        _follow(
            api,
            {code: secrets[task.email] for code, task in zip(codes, tasks, strict=True)},
            show,
            settled,
        )
    finally:
        revoke_tokens(now)
    await_boards()
    return sum(task.code is None for task in tasks)


def open_tasks() -> Iterator[Task]:
    """Yield the uploads that were not sent or have no final state: everybody's first, then second …"""
    references = {
        phase: (FOLDER / "references" / f"{phase}.jsonl").read_bytes() for phase in ("dev", "final")
    }
    for entrant, upload in _in_turn(ENTRANTS):
        content = file_content(upload, references)
        sent = _sent(entrant, upload, sha256(content).hexdigest())
        if sent is None or not is_settled(sent):
            yield Task(
                captain_of(entrant).email,
                Destination(SLUG, TRACK, upload.phase),
                upload.filename,
                upload.profile.system,
                partial(bytes, content),
                sent.code if sent is not None else None,
            )


def is_settled(submission: Submission) -> bool:
    """Return whether the worker has nothing left to do for the submission."""
    if submission.state == SubmissionState.RECEIVED:
        return False
    open_states = (EvaluationState.QUEUED, EvaluationState.RUNNING)
    return not submission.evaluations.filter(state__in=open_states).exists()


def revoke_tokens(now: datetime) -> None:
    """Take back the tokens of this run, and those that a killed run has left behind."""
    addresses = [person.email for person in everybody()]
    left = ApiToken.objects.filter(
        name=TOKEN_NAME, revoked_at__isnull=True, user__email__in=addresses
    )
    for token in left.select_related("user"):
        tokens.revoke_token(actor=token.user, token=token, now=now)


def _in_turn(entrants: Sequence[Entrant]) -> Iterator[tuple[Entrant, Upload]]:
    for turn in zip_longest(*(entrant.uploads for entrant in entrants)):
        for entrant, upload in zip(entrants, turn, strict=True):
            if upload is not None:
                yield entrant, upload


def _sent(entrant: Entrant, upload: Upload, content_id: str) -> Submission | None:
    return (
        Submission.objects.filter(
            entrant__competition__slug=SLUG,
            entrant__team__name=entrant.team,
            phase__track__slug=TRACK,
            phase__slug=upload.phase,
            content_id=content_id,
        )
        .exclude(state__in=[SubmissionState.FAILED, SubmissionState.CANCELLED])
        .first()
    )


def _new_token(email: str, now: datetime) -> str:
    user = User.objects.get(email=email)
    scopes = [TokenScope.READ, TokenScope.SUBMIT]
    _, secret = tokens.create_token(actor=user, name=TOKEN_NAME, scopes=scopes, now=now)
    return secret


def _told(tasks: Sequence[Task], show: Show) -> Iterator[Task]:
    for done, task in enumerate(tasks):
        show("uploading", done, len(tasks))
        yield task
    show("uploading", len(tasks), len(tasks))


def _send(api: Api, token: str, task: Task) -> str:
    if task.code is not None:
        return task.code
    return api.upload(
        token,
        task.destination,
        filename=task.filename,
        system=task.system,
        content=task.content(),
    )


def _follow(api: Api, waiting: Mapping[str, str], show: Show, settled: Collection[str]) -> None:
    left, total = dict(waiting), len(waiting)
    ended, stalled_at = _ended_anywhere(), time.monotonic() + STALL_SECONDS
    while left:
        for code in [code for code, token in left.items() if api.stage(token, code) in settled]:
            del left[code]
        show("scored" if settled is SETTLED else "checked", total - len(left), total)
        if ended != (ended := _ended_anywhere()):
            stalled_at = time.monotonic() + STALL_SECONDS
        if left and time.monotonic() > stalled_at:
            raise UploadError(f"no score for five minutes, {len(left)} still wait for the worker")
        if left:
            time.sleep(POLL_SECONDS)


def _ended_anywhere() -> int:
    """Return how much the worker has ended, of whomever: what waits behind others is not stalled."""
    checked = Submission.objects.exclude(state=SubmissionState.RECEIVED)
    scored = Evaluation.objects.filter(finished_at__isnull=False)
    return checked.count() + scored.count()


def await_boards() -> None:
    """Wait until every board of the demo shows all scores. Raises UploadError after five minutes."""
    behind = Board.objects.filter(phase__track__competition__slug=SLUG, built__lt=F("wanted"))
    give_up_at = time.monotonic() + STALL_SECONDS
    while behind.all().exists():
        if time.monotonic() > give_up_at:
            raise UploadError("everything is scored, but the board was not rebuilt")
        time.sleep(POLL_SECONDS)
