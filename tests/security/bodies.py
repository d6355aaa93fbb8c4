"""What a form sends so that nothing but permission decides; endpoints not named here get no fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from competition.models import Competition, Dataset
from grading.identity import PART_BYTES
from grading.services import merging
from grading.services.ratings.raters import consent_text
from grading.services.ratings.sessions import practice_items
from tests.factories.accounts import PASSWORD
from tests.factories.grading import jsonl
from tests.factories.hearing import ANSWER, UUID
from tests.scoring.formats.sounds import GOOD
from tests.security.attempts import RAW
from tests.security.stage import Stage, TeamSide

UPLOADED = b"an upload"
"""Stands for a file of predictions."""

BODIES: dict[str, dict[str, Any]] = {
    "accounts:account-detail": {"name": "Somebody", "language": "en"},
    "accounts:login": {"username": "nobody@example.org", "password": PASSWORD},
    "accounts:member-role": {"role": "captain"},
    "accounts:notices-choose": {"wanted": ["scored"]},
    "accounts:password-change": {"current": PASSWORD, "password": "a longer horse battery"},
    "accounts:reset": {"email": "somebody.else@example.org"},
    "accounts:reset-password": {"password": "a longer horse battery"},
    "accounts:sign-up": {
        "name": "Somebody",
        "email": "somebody.else@example.org",
        "password": "a longer horse battery",
    },
    "accounts:team-create": {"name": "Team Fresh", "affiliation": ""},
    "accounts:team-invite": {"email": "someone.new@example.org"},
    "accounts:team-leave": {"confirm": "leave"},
    "accounts:team-rename": {"name": "Team Renamed", "affiliation": ""},
    "accounts:token-list": {"name": "server", "scopes": ["read"], "days": "30"},
    "competition:entrant-leave": {"confirm": "leave"},
    "competition:entrant-register": {"team": "<team>", "typed_name": "<name>", "accept": "on"},
    "competition:entrant-withdraw": {"confirm": "<slug>"},
    "competition:member-add": {"person": "<benched>"},
    "competition:pack-request": {"typed_name": "<name>", "accept": "on"},
    "competition:terms-accept": {"typed_name": "<name>", "accept": "on"},
    "grading:account-erase": {"email": "nobody@example.org", "password": PASSWORD},
    "grading:announcement-create": {"act": "publish", "title_en": "News", "body_en": "Something."},
    "grading:board-act": {"reason": "The last day begins."},
    "grading:deadline-move": {
        "field": "closes_at",
        "new": "2026-12-30 23:59 AoE",
        "reason": "More time for everybody.",
    },
    "grading:entrant-decide": {"decision": "accept", "reason": ""},
    "grading:entrant-disqualify": {"reason": "Used the references.", "confirm": "<team name>"},
    "grading:entrant-kind": {"kind": "unofficial", "reason": "They asked for it."},
    "grading:entrant-member-remove": {"reason": "They asked for it."},
    "grading:entrant-take-out": {"reason": "They asked for it."},
    "grading:entrant-merge": {
        "digest": "<figures>",
        "reason": "They are one laboratory.",
        "confirm": "<other team name>",
    },
    "grading:link-judge": {"verdict": "dismissed", "reason": "One laboratory."},
    "grading:filing-check": {"verdict": "accepted", "note": ""},
    "grading:final-act": {"reason": "Everybody has rated."},
    "grading:final-filings": {"kind": "resources", "text": "No paid service."},
    "grading:issue-end": {"reason": "They passed it on."},
    "grading:pack-issue": {"person": "<captain>"},
    "grading:pack-create": {"name": "fresh", "readme": "Hello.", "valid_days": "5"},
    "grading:held-out-create": {"title": "Kept back", "confirm": "on"},
    "grading:verification-begin": {"way": "organizer"},
    "grading:verification-release": {"reason": "No host here.", "confirm": "on"},
    "grading:verification-publish": {"digest": "0" * 64, "confirm": "000000000000"},
    "grading:clips-move": {"clips": "<clip>", "pool": "open", "reason": "Seen too often."},
    "grading:window-create": {
        "version": "<dataset>",
        "n": "1",
        "strata": "tier",
        "opens_at": "2026-12-05 00:00 AoE",
        "closes_at": "2026-12-06 23:59 AoE",
    },
    "grading:rating-act": {"confirm": "lay-out"},
    "grading:rating-consent": {"en": "We keep your marks.", "keeps_ratings": "yes"},
    "grading:rating-lift": {"reason": "It was a person."},
    "grading:rating-raters": {"addresses": "somebody@ears.example.net"},
    "grading:question-answer": {"text": "Yes.", "is_public": "", "shown_text": ""},
    "grading:question-create": {"text": "How many may we be?"},
    "grading:rescoring-propose": {"reason": "A reference was wrong."},
    "grading:judging-resume": {"reason": "The budget was too small."},
    "grading:rescoring-switch": {"digest": "0" * 64, "confirm": "switch"},
    "grading:score-checks": {"reason": "They asked for it."},
    "grading:scoring-pause": {"reason": "We look into something."},
    "grading:submission-rename": {"system": "Renamed", "note": ""},
    "api-v1:submission-detail": {"system": "Renamed"},
    "grading:upload-create": {
        "system": "a",
        "filename": "a.zip",
        "size": str(3 * PART_BYTES + 2**21),
        "parts": ",".join(["2" * 64] * 4),
    },
    "grading:submission-check": {"system": "a", "end": "1"},
    "grading:submission-create": {"system": "a", "note": "", "file": UPLOADED, "end": "1"},
    "grading:rate-answer": {**ANSWER, "uuid": UUID},
    "grading:rate-beat": {"task": ""},
    "grading:rate-broken": {"sure": "1"},
    "grading:rate-check": {"round": "0", **{f"trial{number}": "0" for number in range(6)}},
    "grading:rate-consent": {"version": "<consent>", "agree": "on"},
    "grading:rate-draft": ANSWER,
    "grading:rate-languages": {"languages": ["en"]},
    "grading:rate-practice": {**ANSWER, "item": "<practice item>"},
    "grading:rate-rest": {"act": "on"},
    "grading:rate-revise": {**ANSWER, "N": "4", "uuid": UUID},
    "grading:rate-start": {"language": "en"},
    "grading:rate-withdraw": {"confirm": "withdraw"},
    "set-language": {"language": "zh-hans"},
    "api-v1:rescoring-propose": {"reason": "A reference was wrong."},
    "api-v1:rescoring-switch": {"digest": "0" * 64},
    "api-v1:score-checks": {"reason": "They asked for it."},
    "api-v1:submission-create": {"file": UPLOADED, "system": "a"},
    "api-v1:upload-create": {
        "system": "a",
        "filename": "a.zip",
        "size": 3 * PART_BYTES + 2**21,
        "parts": ["2" * 64] * 4,
    },
    "api-v1:file-set-file": {RAW: GOOD},
    "api-v1:file-set-create": {"system": "by file again"},
    "api-v1:final-papers": {"kind": "resources", "text": "No paid service."},
    "api-v1:pack-ask": {"typed_name": "<name>", "terms_version": "1"},
    "api-v1:window-list": {
        "dataset": "<dataset slug>",
        "dataset_version": 1,
        "n": 1,
        "opens_at": "2026-12-05T00:00:00Z",
        "closes_at": "2026-12-06T00:00:00Z",
    },
    "api-v1:window-value": {"value": "4711"},
    "api-v1:team-list": {"name": "Team Fresh"},
}


def body(name: str, variant: str, who: str, stage: Stage) -> dict[str, Any]:
    """Return the fields that one person sends to one endpoint."""
    fields = BODIES.get(name, {})
    known = _known(variant, who, stage)
    return {
        field: known[value]() if isinstance(value, str | bytes) and value in known else value
        for field, value in fields.items()
    }


def _known(variant: str, who: str, stage: Stage) -> dict[str | bytes, Callable[[], Any]]:
    """Return what makes each value that stands for something of the stage; few fields need one."""
    side = stage.rival if variant == "rival" else stage.own
    other = stage.own if variant == "rival" else stage.rival
    competition = (stage.draft if variant == "draft" else stage.arena).competition
    user = stage.people[who]
    return {
        "<name>": lambda: user.name if user else "Nobody",
        "<team>": lambda: side.team.code,
        "<captain>": lambda: side.captain.code,
        "<team name>": lambda: side.team.name,
        "<other team name>": lambda: other.team.name,
        "<figures>": lambda: _figures(side, other),
        "<benched>": lambda: stage.benched.code,
        "<consent>": lambda: _consent(stage),
        "<practice item>": lambda: _practice_item(stage),
        "<slug>": lambda: competition.slug,
        "<dataset slug>": lambda: _dataset(competition).slug,
        "<dataset>": lambda: str(_dataset(competition).versions.get().pk),
        "<clip>": lambda: _dataset(competition).versions.get().clips.earliest("pk").utt_id,
        UPLOADED: lambda: jsonl(stage.arena.flawed(3, word="sent")),
    }


def _figures(side: TeamSide, other: TeamSide) -> str:
    return merging.arithmetic(kept=side.entrant, merged=other.entrant, now=timezone.now()).digest


def _consent(stage: Stage) -> str:
    protocol = stage.hearing.own["clips"].rater.protocol
    return str(consent_text(protocol=protocol, language="en").pk)


def _practice_item(stage: Stage) -> str:
    practicing = stage.hearing.own["practice"].session
    practicing.refresh_from_db()
    return practice_items(session=practicing)[0].key


def _dataset(competition: Competition) -> Dataset:
    return competition.datasets.order_by("pk")[0]
