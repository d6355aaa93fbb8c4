"""Gives raters links to sounds, and opens what a link leads to."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import NotFound, Refusal
from accounts.services.audit import keyed_hash
from grading import soundcheck, storage
from grading.enums import ProtocolState, TaskState
from grading.models import AudioGrant, RatingSession, RatingTask, Stimulus
from grading.models.audio_grant import new_salt
from grading.models.rating_people import PERSONAL_STATES
from grading.prepared import prepared
from grading.services.ratings import queue, sessions
from grading.services.ratings.queue import Claimed

LIFETIME = timedelta(minutes=30)
EXTENDED_EVERY = timedelta(minutes=1)
"""How exactly the end slides: each request of a player need not write a row."""
KEPT = timedelta(days=1)
TOKEN_BYTES = 16
TOKEN = re.compile(r"[0-9a-f]{32}")
VOLUME = "volume"
AUDIBLE = (TaskState.NEXT, TaskState.OPEN, TaskState.ANSWERED, TaskState.LATE)


class AudioGone(Refusal):
    """The link was good once: its time is up, the log-in is another one, or the task has ended."""

    code = "AUDIO_GONE"
    status = 410


class AudioUnknown(NotFound):
    """There is no such link, or it is somebody else's."""

    code = "AUDIO_UNKNOWN"


class AudioUnavailable(Refusal):
    """The bytes cannot be had at the moment."""

    code = "STORAGE_UNAVAILABLE"
    status = 503


def trial_name(round_number: int, trial: int) -> str:
    """Return what a trial of the headphones check is called here; both as `sessions` numbers them."""
    return f"{round_number}:{trial}"


def grant(
    *,
    session: RatingSession,
    login: str,
    now: datetime,
    task: RatingTask | None = None,
    stimulus: Stimulus | None = None,
    check_sound: str = "",
    part: int = 0,
) -> str:
    """Return the token of a link to one sound, good for 30 minutes and as long as it is used.

    `login` is the key of the log-in's session; `part` says which sound of a task's pair. The same sound asked for again in the same log-in
    keeps its link while that is good, so that a page loaded anew does not fetch it again.
    """
    if task is not None:
        # A task that was left comes again in another sitting: its link moves along.
        wanted: dict[str, object] = {"task": task, "login": keyed_hash(login), "part": part}
        rest: dict[str, object] = {"session": session, "stimulus": task.sounds[part]}
    else:
        wanted = {
            "session": session,
            "task": None,
            "stimulus": stimulus,
            "check_sound": check_sound,
            "login": keyed_hash(login),
        }
        rest = {}
    found = AudioGrant.objects.filter(**wanted).first() or _made(wanted, rest, now)
    if not _is_good(found, session, now):
        found = _renewed(found, session, now)
    return token_of(found.salt)


@dataclass(frozen=True, slots=True)
class Served:
    """What a rater has, and the tokens of the links to its sounds by the task's id, in their order."""

    claimed: Claimed
    tokens: Mapping[int, tuple[str, ...]]


def serve(*, actor: User, session: RatingSession, login: str, now: datetime) -> Served:
    """Claim what comes next and give the links to its sounds, all in one transaction.

    Refuses what `queue.claim` refuses.
    """
    with transaction.atomic():
        claimed = queue.claim_inside(actor=actor, session=session, now=now)
        tasks = [task for task in (claimed.open, claimed.ahead) if task is not None]
        tokens = _grants(session, tasks, login, now) if tasks else {}
    return Served(claimed, tokens)


def _grants(
    session: RatingSession, tasks: Sequence[RatingTask], login: str, now: datetime
) -> dict[int, tuple[str, ...]]:
    """Return the tokens of these tasks; under the rater's lock no other tab makes them as well."""
    key = keyed_hash(login)
    found = {
        (one.task_id, one.part): one if _is_good(one, session, now) else _renewed(one, session, now)
        for one in _granted([task.pk for task in tasks], key)
    }
    sounds = {
        (task.pk, part): {"task": task, "part": part, "stimulus": sound}
        for task in tasks
        for part, sound in enumerate(task.sounds)
    }
    made = [
        _new({"session": session, "login": key, **fields}, now)
        for place, fields in sounds.items()
        if place not in found
    ]
    if made:
        AudioGrant.objects.bulk_create(made)
    found |= {(one.task_id, one.part): one for one in made}
    return {
        task.pk: tuple(token_of(found[place].salt) for place in sounds if place[0] == task.pk)
        for task in tasks
    }


