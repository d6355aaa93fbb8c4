"""A final that is published, with a system of every look, and a second phase without a selection."""

from __future__ import annotations

from datetime import datetime, timedelta

from accounts.models import User
from competition.enums import BoardAct, EntrantKind
from competition.models import Phase
from grading.enums import FilingKind, FilingVerdict
from grading.models import Filing, FinalBoard, Rater, RatingExclusion
from grading.services import boards, recipes, standings
from grading.services.final import filings, marks, publishing, rankings
from grading.services.final.filings import SentPaper
from tests.factories.finals import CLOSES, OPENS, Stage, make_stage, rate

TEAMS = {
    "Aurora Speech": ("74.87", "62.40"),
    "Team Lighthouse": ("72.94", "61.90"),
    "语声实验室": ("73.96", "48.04"),
    "Moonlight Voices": ("66.10", ""),
}
SYSTEMS = {"Aurora Speech": "aurora-tts 2", "语声实验室": "yusheng-v3"}


def make_final_world(now: datetime) -> tuple[dict[str, User | None], dict[str, dict[str, str]]]:
    """Return the final's people by kind, and what the addresses of its pages are made of."""
    stage = make_stage()
    captain = _enter(stage)
    selection = stage.select(n=4)
    scores = {
        SYSTEMS.get(team, f"{team}-tts"): dict.fromkeys(("en", "zh"), people)
        for team, (_judge, people) in TEAMS.items()
        if people
    }
    rate(selection, scores | {"Baseline-tts": dict.fromkeys(("en", "zh"), "41.20")}, now=now)
    board = FinalBoard.objects.get(phase=stage.phase)
    rankings.rebuild(board_id=board.pk, now=now)
    _publish(stage, now)
    _exclude(stage, board, now + timedelta(minutes=2))
    filing = _file(stage, captain, now)
    _second_phase(stage, now)
    slug, phase = stage.competition.slug, stage.phase
    place = {"slug": slug, "track": phase.track.slug, "phase": phase.slug}
    code = filing.system.submission.code
    people: dict[str, User | None] = {"finalist": captain, "final organizer": stage.organizer}
    return people, {
        "final place": place,
        "final papers": place | {"code": code},
        "final competition": {"slug": slug},
        "final code": {"slug": slug, "code": phase.code},
        "final act": {"slug": slug, "code": phase.code, "act": "freeze"},
        "final choice": {"slug": slug, "code": Phase.objects.get(slug="second").code},
        "paper": {"slug": slug, "code": filing.code},
    }


def _enter(stage: Stage) -> User:
    """Enter teams, a baseline, an unofficial one and one that people do not rate; return a captain."""
    found = None
    for team, (judge, _people) in TEAMS.items():
        submission = stage.judged(team, judge, system=SYSTEMS.get(team, ""))
        found = found or submission.uploader
    stage.judged("Baseline", "40.00", kind=EntrantKind.BASELINE)
    stage.judged("Evening Class", "55.00", kind=EntrantKind.UNOFFICIAL)
    stage.judged("Small Steps", "31.25")
    assert found is not None
    return found


def _publish(stage: Stage, now: datetime) -> None:
    publishing.act(
        actor=stage.organizer,
        phase=stage.phase,
        kind=BoardAct.PUBLISH,
        reason="The last rater is done.",
        now=now,
    )


def _exclude(stage: Stage, board: FinalBoard, now: datetime) -> None:
    rater = Rater.objects.filter(pseudonym__startswith="S1-en").earliest("pk")
    RatingExclusion.objects.create(
        protocol=rater.protocol,
        kind="rater",
        rater=rater,
        reason="asked for it",
        excluded_at=now,
    )
    marks.note_change(phase_id=stage.phase.pk, now=now)
    rankings.rebuild(board_id=board.pk, now=now)


def _file(stage: Stage, captain: User, now: datetime) -> Filing:
    """File two papers of the first system; one is accepted, the other returned."""
    system = stage.phase.final_selection.systems.get(submission__uploader=captain)
    text = SentPaper(text="A diffusion model of 300 M parameters,\ntrained on 2,000 h of speech.")
    link = SentPaper(link="https://example.org/aurora/resources", text="No paid service.")
    first = filings.file(
        actor=captain, system=system, kind=FilingKind.DESCRIPTION, sent=text, now=now
    )
    second = filings.file(
        actor=captain, system=system, kind=FilingKind.RESOURCES, sent=link, now=now
    )
    for filing, verdict, note in (
        (first, FilingVerdict.ACCEPTED, ""),
        (second, FilingVerdict.RETURNED, "Name the data sets with their versions."),
    ):
        filings.check(actor=stage.organizer, filing=filing, verdict=verdict, note=note, now=now)
    return first


def _second_phase(stage: Stage, now: datetime) -> None:
    """Add a closed phase with two systems, whose selection is still to be made."""
    phase = Phase.objects.create(
        track=stage.phase.track,
        slug="second",
        texts={"en": {"title": "Second phase"}},
        references=stage.phase.references,
        opens_at=OPENS,
        closes_at=CLOSES,
    )
    recipes.ensure_live(phase=phase, now=now)
    entrants = stage.competition.entrants.order_by("pk")[:2]
    for entrant, score in zip(entrants, ("66.10", "55.00"), strict=True):
        captain = entrant.members.get().user
        stage.submission(entrant, captain, score, system="second try", phase=phase)
    board_id = boards.note_change(phase_id=phase.pk, now=now)
    standings.rebuild(board_id=board_id, now=now)
