"""The world of the tests against a real server, in a process of its own.

Reads a command a line, as JSON, on the database that the environment names, and answers each.
"""

from __future__ import annotations

import hashlib
import json
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.enums import TokenScope  # noqa: E402
from accounts.models import AuditEvent, Team, User  # noqa: E402
from accounts.services import audit, tokens  # noqa: E402
from competition.models import EntrantMember, Phase  # noqa: E402
from grading import storage  # noqa: E402
from grading.enums import RatingForm, SubmissionState  # noqa: E402
from grading.models import (  # noqa: E402
    Evaluation,
    QuotaEntry,
    Rating,
    Standing,
    Submission,
    Waveform,
)
from grading.services import doorbell, recipes, waveforms  # noqa: E402
from grading.services.ratings import delivery  # noqa: E402
from tests.factories.accounts import PASSWORD, UserFactory  # noqa: E402
from tests.factories.grading import Arena, enter, make_arena, references  # noqa: E402
from tests.factories.hearing import SMALL  # noqa: E402
from tests.factories.listening import make_listening  # noqa: E402
from tests.factories.speech import make_speech_arena  # noqa: E402

Command = Callable[..., dict[str, Any]]
ONCE = ("submission.received", "submission.accepted", "submission.rejected", "evaluation.scored")
CASES = Path(__file__).resolve().parents[1] / "cases"


def prepare() -> dict[str, Any]:
    """Make the handed cases' challenge with two teams; return addresses and tokens."""
    call_command("migrate", verbosity=0)
    now = timezone.now()
    arena = make_arena(utterances=1, now=now)
    _phase(arena, "cases", closes_at=now + timedelta(days=10))
    _, rival = enter(arena.competition, "Team Rival")
    others = [enter(arena.competition)[1] for _ in range(4)]
    base = f"/competitions/{arena.competition.slug}/tracks/understanding"
    return {
        "slug": arena.competition.slug,
        "pages": base,
        "api": f"/api/v1{base}/phases",
        "email": arena.captain.email,
        "password": PASSWORD,
        "token": token_of(arena.captain),
        "rival_token": token_of(rival),
        "tokens": [token_of(user) for user in others],
        "team": arena.entrant.team.code,
    }


def closing(seconds: str) -> dict[str, Any]:
    """Make a phase that closes that many seconds from now; return its slug."""
    track = Phase.objects.get(slug="cases").track
    arena = Arena(track.competition, track, None, None, None, {})
    slug = f"closing-{Phase.objects.count()}"
    _phase(arena, slug, closes_at=timezone.now() + timedelta(seconds=float(seconds)))
    return {"phase": slug}


def state() -> dict[str, Any]:
    """Return what the database holds of uploads, quota, scores and teams."""
    submissions = Submission.objects.order_by("pk").values_list("code", "phase__slug", "state")
    evaluations = Evaluation.objects.order_by("pk").values_list("submission__code", "state")
    quota = QuotaEntry.objects.order_by("pk").values_list("submission__code", "state")
    standings = Standing.objects.filter(view="", audience="public")
    return {
        "submissions": list(submissions),
        "evaluations": list(evaluations),
        "quota": list(quota),
        "standings": list(standings.values_list("evaluation__submission__code", flat=True)),
        "filenames": list(Submission.objects.order_by("pk").values_list("filename", flat=True)),
        "teams": list(Team.objects.order_by("pk").values_list("name", flat=True)),
        "reasons": list(Submission.objects.exclude(failure_code="").values_list("code", flat=True)),
        "doubled": list(_doubled()),
        "log_holds": audit.verify().ok,
    }


def ring(code: str, times: str) -> dict[str, Any]:
    """Deliver the messages of one submission again and again, as a broker may."""
    submission = Submission.objects.get(code=code)
    for _ in range(int(times)):
        doorbell.ring(doorbell.VALIDATE, submission.pk)
        for evaluation in Evaluation.objects.filter(submission=submission):
            doorbell.ring(doorbell.EVALUATE, evaluation.pk)
    return {}


def listening() -> dict[str, Any]:
    """Make a rating with a clip open; return where its sound is, the rater's cookie, and its bytes."""
    now = timezone.now()
    made = make_listening(now=now, systems=2, **SMALL)
    rater = made.rater(now=now)
    task = made.open_task(rater, now=now, delivered=False)
    cookie = logged_in(rater.user)
    key = cookie.partition("=")[2]
    token = delivery.grant(session=task.session, login=key, task=task, now=now)
    with storage.local_copy(task.stimulus.storage_key) as path:
        data = path.read_bytes()
    return {"path": f"/rate/audio/{token}/", "cookie": cookie, "hex": data.hex()}


def sounds() -> dict[str, Any]:
    """Make a phase for clips for each list of ids of the handed cases; return who sends where."""
    now = timezone.now()
    many = {"quota_per_day": 2000, "quota_total": 2000}
    return {
        name: _place_for_clips(make_speech_arena(_ids(name), now=now, **many))
        for name in ("ref/track2_ids.json", "ref/track2_unicode_ids.json")
    }


def _ids(name: str) -> list[str]:
    ids: list[str] = json.loads((CASES / name).read_text("utf-8"))
    return ids


