"""Packs with copies in every state, and windows of draws before and after their end."""

from __future__ import annotations

from datetime import datetime, timedelta

from accounts.models import User
from competition.enums import Pool
from competition.models import DatasetVersion, Pack, PackIssue
from competition.services import issues, packs, pools
from grading.services import draws, merging
from tests.factories.accounts import UserFactory, seen_together
from tests.factories.competition import RoleGrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory
from tests.factories.grading import Arena, join

SHELF_PAGES: list[tuple[str, str, list[str]]] = [
    ("competition:pack-list", "competition", ["captain", "member", "newcomer"]),
    ("competition:pack-request", "pack to ask for", ["captain"]),
    ("grading:draws", "competition", ["anonymous"]),
    ("grading:draw-window", "window open", ["anonymous"]),
    ("grading:draw-window", "window revealed", ["anonymous"]),
    ("grading:console-datasets", "competition", ["organizer", "auditor"]),
    ("grading:dataset-clips", "dataset", ["organizer", "auditor"]),
    ("grading:console-packs", "competition", ["organizer", "auditor"]),
    ("grading:pack-create", "competition", ["organizer"]),
    ("grading:pack-issue", "pack to ask for", ["organizer"]),
    ("grading:issue-detail", "copy", ["organizer"]),
    ("grading:issue-end", "copy", ["organizer"]),
    ("grading:console-draws", "competition", ["organizer"]),
    ("grading:window-create", "competition", ["organizer"]),
    ("grading:console-draw", "window open", ["organizer"]),
    ("grading:console-draw", "window revealed", ["organizer"]),
    ("grading:console-log", "competition", ["organizer", "auditor"]),
    ("grading:console-people", "competition", ["organizer", "auditor"]),
    ("grading:person-timeline", "person", ["organizer", "auditor"]),
    ("grading:entrant-timeline", "entrant", ["organizer", "auditor"]),
    ("grading:entrant-timeline", "entrant gone", ["organizer"]),
    ("grading:console-links", "competition", ["organizer", "auditor"]),
    ("grading:link-judge", "link", ["organizer"]),
    ("grading:merge-choose", "entrant", ["organizer"]),
    ("grading:entrant-merge", "merge", ["organizer"]),
    ("grading:entrant-merge", "merge gone", ["organizer"]),
]
SHELF_ACTS = {
    "competition:issue-start",
    "competition:issue-download",
    "competition:pack-manifest",
    "grading:draw-pool",
    "grading:issues-csv",
    "grading:issues-json",
    "grading:issue-approve",
    "grading:clips-move",
    "grading:pack-act",
    "grading:window-act",
    "grading:log-verify",
    "grading:log-csv",
    "grading:log-json",
    "grading:log-export",
}


def make_shelf_world(arena: Arena, member: User, now: datetime) -> dict[str, dict[str, str]]:
    """Put packs and windows into a challenge; return what their addresses are made of."""
    kept, fresh = _pack(arena, "dev", now), _pack(arena, "extra", now)
    held = issues.request(actor=arena.captain, pack=kept, typed_name="A Captain", now=now)
    issues.approve(actor=None, issue=held, now=now)
    issues.request(actor=member, pack=kept, typed_name="A Member", now=now)
    gone = _copy_of_another(arena, kept, now)
    issues.revoke(actor=None, issue=gone, reason="It was passed on.", now=now)
    slug = arena.competition.slug
    return {
        "pack to ask for": {"slug": slug, "code": fresh.code},
        "copy": {"slug": slug, "code": held.code},
        **_windows(arena, now),
        **_trust(arena, now),
    }


def _trust(arena: Arena, now: datetime) -> dict[str, dict[str, str]]:
    """Let two captains share a device, and a third team go into the arena's; return the addresses."""
    near, captain = arena.enter("Team Near")
    gone, _ = arena.enter("Team Gone")
    seen_together(arena.captain, captain, now=now)
    figures = merging.arithmetic(kept=arena.entrant, merged=gone, now=now)
    merging.merge(
        actor=RoleGrantFactory(competition=arena.competition).user,
        kept=arena.entrant,
        merged=gone,
        reason="One laboratory.",
        digest=figures.digest,
        now=now,
    )
    slug, mine = arena.competition.slug, arena.entrant.code
    return {
        "person": {"slug": slug, "code": arena.captain.code},
        "entrant gone": {"slug": slug, "code": gone.code},
        "link": {"slug": slug, "one": arena.captain.code, "other": captain.code},
        "merge": {"slug": slug, "code": mine, "other": near.code},
        "merge gone": {"slug": slug, "code": mine, "other": gone.code},
    }


def _pack(arena: Arena, name: str, now: datetime) -> Pack:
    made = packs.make(
        actor=None,
        competition=arena.competition,
        name=name,
        content=packs.Content(texts={"README.txt": f"Clips of {name}.\n".encode()}),
        terms=packs.Terms(note="For practice."),
        now=now,
    )
    return packs.offer(actor=None, pack=made, now=now)


def _copy_of_another(arena: Arena, pack: Pack, now: datetime) -> PackIssue:
    other = UserFactory()
    join(arena.entrant, other)
    asked = issues.request(actor=other, pack=pack, typed_name="Another", now=now)
    return issues.approve(actor=None, issue=asked, now=now)


def _windows(arena: Arena, now: datetime) -> dict[str, dict[str, str]]:
    version = DatasetVersionFactory(dataset__competition=arena.competition)
    for number in range(8):
        DatasetClipFactory(version=version, tier=("easy", "hard")[number % 2])
    names = {}
    for name, days in (("window open", 1), ("window revealed", 9)):
        began = now - timedelta(days=days)
        plan = draws.Plan(n=3, opens_at=began, closes_at=began + timedelta(days=7))
        window = draws.commit(actor=None, version=version, plan=plan, now=began)
        drawn = draws.draw(window=window, now=now - timedelta(hours=1))
        draws.expose(draw=drawn, entrant=arena.entrant, now=now)
        names[name] = {"slug": arena.competition.slug, "code": window.code}
    draws.reveal(actor=None, window=window, now=now)
    names["dataset"] = _dataset(version, now)
    return names


def _dataset(version: DatasetVersion, now: datetime) -> dict[str, str]:
    """Retire one of the pool's clips; return what the address of the clips is made of."""
    competition = version.dataset.competition
    clip = version.clips.select_related("audio").earliest("pk")
    reason = "Half of the teams know it by heart."
    pools.move(
        actor=None,
        competition=competition,
        audio=[clip.audio],
        new=Pool.OPEN,
        reason=reason,
        now=now,
    )
    return {
        "slug": competition.slug,
        "dataset": version.dataset.slug,
        "number": str(version.number),
    }
