"""What a form sends so that nothing but permission decides; endpoints not named here get no fields."""

from __future__ import annotations

from typing import Any

from grading.identity import PART_BYTES
from tests.factories.accounts import PASSWORD
from tests.factories.grading import jsonl
from tests.security.stage import Stage

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
    "competition:terms-accept": {"typed_name": "<name>", "accept": "on"},
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
    "grading:question-answer": {"text": "Yes.", "is_public": "", "shown_text": ""},
    "grading:question-create": {"text": "How many may we be?"},
    "grading:rescoring-propose": {"reason": "A reference was wrong."},
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
    "api-v1:team-list": {"name": "Team Fresh"},
}


def body(name: str, variant: str, who: str, stage: Stage) -> dict[str, Any]:
    """Return the fields that one person sends to one endpoint."""
    side = stage.rival if variant == "rival" else stage.own
    arena = stage.draft if variant == "draft" else stage.arena
    user = stage.people[who]
    known = {
        "<name>": user.name if user else "Nobody",
        "<team>": side.team.code,
        "<team name>": side.team.name,
        "<benched>": stage.benched.code,
        "<slug>": arena.competition.slug,
        UPLOADED: jsonl(stage.arena.flawed(3, word="sent")),
    }
    return {
        field: known.get(value, value) if isinstance(value, str | bytes) else value
        for field, value in BODIES.get(name, {}).items()
    }