def _place_for_clips(arena: Arena) -> dict[str, str]:
    base = f"/api/v1/competitions/{arena.competition.slug}/tracks/generation/phases/final"
    return {
        "path": f"{base}/submissions/",
        "token": token_of(arena.captain),
        "cookie": logged_in(arena.captain),
    }


def unchecked() -> dict[str, Any]:
    """Return how many uploads no worker has come to the end of."""
    return {"count": Submission.objects.filter(state=SubmissionState.RECEIVED).count()}


def clips() -> dict[str, Any]:
    """Return what is held of each submission of clips, and of every clip that was kept."""
    found = Submission.objects.filter(phase__track__kind="nvv-t2").order_by("pk")
    return {
        "attempts": dict(found.values_list("code", "attempt")),
        "states": dict(found.values_list("code", "state")),
        "clips": {
            one.code: {
                clip.utt_id: _samples(clip.waveform)
                for clip in one.clips.select_related("waveform")
            }
            for one in found
        },
        "stored": sorted(Waveform.objects.values_list("sha256", flat=True)),
    }


def _samples(waveform: Waveform) -> dict[str, Any]:
    content = waveforms.read_bytes(waveform)
    return {
        "frames": waveform.frames,
        "sha256": waveform.sha256,
        "is_whole": hashlib.sha256(content).hexdigest() == waveform.sha256,
    }


def marking() -> dict[str, Any]:
    """Make a rating of one mark with clips of the rater, of another one, of the own team, of elsewhere."""
    before = timezone.now() - timedelta(minutes=2)
    made = make_listening(now=before, form=RatingForm.MOS, systems=2, **SMALL)
    apart = make_listening(now=before, form=RatingForm.MOS, systems=2, **SMALL)
    rater = made.rater(now=before)
    tasks = {
        "mine": made.open_task(rater, now=before),
        "another rater": made.open_task(made.rater(now=before), now=before),
        "elsewhere": apart.open_task(apart.rater(rater.user, now=before), now=before),
    }
    # of another domain: who shares one with an entrant may not rate it either
    mate = UserFactory(email=f"mate@{apart.competition.slug}.example.net")
    teammate = made.rater(mate, now=before)
    tasks["own team"] = made.open_task(teammate, now=before)
    entrant = tasks["own team"].stimulus.system.submission.entrant
    EntrantMember.objects.create(
        entrant=entrant, competition=entrant.competition, user=teammate.user, joined_at=before
    )
    return {
        "place": f"/rate/{rater.code}/",
        "cookie": logged_in(rater.user),
        "team_place": f"/rate/{teammate.code}/",
        "team_cookie": logged_in(teammate.user),
        "tasks": {name: task.code for name, task in tasks.items()},
    }


def ratings(*codes: str) -> dict[str, Any]:
    """Return the marks that each of these clips has."""
    found = Rating.objects.filter(task__code__in=codes).select_related("task")
    given = {code: [one.marks for one in found if one.task.code == code] for code in codes}
    return {
        code: [{name: mark for name, mark in one.items() if mark is not None} for one in many]
        for code, many in given.items()
    }


def logged_in(user: User) -> str:
    """Return the cookie of a new log-in of a person."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


def _doubled() -> Iterator[tuple[str, int]]:
    """Yield what may happen once to a submission and was logged more often."""
    events = AuditEvent.objects.filter(kind__in=ONCE).values_list("kind", "target")
    for (kind, target), count in Counter(events).items():
        if count > 1:
            yield f"{kind} {target}", count


def _phase(arena: Arena, slug: str, **fields: Any) -> Phase:
    lines = (CASES / "ref" / "track1_reference.jsonl").read_text().splitlines()
    known = [json.loads(line) for line in lines]
    rows = {row["utt_id"]: (row["language"], row["text_with_nvvs"]) for row in known}
    now = timezone.now()
    phase = Phase.objects.create(
        track=arena.track,
        slug=slug,
        references=references(arena.track, rows, now, name=slug),
        opens_at=now - timedelta(days=1),
        quota_per_day=2000,
        quota_total=20000,
        **fields,
    )
    recipes.ensure_live(phase=phase, now=now)
    return phase


def token_of(user: User) -> str:
    """Return a new token of a person, for everything."""
    scopes: list[Any] = list(TokenScope)
    return tokens.create_token(actor=user, name="test", scopes=scopes, now=timezone.now())[1]


COMMANDS = {
    "prepare": prepare,
    "closing": closing,
    "state": state,
    "ring": ring,
    "listening": listening,
    "sounds": sounds,
    "unchecked": unchecked,
    "clips": clips,
    "marking": marking,
    "ratings": ratings,
}


def answer(commands: Mapping[str, Command], line: str) -> str:
    """Return the answer to one line of JSON, a command with its arguments, as a line of JSON."""
    command, *arguments = json.loads(line)
    try:
        return json.dumps({"answer": commands[command](*arguments)})
    except Exception:
        return json.dumps({"trouble": traceback.format_exc()})
    finally:
        connections.close_all()


def serve(commands: Mapping[str, Command], source: IO[str], sink: IO[str]) -> None:
    """Answer every line until there are no more."""
    for line in source:
        sink.write(f"{answer(commands, line)}\n")
        sink.flush()


if __name__ == "__main__":
    serve(COMMANDS, sys.stdin, sys.stdout)
