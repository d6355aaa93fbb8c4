"""The pages of raters, and who looks at them: somebody at every step."""

from __future__ import annotations

from datetime import datetime

from accounts.models import User
from grading.services.ratings import exclusions, places
from tests.factories.hearing import Listeners, make_listeners
from tests.factories.listening import Listening, organizer_of

LISTENING_PAGES = [
    ("grading:rate-home", "", ["listener", "newcomer"]),
    ("grading:rate-invitation", "invitation to rate", ["anonymous", "listener", "newcomer"]),
    ("grading:rate-place", "place of listener", ["listener"]),
    ("grading:rate-place", "place of done", ["done"]),
    ("grading:rate-place", "place of joining", ["joining"]),
    ("grading:rate-consent", "place of joining", ["joining"]),
    ("grading:rate-consent", "place of listener", ["listener"]),
    ("grading:rate-languages", "place of listener", ["listener"]),
    ("grading:rate-withdraw", "place of listener", ["listener"]),
    ("grading:rate-check", "place of checking", ["checking"]),
    ("grading:rate-practice", "place of practicing", ["practicing"]),
    ("grading:rate-desk", "place of listener", ["listener"]),
    ("grading:rate-rest", "place of listener", ["listener"]),
    ("grading:rate-revise", "answered clip", ["listener"]),
    ("grading:rate-sitting", "sitting", ["done"]),
]
_RATINGS = ("settings", "controls", "consent", "raters", "results", "import", "exclude")
LISTENING_PAGES += [
    ("grading:console-rating", "ratings", ["rating organizer"]),
    ("grading:rating-draft", "selection to rate", ["rating organizer"]),
    ("grading:rating-protocol", "rating", ["rating organizer"]),
    ("grading:rating-act", "closing of a rating", ["rating organizer"]),
    ("grading:rating-lift", "exclusion", ["rating organizer"]),
    ("grading:rating-report", "recording", ["rating organizer"]),
    *((f"grading:rating-{name}", "rating", ["rating organizer"]) for name in _RATINGS),
]
LISTENING_ACTS = {
    "grading:rate-start", "grading:rate-leave", "grading:rate-beat", "grading:rate-answer",
    "grading:rate-draft", "grading:rate-broken", "grading:rate-audio", "grading:rating-csv",
}  # fmt: skip


def make_listening_world(now: datetime) -> tuple[dict[str, User], dict[str, dict[str, str]]]:
    """Return raters at every step, and what the addresses of their pages are made of."""
    organizers: list[User] = []

    def organizer(listening: Listening) -> User:
        organizers.append(organizer_of(listening))
        return organizers[-1]

    made = make_listeners(organizer, now)
    place = made.at_clips
    raters = {
        "listener": place.rater,
        "checking": made.checking,
        "practicing": made.practicing,
        "joining": made.joining,
        "done": made.done.rater,
    }
    things = {f"place of {who}": {"code": rater.code} for who, rater in raters.items()}
    things["invitation to rate"] = {"secret": place.secret}
    things["answered clip"] = {"code": place.rater.code, "task": place.answered.code}
    things["sitting"] = {"code": made.done.rater.code, "sitting": made.done.code}
    things |= _console(made, organizers[0], now)
    people = {who: rater.user for who, rater in raters.items()}
    return people | {"rating organizer": organizers[0]}, things


def _console(made: Listeners, organizer: User, now: datetime) -> dict[str, dict[str, str]]:
    """Return what the addresses of the organizer's pages are made of; a sitting is left out."""
    protocol = made.protocol
    excluded = exclusions.exclude(
        actor=organizer, protocol=protocol, target=made.done, reason="a robot", now=now
    )
    slug = {"slug": places.competition_of(protocol).slug}
    rating = {**slug, "code": protocol.code}
    recording = protocol.stimuli.order_by("pk")[0]
    return {
        "ratings": slug,
        "selection to rate": {**slug, "selection": protocol.selection.code},
        "rating": rating,
        "closing of a rating": {**rating, "act": "close"},
        "exclusion": {**rating, "exclusion": excluded.code},
        "recording": {**rating, "key": recording.key},
    }
