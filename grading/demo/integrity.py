"""The demo's packs, draws and held-out check: everything through the services that organizers use.

Each step looks first and makes what is missing, so that it may be stopped anywhere and run again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from accounts.models import User
from competition.enums import EntrantState, IssueState, MemberRole, Pool
from competition.models import (
    Competition,
    DatasetVersion,
    DrawWindow,
    Entrant,
    Pack,
    PackIssue,
    Phase,
)
from competition.services import datasets, issues, packs
from competition.services.datasets import Loading
from grading.demo.entrants import ENTRANTS
from grading.demo.systems import Profile, predict
from grading.demo.waves import wav
from grading.enums import VerificationState
from grading.models import HeldOutSet, Verification, VerificationRun, VerifiedEntrant
from grading.services import draws
from grading.services.verification import (
    beginning,
    comparing,
    publishing,
    receiving,
    scoring,
    sets,
)
from grading.services.verification.beginning import Wish
from grading.storage import store_stream

ORGANIZER = "organizer@example.org"
RATE = 16_000
QUARTER = RATE // 4
TIERS = {"easy": 22, "medium": 19, "hard": 14}
"""The rotation pool by tier: 55 clips, of which a window draws 30."""
DRAWN = 30
SHORT = timedelta(seconds=5)
LONG = timedelta(days=14)
LENGTHS = (SHORT, LONG, SHORT)
TRACK = "understanding"
PUBLISHED, READY = "dev", "final"
"""The phases whose standing is verified: of one the outcome is public, the other waits for that."""
OVERFITTED = "Team Cinder"
"""Its system does much worse on clips that it never met, so that a verdict can be seen."""
WORSE = 4.0
OUTPUT_BYTES = 1 << 20
POLL_SECONDS = 0.2
PATIENCE = timedelta(minutes=1)

Say = Callable[[str], None]
Clock = Callable[[], datetime]

HELD_OUT = (
    ("en", "I thought you had the keys [sigh] well, then we wait."),
    ("en", "[laugh] He brought an umbrella to the swimming pool."),
    ("en", "Let me finish the last page [yawn] and then I am off to bed."),
    ("en", "The lift stopped between two floors [gasp] and the light went out."),
    ("en", "[cough] Excuse me, the chalk is everywhere in this room."),
    ("en", "Nobody saw the fox [breath] except the baker and his dog."),
    ("zh", "我以为钥匙在你那里[sigh]那只能等了。"),
    ("zh", "[laugh]他居然带着雨伞去游泳。"),
    ("zh", "等我看完最后一页[yawn]就去睡觉。"),
    ("zh", "电梯停在两层楼之间[gasp]灯也灭了。"),
    ("zh", "[cough]不好意思，教室里到处都是粉笔灰。"),
    ("zh", "谁也没看见那只狐狸[breath]除了面包师和他的狗。"),
)


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip of the demo: its id, language and tier; its sound follows from its place."""

    utt_id: str
    language: str
    tier: str


def prepare_integrity(*, competition: Competition, now: datetime, say: Say) -> None:
    """Load the pools, issue a pack to some entrants, commit to three windows and draw from them."""
    organizer = User.objects.get(email=ORGANIZER)
    opened = _ensure_dataset(competition, "practice", Pool.OPEN, _practice(), now)
    rotation = _ensure_dataset(competition, "rotation", Pool.ROTATION, _rotation(), now)
    _ensure_dataset(competition, "kept-back", Pool.HELD_OUT, _kept_back(), now)
    _ensure_pack(competition, opened, organizer, now)
    _ensure_windows(competition, rotation, organizer, now)
    copies = PackIssue.objects.filter(competition=competition).count()
    say(f"{copies} copies of a pack, {competition.windows.count()} windows of draws")


def verify_standings(*, competition: Competition, clock: Clock, say: Say) -> None:
    """Reveal one of the windows that have closed, and verify the first three of both phases of Track 1.

    Needs their boards. The outcome of one phase is published, the other is ready to be, and the second
    closed window is left to the organizer to reveal.
    """
    now = clock()
    organizer = User.objects.get(email=ORGANIZER)
    first = competition.windows.order_by("made_at", "pk").first()
    if first is not None and first.closes_at <= now:
        draws.reveal(actor=organizer, window=first, now=now)
    phases = Phase.objects.filter(track__competition=competition, track__slug=TRACK)
    for phase in phases.select_related("track__competition", "references"):
        found = _verified(phase, organizer, clock)
        if found is not None and phase.slug == PUBLISHED:
            _publish(found, organizer, now, say)
    done = Verification.objects.filter(phase__track__competition=competition)
    published = done.filter(publication__isnull=False).count()
    say(f"Track 1: {done.count()} standings tried on held-out clips, {published} published")


