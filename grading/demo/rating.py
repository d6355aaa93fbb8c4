"""The demo's final of Track 2: the phase is closed, systems are selected, and a rating is opened.

The organizer of the demo does it by the services that the console calls. Every step looks first and
makes what is missing, so that it may be stopped anywhere and run again.
"""

from __future__ import annotations

import time
from datetime import datetime

from accounts.models import User
from competition.enums import BoardAct, Role
from competition.models import Competition, Phase, RoleGrant
from competition.services import deadlines
from competition.timeline import is_closed
from grading.demo.api_client import UploadError
from grading.demo.controls import controls
from grading.demo.people import RATERS
from grading.demo.prepare import SLUG
from grading.demo.speakers import PHASE, TRACK
from grading.demo.upload import POLL_SECONDS, STALL_SECONDS, Show, await_boards
from grading.enums import ProtocolState, RatingForm
from grading.models import FinalBoard, FinalSelection, RatingProtocol
from grading.services.final import choosing, publishing
from grading.services.final.errors import NothingRanked
from grading.services.ratings import consents, protocols, raters, stimuli
from grading.services.ratings import controls as control_items

# Small enough that a session takes five minutes: 8 scored clips, 2 traps, 2 known answers, 1 repeat.
SETTINGS = {
    "texts": 8, "wanted": 5, "least": 2, "raters": 30,
    "scored": 8, "traps": 2, "known": 2, "repeats": 1, "practice": 2, "trials": 3, "trials_right": 2,
    "traps_passed": 2, "known_right": 1,
}  # fmt: skip
_REASON = "The demo's entrants have uploaded: people can rate now."
_CONSENT = {
    "en": (
        "This is the demo of a listening test. You hear short clips that a program has made and give"
        " each of them five marks. Kept are your marks, the times at which you gave them and how often"
        " you played a clip, under a pseudonym. You may stop at any time; when you withdraw your"
        " consent, your name goes and your marks stay under the pseudonym. Everything stays on the"
        " machine on which this demo runs."
    ),
    "zh-hans": (
        "这是一次听音测试的演示。您会听到由程序生成的短音频，并为每段音频打五项分数。"
        "系统以化名保存您的分数、评分时间和播放次数。您可以随时停止；"
        "撤回同意后，您的姓名会被删除，分数仍以化名保留。所有数据只保存在运行本演示的机器上。"
    ),
    "zh-hant": (
        "這是一次聽音測試的示範。您會聽到由程式生成的短音訊，並為每段音訊打五項分數。"
        "系統以化名保存您的分數、評分時間和播放次數。您可以隨時停止；"
        "撤回同意後，您的姓名會被刪除，分數仍以化名保留。所有資料只保存在執行本示範的機器上。"
    ),
}  # fmt: skip


def open_rating(*, now: datetime, show: Show) -> RatingProtocol:
    """Close the phase, select its systems, open the rating and give the demo's raters their places.

    `show` is told how many sounds are prepared. Raises UploadError when the worker prepares none for
    five minutes, and the refusals of the services it calls: none is expected.
    """
    organizer = _organizer()
    phase = Phase.objects.select_related("track__competition").get(
        track__competition__slug=SLUG, track__slug=TRACK, slug=PHASE
    )
    if not is_closed(phase, now):
        phase = deadlines.move(
            actor=organizer, phase=phase, field="closes_at", new=now, reason=_REASON, now=now
        )
    protocol = _ensure_protocol(organizer, _ensure_selection(organizer, phase, now), now)
    if protocol.state == ProtocolState.DRAFT:
        _await_sounds(protocol, show)
        protocols.open_protocol(actor=organizer, protocol=protocol, now=now)
        protocol.refresh_from_db()
    if protocol.state == ProtocolState.OPEN:
        _ensure_raters(protocol, now)
    return protocol


def publish_final(*, now: datetime) -> bool:
    """Publish the demo's final board as its organizer; returns whether it is public.

    It is not while no system has a final score yet.
    """
    board = FinalBoard.objects.select_related("phase__track__competition").get(
        phase__track__competition__slug=SLUG, phase__track__slug=TRACK, phase__slug=PHASE
    )
    if BoardAct.PUBLISH not in publishing.possible(board):
        return True
    try:
        publishing.act(
            actor=_organizer(),
            phase=board.phase,
            kind=BoardAct.PUBLISH,
            reason="The first systems have enough ratings.",
            now=now,
        )
    except NothingRanked:
        return False
    return True


def _organizer() -> User:
    grant = RoleGrant.objects.select_related("user").get(
        competition=Competition.objects.get(slug=SLUG),
        role=Role.ORGANIZER,
        user__email="organizer@example.org",
        revoked_at__isnull=True,
    )
    return grant.user


def _ensure_selection(organizer: User, phase: Phase, now: datetime) -> FinalSelection:
    found: FinalSelection | None = FinalSelection.objects.filter(phase=phase).first()
    if found is not None:
        return found
    await_boards()
    wish = choosing.Wish()
    proposal = choosing.propose(phase, wish=wish, now=now)
    return choosing.record(actor=organizer, phase=phase, wish=wish, digest=proposal.digest, now=now)


def _ensure_protocol(organizer: User, selection: FinalSelection, now: datetime) -> RatingProtocol:
    protocol = RatingProtocol.objects.filter(selection=selection, form=RatingForm.NVV).first()
    if protocol is None:
        protocol = protocols.draft(
            actor=organizer, selection=selection, settings=SETTINGS, now=now, seed="nvv-demo"
        )
    if protocol.state == ProtocolState.DRAFT:
        if not protocol.consent_texts.exists():
            consents.publish(
                actor=organizer, protocol=protocol, texts=_CONSENT, keeps_ratings=True, now=now
            )
        protocols.lay_out(actor=organizer, protocol=protocol, now=now)
        _ensure_controls(organizer, protocol, now)
    return protocol


def _ensure_controls(organizer: User, protocol: RatingProtocol, now: datetime) -> None:
    there = set(protocol.stimuli.filter(system__isnull=True).values_list("name", flat=True))
    missing = [
        control_items.Item(
            kind=one.kind,
            language=one.language,
            name=one.name,
            text=one.text,
            sound=one.wav(),
            expected=one.expected,
            explanation=one.explanation,
        )
        for one in controls()
        if one.name not in there
    ]
    if missing:
        control_items.add(actor=organizer, protocol=protocol, items=missing, now=now)
    stimuli.want(protocol=protocol, now=now)


def _await_sounds(protocol: RatingProtocol, show: Show) -> None:
    seen, stalled_at = -1, time.monotonic() + STALL_SECONDS
    while not (found := stimuli.progress(protocol=protocol)).is_complete:
        if found.failed:
            raise UploadError(f"{found.failed} sounds could not be prepared")
        if found.prepared != seen:
            seen, stalled_at = found.prepared, time.monotonic() + STALL_SECONDS
            show("preparing", found.prepared, found.total)
        elif time.monotonic() > stalled_at:
            raise UploadError("no sound was prepared for five minutes")
        time.sleep(POLL_SECONDS)
    show("prepared", found.total, found.total)


def _ensure_raters(protocol: RatingProtocol, now: datetime) -> None:
    """Give every rater of the demo a place; consent and languages they choose themselves."""
    people = User.objects.filter(email__in=[person.email for person in RATERS]).order_by("email")
    for person in people:
        raters.place_for(protocol=protocol, user=person, now=now)
