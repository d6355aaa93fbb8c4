"""A challenge with something on every page, and who looks at which page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts.models import User
from accounts.services import invitations, links
from competition.enums import EntrantKind, EntrantState, Role
from competition.models import Announcement, Competition, Entrant
from grading.models import Board, Submission
from grading.services import boards, cancelling, correspondence, standings
from tests.browser.boards_world import BOARDS_PAGES, make_boards_world
from tests.browser.final_world import make_final_world
from tests.browser.judging_world import make_judging_world
from tests.browser.listening_world import (
    LISTENING_ACTS,
    LISTENING_PAGES,
    make_listening_world,
)
from tests.browser.shelf_world import SHELF_ACTS, SHELF_PAGES, make_shelf_world
from tests.browser.speech_world import make_speech_world
from tests.browser.verification_world import (
    VERIFICATION_ACTS,
    VERIFICATION_PAGES,
    make_verification_world,
)
from tests.factories.accounts import (
    TeamFactory,
    TokenFactory,
    UnverifiedUserFactory,
    UserFactory,
)
from tests.factories.competition import RoleGrantFactory
from tests.factories.grading import (
    Arena,
    SubmissionFactory,
    join,
    make_arena,
    quota_entry,
    scored,
    submit,
)

TITLES = {
    "en": {
        "title": "Demo challenge",
        "summary": "Hear laughs.",
        "overview": "## Aim\n\nA list:\n\n- one\n- [two](https://example.org/)\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "data": "Clips of **speech**.",
        "rules": "1. Be fair.\n\n> Quoted.\n\n`code`",
    },
    "zh-Hans": {"title": "演示竞赛", "summary": "听出笑声。", "overview": "概述。"},
}


@dataclass(slots=True)
class World:
    """People by kind, and the slugs, codes and secrets that addresses are made of."""

    arena: Arena
    people: dict[str, User | None]
    things: dict[str, dict[str, str]]


def make_world(*, with_examples: bool = True) -> World:
    """Return the challenge: an open phase with a board, and a team with submissions of every end.

    `with_examples`: the boards of the example competitions as well, which take seconds to score.
    """
    now = timezone.now()
    arena = make_arena(now=now, quota_per_day=20, quota_total=40)
    _name(arena)
    organizer = _granted(arena, Role.ORGANIZER)
    Announcement.objects.create(
        author=organizer,
        competition=arena.competition,
        texts={"en": {"title": "Welcome", "body": "We have **begun**."}},
        published_at=now - timedelta(days=1),
    )
    pending, pending_captain = arena.enter("Team Waiting", state=EntrantState.PENDING)
    out, out_captain = arena.enter("Team Out", state=EntrantState.DISQUALIFIED, reason="Two teams.")
    codes = _submissions(arena, now)
    _rivals(arena, now)
    member = UserFactory()
    join(arena.entrant, member)
    TokenFactory(user=arena.captain, name="laptop")
    standings.rebuild(board_id=Board.objects.get(phase=arena.phase).pk, now=now)
    people = {
        "anonymous": None,
        "newcomer": UserFactory(language="en"),
        "founder": TeamFactory(captain=UserFactory()).memberships.get().user,
        "unverified": UnverifiedUserFactory(),
        "captain": arena.captain,
        "member": member,
        "waiting": pending_captain,
        "out": out_captain,
        "organizer": organizer,
        "auditor": _granted(arena, Role.AUDITOR),
    }
    entrants = {"entrant": arena.entrant, "waiting entrant": pending, "out entrant": out}
    people["speaker"], speech = make_speech_world(now)
    finalists, final = make_final_world(now)
    judges, judging = make_judging_world(now)
    listeners, listening = make_listening_world(now)
    verifiers, verification = make_verification_world(now)
    senders, examples = make_boards_world(now) if with_examples else ({}, {})
    people |= finalists | judges | listeners | verifiers | senders
    things = _places(arena, codes, entrants) | _letters(arena, people, now)
    things |= make_shelf_world(arena, member, now)
    Competition.objects.filter(texts={}).update(texts={"en": {"title": "Another challenge"}})
    things |= speech | final | judging | listening | verification | examples
    return World(arena, people, things)


def _name(arena: Arena) -> None:
    competition = arena.competition
    competition.texts, competition.contact = TITLES, "organizers@example.org"
    competition.save()
    arena.track.texts = {"en": {"title": "Understanding"}, "zh-Hans": {"title": "理解"}}
    arena.track.save()
    arena.phase.texts = {"en": {"title": "Final"}, "zh-Hans": {"title": "决赛"}}
    arena.phase.save()


def _places(
    arena: Arena, codes: dict[str, str], entrants: dict[str, Entrant]
) -> dict[str, dict[str, str]]:
    """Return what addresses of things are made of, by the name of the thing."""
    slug, phase = arena.competition.slug, arena.phase
    return {
        "competition": {"slug": slug},
        "track": {"slug": slug, "track": arena.track.slug},
        "place": {"slug": slug, "track": arena.track.slug, "phase": phase.slug},
        "team": {"code": arena.entrant.team.code},
        "phase code": {"slug": slug, "code": phase.code},
        "board act": {"slug": slug, "code": phase.code, "act": "freeze"},
        **{name: {"slug": slug, "code": one.code} for name, one in entrants.items()},
        **{name: {"code": code} for name, code in codes.items()},
        **{f"{name} in console": {"slug": slug, "code": code} for name, code in codes.items()},
    }


def _letters(
    arena: Arena, people: dict[str, User | None], now: datetime
) -> dict[str, dict[str, str]]:
    """Ask and invite; return what addresses in mails, and of what was written, are made of."""
    captain, entrant, slug = arena.captain, arena.entrant, arena.competition.slug
    question = correspondence.ask(
        actor=captain, competition=arena.competition, text="可以用词典吗？", now=now
    )
    _, secret = invitations.invite(
        actor=captain, team=entrant.team, email=people["newcomer"].email, now=now
    )
    return {
        "question": {"slug": slug, "code": question.code},
        "invitation": {"secret": secret},
        "verify": {"token": links.make_token(links.VERIFY, people["unverified"], now)},
        "reset": {"token": links.make_token(links.RESET, captain, now)},
        "notice": {"token": links.make_token(links.NOTICES, captain, now), "kind": "scored"},
        "member": {"slug": slug, "code": entrant.code, "member": people["member"].code},
    }


def _submissions(arena: Arena, now: datetime) -> dict[str, str]:
    early = scored(
        arena, arena.entrant, arena.captain, 60.0, number=901, at=now - timedelta(hours=5)
    )
    late = scored(
        arena, arena.entrant, arena.captain, 66.0, number=902, at=now - timedelta(hours=1)
    )
    given = {"actor": arena.captain, "created_at": now, "now": now}
    real = submit(arena, arena.flawed(7), **given)  # scored at once: tests' tasks run when enqueued
    bad = submit(arena, dict.fromkeys(arena.rows, "a [burp] [ b"), **given)
    gone, fresh = (_unchecked(arena, now) for _ in range(2))
    cancelling.cancel(actor=arena.captain, submission=gone, now=now)
    return {
        "early": early.submission.code,
        "late": late.submission.code,
        "scored": real.code,
        "rejected": bad.code,
        "cancelled": gone.code,
        "received": fresh.code,
    }


def _unchecked(arena: Arena, now: datetime) -> Submission:
    submission = SubmissionFactory(
        entrant=arena.entrant,
        phase=arena.phase,
        uploader=arena.captain,
        created_at=now,
        received_at=now,
    )
    quota_entry(submission)
    return submission


def _rivals(arena: Arena, now: datetime) -> None:
    kinds = [
        EntrantKind.OFFICIAL,
        EntrantKind.OFFICIAL,
        EntrantKind.UNOFFICIAL,
        EntrantKind.BASELINE,
    ]
    for number, kind in enumerate(kinds):
        entrant, captain = arena.enter(f"Team {number}", kind=kind)
        scored(arena, entrant, captain, 65.5 - 3 * number, number=1, at=now - timedelta(hours=2))
    boards.want_rebuild(phase_id=arena.phase.pk, now=now)


def _granted(arena: Arena, role: Role) -> User:
    user = UserFactory()
    RoleGrantFactory(competition=arena.competition, user=user, role=role)
    return user


EVERYONE, OWN, CONSOLE = ["anonymous"], ["captain"], ["organizer"]
PAGES: list[tuple[str, str, list[str]]] = [
    ("home", "", ["anonymous", "captain", "organizer"]),
    ("api", "", EVERYONE),
    ("accounts:login", "", EVERYONE),
    ("accounts:sign-up", "", EVERYONE),
    ("accounts:sign-up-sent", "", EVERYONE),
    ("accounts:verify", "verify", EVERYONE),
    ("accounts:reset", "", EVERYONE),
    ("accounts:reset-sent", "", EVERYONE),
    ("accounts:reset-password", "reset", EVERYONE),
    ("accounts:account-detail", "", ["captain", "unverified"]),
    ("grading:account-erase", "", ["captain", "member"]),
    ("accounts:notices-choose", "", ["captain", "organizer"]),
    ("accounts:notice-stop", "notice", EVERYONE),
    ("accounts:password-change", "", OWN),
    ("accounts:token-list", "", ["captain", "newcomer"]),
    ("accounts:team-list", "", ["captain", "newcomer"]),
    ("accounts:team-create", "", OWN),
    ("accounts:team-detail", "team", ["captain"]),
    ("accounts:team-rename", "team", OWN),
    ("accounts:invitation-accept", "invitation", ["anonymous", "newcomer"]),
    ("accounts:privacy", "", EVERYONE),
    ("accounts:outbox", "", EVERYONE),
    (
        "competition:competition-detail",
        "competition",
        [
            "anonymous",
            "newcomer",
            "founder",
            "unverified",
            "captain",
            "waiting",
            "out",
            "organizer",
            "auditor",
        ],
    ),
    ("competition:data", "competition", EVERYONE),
    ("competition:rules", "competition", EVERYONE),
    ("competition:timeline", "competition", EVERYONE),
    ("competition:announcements", "competition", EVERYONE),
    ("competition:entrant-register", "competition", ["newcomer", "founder"]),
    ("competition:entrant-detail", "competition", ["captain", "member", "waiting", "out"]),
    ("grading:board", "place", ["anonymous", "captain", "organizer"]),
    ("grading:methodology", "track", EVERYONE),
    ("grading:submission-create", "place", ["captain", "newcomer", "waiting"]),
    ("grading:submission-list", "competition", ["captain", "newcomer"]),
    ("grading:entrant-history", "entrant", ["anonymous", "captain"]),
    ("grading:question-list", "competition", ["anonymous", "captain"]),
    ("grading:submission-rename", "scored", OWN),
    ("grading:submission-detail", "early", OWN),
    ("grading:submission-detail", "late", OWN),
    ("grading:submission-detail", "scored", ["member", "organizer"]),
    ("grading:submission-detail", "rejected", OWN),
    ("grading:submission-detail", "cancelled", OWN),
    ("grading:submission-detail", "received", OWN),
    ("grading:submission-create", "speech place", ["speaker"]),
    ("grading:submission-detail", "clips", ["speaker"]),
    ("grading:submission-detail", "clips rejected", ["speaker"]),
    ("grading:submission-detail", "clips busy", ["speaker"]),
    ("grading:submission-detail", "waiting for marks", ["judge organizer"]),
    ("grading:board", "final place", ["anonymous"]),
    ("grading:clip-list", "clips", ["speaker"]),
    ("grading:clip-list", "clips rejected", ["speaker"]),
    *LISTENING_PAGES,
    *SHELF_PAGES,
    *VERIFICATION_PAGES,
    *BOARDS_PAGES,
    ("grading:receipt-verify", "", EVERYONE),
    ("grading:status", "", ["anonymous", "organizer"]),
    ("grading:console", "competition", ["organizer", "auditor"]),
    ("grading:console-submissions", "competition", CONSOLE),
    ("grading:console-utterances", "scored in console", CONSOLE),
    ("grading:console-entrants", "competition", CONSOLE),
    ("grading:entrant-kind", "entrant", CONSOLE),
    ("grading:entrant-disqualify", "entrant", CONSOLE),
    ("grading:entrant-disqualify", "out entrant", CONSOLE),
    ("grading:entrant-take-out", "entrant", CONSOLE),
    ("grading:entrant-people", "entrant", CONSOLE),
    ("grading:entrant-member-remove", "member", CONSOLE),
    ("grading:console-boards", "competition", CONSOLE),
    ("grading:board-act", "board act", CONSOLE),
    ("grading:scoring-pause", "competition", CONSOLE),
    ("grading:console-announcements", "competition", CONSOLE),
    ("grading:announcement-create", "competition", CONSOLE),
    ("grading:console-questions", "competition", CONSOLE),
    ("grading:question-answer", "question", CONSOLE),
    ("grading:console-rescoring", "competition", CONSOLE),
    ("grading:rescoring", "phase code", CONSOLE),
    ("grading:score-checks", "scored in console", CONSOLE),
    ("grading:final", "speech place", EVERYONE),
    ("grading:final", "final place", ["anonymous", "finalist", "final organizer"]),
    ("grading:final-filings", "final papers", ["finalist"]),
    ("grading:console-finals", "competition", CONSOLE),
    ("grading:console-finals", "final competition", ["final organizer"]),
    ("grading:console-final", "final code", ["final organizer"]),
    ("grading:console-final", "final choice", ["final organizer"]),
    ("grading:final-act", "final act", ["final organizer"]),
    ("grading:filing-check", "paper", ["final organizer"]),
    ("grading:console-judging", "competition", CONSOLE),
    ("grading:console-judging", "judged", ["judge organizer"]),
    ("grading:judging-run", "judged done", ["judge organizer"]),
    ("grading:judging-run", "judged stopped", ["judge organizer"]),
    ("grading:judging-run", "judged under way", ["judge organizer"]),
    ("grading:judging-run", "judged changed", ["judge organizer"]),
    ("grading:judging-resume", "judged stopped", ["judge organizer"]),
    ("grading:console-deadlines", "competition", CONSOLE),
    ("grading:deadline-move", "phase code", CONSOLE),
]
"""A page, what its address is made of, and the kinds of people who see it differently."""

ACTS_AND_FILES = {
    "accounts:logout", "accounts:verify-resend", "accounts:token-revoke", "accounts:team-leave",
    "accounts:team-invite", "accounts:invitation-revoke", "accounts:member-role",
    "accounts:member-remove", "competition:terms-accept", "competition:entrant-join",
    "competition:member-add", "competition:member-remove", "competition:entrant-leave",
    "competition:entrant-withdraw", "grading:board-csv", "grading:board-json",
    "grading:board-data", "grading:final-csv", "grading:final-json", "grading:final-select",
    "grading:final-recompute", "grading:filing-file", "grading:submission-check", "grading:upload-create",
    "grading:question-create", "grading:rescoring-propose", "grading:rescoring-switch",
    "grading:rescoring-drop", "grading:submission-cancel", "grading:submission-mark",
    "grading:submission-unmark", "grading:report-json", "grading:report-csv", "grading:receipt", "grading:judging-answers",
    "grading:upload-detail", "grading:upload-complete", "grading:upload-abort",
    "grading:receipt-keys", "grading:scorer-download", "grading:own-data-take", "grading:entrant-decide", "competition-list", "set-language",
    "healthz", "readyz", "metrics",
}  # fmt: skip
ACTS_AND_FILES |= LISTENING_ACTS | SHELF_ACTS | VERIFICATION_ACTS
"""What answers with a redirect, a file or data: no page of its own."""


def address(world: World, name: str, thing: str) -> str:
    """Return the address of a page; what begins with "?" goes into its query."""
    given = world.things[thing] if thing else {}
    query = urlencode({key[1:]: value for key, value in given.items() if key.startswith("?")})
    path = reverse(name, kwargs={key: one for key, one in given.items() if key[0] != "?"})
    return f"{path}?{query}" if query else path


def page_names() -> set[str]:
    """Return the name of every address of the site but those of the API and the admin."""
    return set(_names(get_resolver().url_patterns, ""))


def _names(patterns: list[URLPattern | URLResolver], prefix: str) -> list[str]:
    found = []
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            found += [prefix + pattern.name] if pattern.name else []
        elif pattern.namespace not in {"admin", "api-v1"}:
            inner = f"{pattern.namespace}:" if pattern.namespace else prefix
            found += _names(pattern.url_patterns, inner)
    return found