def _publish(found: Verification, organizer: User, now: datetime, say: Say) -> None:
    """Publish a standing whose outputs are all scored; tell where to do it if a worker is slower."""
    lines = comparing.compare(found)
    if late := publishing.missing(found, lines):
        say(f"Track 1: {len(late)} held-out outputs are not scored yet; publish from the console")
        return
    seen = comparing.digest(lines)
    publishing.publish(actor=organizer, verification=found, seen=seen, now=now)


def held_out_references() -> bytes:
    """Return the references of the demo's held-out clips as JSON Lines."""
    rows = (
        {"utt_id": clip.utt_id, "language": language, "text_with_nvvs": text}
        for clip, (language, text) in zip(_kept_back(), HELD_OUT, strict=True)
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _ensure_dataset(
    competition: Competition, slug: str, pool: Pool, clips: Sequence[Clip], now: datetime
) -> DatasetVersion:
    known = DatasetVersion.objects.filter(dataset__competition=competition, dataset__slug=slug)
    found = known.order_by("number").first()
    if found is not None:
        return found
    first = list(Pool).index(pool) * 1000
    with TemporaryDirectory(prefix="clips-") as name:
        folder = Path(name)
        for place, clip in enumerate(clips):
            (folder / f"{clip.utt_id}.wav").write_bytes(_sound(first + place))
        rows = b"".join(
            json.dumps(
                {
                    "utt_id": clip.utt_id,
                    "language": clip.language,
                    "tier": clip.tier,
                    "audio": f"{clip.utt_id}.wav",
                }
            ).encode()
            + b"\n"
            for clip in clips
        )
        loading = Loading(slug, slug.replace("-", " ").capitalize(), rows, folder, pool)
        return datasets.load(actor=None, competition=competition, loading=loading, now=now)


def _practice() -> list[Clip]:
    return [Clip(f"practice_{n:02d}", ("en", "zh")[n % 2], "easy") for n in range(1, 7)]


def _rotation() -> list[Clip]:
    return [
        Clip(f"rotation_{tier}_{n:02d}", ("en", "zh")[n % 2], tier)
        for tier, size in TIERS.items()
        for n in range(1, size + 1)
    ]


def _kept_back() -> list[Clip]:
    return [
        Clip(f"kept_{language}_{place:02d}", language, ("easy", "hard")[place % 2])
        for place, (language, _text) in enumerate(HELD_OUT, 1)
    ]


def _sound(place: int) -> bytes:
    """Return a quarter of a second of a triangle wave; no two places sound alike."""
    period = 32 + place
    ramp = np.abs(np.arange(QUARTER) % period * 2 - period)
    return wav((ramp * (8000 // period)).astype(np.int16), rate=RATE)


def _ensure_pack(
    competition: Competition, opened: DatasetVersion, organizer: User, now: datetime
) -> None:
    """Offer the practice clips; one copy is revoked and one request waits for an organizer."""
    pack = competition.packs.filter(name="practice").first() or packs.make(
        actor=organizer,
        competition=competition,
        name="practice",
        content=packs.Content(
            version=opened, texts={"README.txt": b"Clips to practise on. They are yours alone.\n"}
        ),
        terms=packs.Terms(approve=True, note="Synthetic clips to try the download with."),
        now=now,
    )
    packs.offer(actor=organizer, pack=pack, now=now)
    wanted = (IssueState.ACTIVE, IssueState.ACTIVE, IssueState.REVOKED, IssueState.REQUESTED)
    for entrant, state in zip(_entered(competition), wanted, strict=False):
        _ensure_copy(pack, entrant, state, organizer, now)


def _ensure_copy(
    pack: Pack, entrant: Entrant, state: IssueState, organizer: User, now: datetime
) -> None:
    captain = entrant.members.filter(role=MemberRole.CAPTAIN, left_at__isnull=True).get().user
    issue = pack.issues.filter(person=captain).first() or issues.request(
        actor=captain, pack=pack, typed_name=captain.name, now=now
    )
    if state != IssueState.REQUESTED and issue.state == IssueState.REQUESTED:
        issue = issues.approve(actor=organizer, issue=issue, now=now)
    if state == IssueState.REVOKED and issue.state == IssueState.ACTIVE:
        issues.revoke(actor=organizer, issue=issue, reason="Found on a public page.", now=now)


def _ensure_windows(
    competition: Competition, rotation: DatasetVersion, organizer: User, now: datetime
) -> None:
    """Commit to windows; draw from each while it is open, and show who has seen what.

    Two close at once, of which one is revealed and one is left to reveal; the third stays open.
    """
    entered = _entered(competition)
    for number, length in enumerate(LENGTHS):
        made = list(competition.windows.order_by("made_at", "pk"))
        window = made[number] if number < len(made) else _commit(rotation, organizer, length, now)
        if now < window.closes_at:
            for run, entrants in ((0, entered[:2]), (1, entered[:4]), (2, entered[:1])):
                _draw(window, run, entrants, now)


def _commit(
    rotation: DatasetVersion, organizer: User, length: timedelta, now: datetime
) -> DrawWindow:
    plan = draws.Plan(n=DRAWN, opens_at=now, closes_at=now + length)
    return draws.commit(actor=organizer, version=rotation, plan=plan, now=now)


def _draw(window: DrawWindow, run: int, entrants: Sequence[Entrant], now: datetime) -> None:
    made = draws.draw(window=window, run=run, now=now)
    for entrant in entrants:
        draws.expose(draw=made, entrant=entrant, now=now)


def _entered(competition: Competition) -> list[Entrant]:
    rows = competition.entrants.filter(
        state=EntrantState.ACCEPTED, members__role=MemberRole.CAPTAIN
    )
    return list(rows.distinct().order_by("pk"))


def _verified(phase: Phase, organizer: User, clock: Clock) -> Verification | None:
    """Return the phase's verification with an output of each entrant; None without three places."""
    now = clock()
    found = Verification.objects.filter(phase=phase).first()
    if found is None:
        offered = beginning.offered(beginning.ranked(phase))
        if len(offered) < beginning.OFFERED:
            return None
        found = beginning.begin(
            actor=organizer,
            phase=phase,
            held_out=_held_out_set(phase, organizer, now),
            wish=Wish(tuple(row.entrant for row in offered)),
            now=now,
        )
    waiting = [
        _give(named, organizer, clock())
        for named in found.entrants.select_related("entrant__team", "evaluation__submission")
        if not named.runs.filter(state=VerificationState.SCORED).exists()
    ]
    _score(waiting, clock)
    return found


def _held_out_set(phase: Phase, organizer: User, now: datetime) -> HeldOutSet:
    version = DatasetVersion.objects.get(
        dataset__competition=phase.track.competition, dataset__slug="kept-back"
    )
    return sets.make(
        actor=organizer,
        track=phase.track,
        version=version,
        title="Twelve clips kept back",
        data=held_out_references(),
        now=now,
    )


def _give(named: VerifiedEntrant, organizer: User, now: datetime) -> VerificationRun:
    """Bring an entrant's output, as its system writes it."""
    return receiving.receive(
        actor=organizer,
        named=named,
        filename=f"{named.entrant.code}.jsonl",
        stored=store_stream([predict(held_out_references(), _profile(named))], limit=OUTPUT_BYTES),
        now=now,
    )


def _score(waiting: Sequence[VerificationRun], clock: Clock) -> None:
    """Have outputs scored: a worker or this process does each, whoever claims it first."""
    for run in waiting:
        scoring.run(run_id=run.pk, worker="demo", clock=clock)
    under_way = VerificationRun.objects.filter(
        pk__in=[run.pk for run in waiting], state__in=publishing.UNDER_WAY
    )
    give_up_at = clock() + PATIENCE
    while under_way.exists() and clock() < give_up_at:
        time.sleep(POLL_SECONDS)


def _profile(named: VerifiedEntrant) -> Profile:
    """Return how the system that counts on the board hears clips that it never met."""
    team = named.entrant.team.name
    profiles = {
        (entrant.team, upload.profile.system): upload.profile
        for entrant in ENTRANTS
        for upload in entrant.uploads
    }
    found = profiles[team, named.evaluation.submission.system]
    if team != OVERFITTED:
        return found
    return replace(found, en=min(1.0, found.en * WORSE), zh=min(1.0, found.zh * WORSE))