@prepared
def _granted(tasks: Sequence[int], login: str) -> QuerySet[AudioGrant]:
    return AudioGrant.objects.filter(task__in=tasks, login=login)


def token_of(salt: str) -> str:
    """Return the 128-bit token, in hex, that a salt stands for under the server's secret."""
    mac = salted_hmac("grading.audio_grant", salt, algorithm="sha256").digest()
    return mac[:TOKEN_BYTES].hex()


def redeem(*, token: str, actor: User, login: str, now: datetime) -> AudioGrant:
    """Return the grant of a link that is followed, its end put off.

    Refuses AudioUnknown (no link, or another person's), AudioGone.
    """
    if not TOKEN.fullmatch(token):
        raise AudioUnknown(_("There is no such sound."))
    found = _to_be_heard.first(_digest(token), actor.pk)
    if found is None:
        raise AudioUnknown(_("There is no such sound."))
    if found.expires_at <= now or found.login != keyed_hash(login) or not _is_audible(found):
        raise AudioGone(_("This sound’s link has ended. Load the page anew."))
    if found.expires_at < now + LIFETIME - EXTENDED_EVERY:
        AudioGrant.objects.filter(pk=found.pk).update(expires_at=now + LIFETIME)
    return found


@prepared
def _to_be_heard(digest: str, user: int) -> QuerySet[AudioGrant]:
    grants = AudioGrant.objects.filter(token_digest=digest, session__rater__user=user)
    return grants.select_related("session__rater__protocol", "stimulus", "task")


def entity_tag(token: str) -> str:
    """Return the strong entity tag of a link's sound: of the link, so that equal sounds differ."""
    return f'"{hashlib.sha256(f"etag:{token}".encode()).hexdigest()[:32]}"'


@contextmanager
def opened(granted: AudioGrant) -> Iterator[tuple[IO[bytes], int]]:
    """Give a file with the sound, at its beginning, and its size, while inside.

    Refuses AudioUnavailable while storage does not answer.
    """
    if granted.stimulus is None:
        data = _check_sound(granted)
        yield io.BytesIO(data), len(data)
        return
    try:
        with storage.local_copy(granted.stimulus.storage_key) as path, path.open("rb") as file:
            yield file, granted.stimulus.size or 0
    except (OSError, storage.BytesMissing, ValueError) as error:
        text = _("The sound cannot be read at the moment. Please try again.")
        raise AudioUnavailable(text, retry_after=5) from error


def forget_old(*, now: datetime) -> int:
    """Remove links that ended over a day ago; return how many."""
    return AudioGrant.objects.filter(expires_at__lt=now - KEPT).delete()[0]


def _check_sound(granted: AudioGrant) -> bytes:
    if granted.check_sound == VOLUME:
        return soundcheck.volume_sound()
    session = granted.session
    round_number, number = map(int, granted.check_sound.split(":"))
    due = {one.number: one for one in sessions.trials(session=session)}
    if round_number != sessions.check_round(session) or number not in due:
        raise AudioGone(_("This sound’s link has ended. Load the page anew."))
    seed = f"{session.check_seed}:{granted.check_sound}"
    return soundcheck.trial_sound(due[number].quietest, seed)


def _is_audible(granted: AudioGrant) -> bool:
    rater = granted.session.rater
    if rater.state not in PERSONAL_STATES or rater.protocol.state != ProtocolState.OPEN:
        return False
    return granted.task is None or granted.task.state in AUDIBLE


def _is_good(grant: AudioGrant, session: RatingSession, now: datetime) -> bool:
    return grant.expires_at > now and grant.session_id == session.pk


def _new(fields: Mapping[str, object], now: datetime) -> AudioGrant:
    salt = new_salt()
    return AudioGrant(
        **fields,
        salt=salt,
        token_digest=_digest(token_of(salt)),
        made_at=now,
        expires_at=now + LIFETIME,
    )


def _made(wanted: dict[str, object], rest: dict[str, object], now: datetime) -> AudioGrant:
    made = _new({**wanted, **rest}, now)
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError:  # another tab asked in the same moment
        return AudioGrant.objects.get(**wanted)
    return made


def _renewed(old: AudioGrant, session: RatingSession, now: datetime) -> AudioGrant:
    salt = new_salt()
    AudioGrant.objects.filter(pk=old.pk, salt=old.salt).update(
        session=session,
        salt=salt,
        token_digest=_digest(token_of(salt)),
        made_at=now,
        expires_at=now + LIFETIME,
    )
    old.refresh_from_db()
    return old


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
