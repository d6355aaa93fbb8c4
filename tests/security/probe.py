"""The world of the tests against a real server, in a process of its own.

Reads a command a line, as JSON, on the database that the environment names, and answers each.
"""

from __future__ import annotations

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
from competition.models import Phase  # noqa: E402
from grading import storage  # noqa: E402
from grading.models import Evaluation, QuotaEntry, Standing, Submission  # noqa: E402
from grading.services import doorbell, recipes  # noqa: E402
from grading.services.ratings import delivery  # noqa: E402
from tests.factories.accounts import PASSWORD  # noqa: E402
from tests.factories.grading import Arena, enter, make_arena, references  # noqa: E402
from tests.factories.hearing import SMALL  # noqa: E402
from tests.factories.listening import make_listening  # noqa: E402

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
    client = Client()
    client.force_login(rater.user)
    name = settings.SESSION_COOKIE_NAME
    key = client.cookies[name].value
    token = delivery.grant(session=task.session, login=key, task=task, now=now)
    with storage.local_copy(task.stimulus.storage_key) as path:
        data = path.read_bytes()
    return {"path": f"/rate/audio/{token}/", "cookie": f"{name}={key}", "hex": data.hex()}


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
