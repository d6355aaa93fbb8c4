"""What the proof of raters asks of its installation: `python -m tests.proofs.raters_probe COMMAND`.

Makes a rating with a crowd who can begin, lets the hold of those who vanished run out, and looks
whether every promise held. Answers in JSON, on the database that the environment names.
"""

from __future__ import annotations

import io
import json
import sys
import wave
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from grading import storage  # noqa: E402
from grading.enums import TaskKind  # noqa: E402
from grading.models import PlanRow, PlanSlot, Rater, Rating, RatingTask, Stimulus  # noqa: E402
from grading.services.keeping.databases import gather_statistics  # noqa: E402
from grading.services.ratings import conflicts, raters  # noqa: E402
from tests.factories.rating import Hall, make_hall  # noqa: E402
from tests.proofs.crowd import session_of  # noqa: E402

LANGUAGE = "en"
FRAMES = 9_600
SYSTEMS = 8
COPIES = 5
HOLD = timedelta(hours=100)


def prepare(count: str, spare: str, texts: str) -> dict[str, Any]:
    """Open a rating of eight systems for a crowd, and as many more who may come in place of others."""
    call_command("migrate", verbosity=0)
    hall = make_hall(
        systems=SYSTEMS,
        settings={
            "texts": int(texts), "wanted": COPIES, "least": 1, "raters": SYSTEMS * COPIES,
            "scored": max(2, int(texts) // 2), "sessions_a_day": 20,
            "traps": 2, "traps_passed": 1, "known": 2, "repeats": 1, "practice": 0,
            "trials": 0, "trials_right": 0,
        },
    )  # fmt: skip
    _give_sound(hall)
    people = [_person(hall, number) for number in range(int(count) + int(spare))]
    gather_statistics()
    return {"people": people, "needed": SYSTEMS * COPIES * int(texts)}


def _person(hall: Hall, number: int) -> dict[str, str]:
    person = hall.rater(language=LANGUAGE, now=timezone.now())
    if number % 10 == 0:  # one in ten is close to a team
        entrant = hall.submissions[number // 10 % SYSTEMS].entrant
        raters.declare(
            actor=person.user, rater=person.rater, entrants=[entrant], now=timezone.now()
        )
    return {"code": person.rater.code, "session": session_of(person.user)}


def _give_sound(hall: Hall) -> None:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(range(64)) * (FRAMES * 2 // 64))
    data = out.getvalue()
    stored = storage.store_stream([data], limit=1 << 24)
    Stimulus.objects.filter(protocol=hall.protocol).update(
        storage_key=stored.key, size=len(data), frames=FRAMES
    )


def vanish(*codes: str) -> dict[str, Any]:
    """Let four days pass for these raters alone: nobody sees them any more."""
    long_ago = timezone.now() - HOLD
    people = Rater.objects.filter(code__in=codes)
    people.update(seen_at=long_ago)
    rows = PlanRow.objects.filter(rater__in=people)
    PlanSlot.objects.filter(row__in=rows, lease_until__isnull=False).update(lease_until=long_ago)
    return {"freed": rows.update(held_at=long_ago)}


def withdraw(*codes: str) -> dict[str, Any]:
    """Take consent back for these raters."""
    people = list(Rater.objects.filter(code__in=codes).select_related("user"))
    for rater in people:
        raters.withdraw(actor=rater.user, rater=rater, now=timezone.now())
    return {"withdrawn": len(people)}


def left() -> dict[str, Any]:
    """Return how many slots wait to be rated."""
    return {"left": PlanSlot.objects.filter(language=LANGUAGE, done_at__isnull=True).count()}


def report() -> dict[str, Any]:
    """Return what there is, and everything that ought not to be."""
    ratings = Rating.objects.filter(revision=0)
    scored = RatingTask.objects.filter(kind=TaskKind.SCORED, ratings__isnull=False)
    texts = Counter(
        RatingTask.objects.filter(kind=TaskKind.SCORED).values_list("rater", "rated_text")
    )
    stimuli = Counter(scored.values_list("stimulus", flat=True))
    systems = Counter(scored.values_list("stimulus__system__pseudonym", flat=True))
    return {
        "uuids": [str(key) for key in ratings.values_list("uuid", flat=True)],
        "tasks_rated_twice": sum(
            count > 1 for count in Counter(ratings.values_list("task", flat=True)).values()
        ),
        "texts_twice": sum(count > 1 for count in texts.values()),
        "conflicts_met": _conflicts_met(),
        "in_a_row": _in_a_row(),
        "left": left()["left"],
        "late": Rating.objects.filter(is_late=True).count(),
        "fewest_of_a_stimulus": min(stimuli.values(), default=0),
        "most_of_a_stimulus": max(stimuli.values(), default=0),
        "systems": dict(sorted(systems.items())),
        "spread_of_whole_plans": _spread(),
        "leases_left": RatingTask.objects.filter(lease_until__isnull=False).count(),
    }


def _conflicts_met() -> int:
    return sum(
        rater.tasks.filter(stimulus__system__in=conflicts.systems_of(rater)).count()
        for rater in Rater.objects.filter(user__isnull=False).select_related("user")
    )


def _in_a_row() -> int:
    chains: dict[int, list[int]] = {}
    rows = RatingTask.objects.filter(stimulus__system__isnull=False, ratings__isnull=False)
    for session, system in rows.order_by("session", "position").values_list(
        "session", "stimulus__system"
    ):
        chains.setdefault(session, []).append(system)
    return sum(one == other for chain in chains.values() for one, other in pairwise(chain))


def _spread() -> int:
    """Return the largest difference between systems of a rater who did a plan of their own alone."""
    worst = 0
    for row in PlanRow.objects.filter(rater__isnull=False, slots__isnull=False).distinct():
        slots = set(row.slots.values_list("pk", flat=True))
        tasks = RatingTask.objects.filter(rater=row.rater, kind=TaskKind.SCORED)
        done = list(tasks.values_list("slot", "stimulus__system"))
        if {slot for slot, _ in done} == slots:
            counts = Counter(system for _, system in done)
            worst = max(worst, max(counts.values()) - min(counts.values()))
    return worst


COMMANDS = {
    "prepare": prepare, "vanish": vanish, "withdraw": withdraw, "left": left, "report": report,
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(COMMANDS[sys.argv[1]](*sys.argv[2:])))  # noqa: T201
