"""Everything the page of one submission shows, for one reader."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Refusal
from competition.enums import EntrantKind
from competition.models import Phase
from competition.timeline import is_closed, is_complete_in_time, is_frozen, is_on_time
from grading import queries, rules
from grading.charts.moves import Waterfall
from grading.enums import EvaluationState, QuotaState, SubmissionState
from grading.models import Board, Evaluation, Recipe, Submission
from grading.presentation import Sight, columns_of
from grading.scoring import registry
from grading.services import quota, receipts, renaming
from grading.services.quota import Ledger
from grading.shown import filesize
from grading.steps import Step, StepState, is_final, steps_of
from grading.views import judge_label
from grading.views.clips_page import ClipsPage
from grading.views.parts import PartName, columns_of_track, meanings, words
from grading.views.parts import parts_of as part_names
from grading.views.report_page import (
    ReportFilter,
    ReportPage,
    reading_name,
    report_of_submission,
)
from grading.views.seen import Seen, seen
from grading.views.standing_of import Place, place_of, previous_best
from grading.views.submission_acts import Act, acts_of
from grading.views.submission_notices import Notice, notices_of
from grading.views.submission_score import (
    LabelRow,
    LanguageRow,
    Moved,
    ScoreText,
    Ways,
    label_rows,
    language_rows,
    moved,
    parts_of,
    score_text,
)
from grading.views.titles import OfPhase

OUT_OF_100 = "0–100"
PATIENCE = timedelta(seconds=60)
"""How long the page waits for the board after a score before it stops asking."""


@dataclass
class SubmissionPage(OfPhase):
    """One submission under its live evaluation, as one reader may see it."""

    submission: Submission
    evaluation: Evaluation | None
    reader: User
    chosen: ReportFilter
    now: datetime

    @property
    def phase(self) -> Phase:
        """The submission's phase."""
        return self.submission.phase

    @property
    def name(self) -> str:
        """The submission's number in its team, four digits."""
        return f"{self.submission.number:04d}"

    @property
    def team(self) -> str:
        """The team's name."""
        return self.submission.entrant.team.name

    @property
    def url(self) -> str:
        """The page's own address."""
        return self.submission.get_absolute_url()

    @property
    def kind_label(self) -> str:
        """What the entrant is on the board."""
        return str(EntrantKind(self.submission.entrant.kind).label)

    @property
    def kind_style(self) -> str:
        """The badge's style: official ones are marked with a tick."""
        return "ok" if self.submission.entrant.kind == EntrantKind.OFFICIAL else "dash"

    @cached_property
    def is_mine(self) -> bool:
        """True for a member of the team."""
        return rules.is_member(self.reader, self.submission)

    @cached_property
    def sight(self) -> Sight:
        """How much of scores the reader sees."""
        return queries.sight_for(self.reader, self.phase, self.now)

    @cached_property
    def is_scored(self) -> bool:
        """True when there is a finished evaluation."""
        return self.evaluation is not None and self.evaluation.state == EvaluationState.SCORED

    @cached_property
    def steps(self) -> list[Step]:
        """The timeline of states."""
        position = None
        if not is_final(self.submission, self.evaluation):
            position = queries.place_in_queue(self.submission)
        return steps_of(self.submission, self.evaluation, position)

    @property
    def current_step(self) -> int:
        """Which step the submission stands at, counted from 0."""
        reached = [i for i, step in enumerate(self.steps) if step.state != StepState.TODO]
        return reached[-1]

    @property
    def spoken(self) -> str:
        """The state in one sentence, for readers who hear the page."""
        step = self.steps[self.current_step]
        return f"{step.name}. {step.detail}".strip()

    @cached_property
    def is_settled(self) -> bool:
        """True when nothing on the page will change by itself: final, and the board has caught up."""
        if not is_final(self.submission, self.evaluation):
            return False
        finished = self.evaluation.finished_at if self.evaluation else None
        if not self.is_scored or finished is None or self.now - finished > PATIENCE:
            return True
        board = Board.objects.filter(phase=self.phase).only("built", "wanted").first()
        return board is None or board.built >= board.wanted

    @property
    def fingerprint(self) -> str:
        """A short hash of what the page shows now: an unchanged one needs no new drawing."""
        shown = [self.submission.state, self.is_settled, self.place, self.slot]
        shown += [(step.name, step.detail, step.done, step.total) for step in self.steps]
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]

    @cached_property
    def seen(self) -> Seen | None:
        """The score as far as it shows, None without one."""
        return None if self.known is None or self.known.score is None else self.known

    @cached_property
    def known(self) -> Seen | None:
        """What shows of a finished evaluation, also where its score is withheld."""
        if self.evaluation is None or not self.is_scored:
            return None
        found = seen(self.evaluation, self.sight)
        return None if found.is_hidden else found

    @cached_property
    def ways(self) -> Ways:
        """How the track's numbers are called and written."""
        kind = registry.get(self.track.kind)
        recipe = self.evaluation.recipe if self.evaluation is not None else None
        columns = columns_of_track(self.track) if recipe is None else columns_of(recipe)
        if self.evaluation is not None:
            # a part has a row of its own in the table, so that its column would say nothing more
            columns = tuple(one for one in columns if one.key not in self.evaluation.languages)
        params = kind.params(self.track.params if recipe is None else recipe.params)
        names = {view.key: view.label for view in kind.views(params)}
        return Ways(columns, kind.counts, kind.overall, names)

    @property
    def score_name(self) -> str:
        """What the score is called."""
        return words(self.ways.head.label)

    @property
    def score_unit(self) -> str:
        """What the score is counted in, empty where it is out of 100."""
        head = self.ways.head
        return "" if head.unit == OUT_OF_100 else words(head.unit)

    @property
    def score_range(self) -> str:
        """The unit of the score, or its range, as a head of a table has it."""
        return words(self.ways.head.unit)

    @property
    def unit(self) -> str:
        """What changes of the score are told in."""
        head = self.ways.head
        in_points = head.shown_as == "percent" or head.unit == OUT_OF_100
        return _("points") if in_points else words(head.unit)

    @cached_property
    def score(self) -> ScoreText | None:
        """The main figure."""
        if self.seen is None or self.evaluation is None:
            return None
        return score_text(self.seen, self.ways, self.evaluation.recipe.scorer)

    @cached_property
    def best_before(self) -> Evaluation | None:
        """The entrant's best evaluation before this one, in the same phase."""
        if self.seen is None or self.evaluation is None:
            return None
        return previous_best(self.evaluation)

    @cached_property
    def seen_before(self) -> Seen | None:
        """The best score before this one, as far as it shows."""
        return seen(self.best_before, self.sight) if self.best_before else None

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each part of the score."""
        params = self.evaluation.recipe.params if self.evaluation else {}
        return {name: float(weight) for name, weight in params.get("weights", {}).items()}

    @cached_property
    def moved(self) -> Moved | None:
        """What changed against the best score before this one."""
        if self.seen is None or self.best_before is None:
            return None
        name = f"{self.best_before.submission.number:04d}"
        return moved(self.seen, self.seen_before, name, self.weights, self.ways)

    @property
    def parts(self) -> Waterfall | None:
        """What each part brings to the score."""
        return parts_of(self.seen, self.weights, self.ways) if self.seen else None

    @property
    def parts_note(self) -> str:
        """Why there is nothing to compare with."""
        return _("This is the first scored submission of the team in this phase.")

    @cached_property
    def languages(self) -> list[LanguageRow]:
        """One row a language, and the mean."""
        return language_rows(self.known, self.seen_before, self.ways) if self.known else []

    @property
    def languages_caption(self) -> str:
        """What is rounded."""
        if self.sight == Sight.ROUNDED:
            return _("Score and components, two decimals while the phase is open")
        return _("Score and components")

    @property
    def part_names(self) -> list[PartName]:
        """The parts that the score is made of."""
        return part_names(self.ways.columns)

    @property
    def has_counts(self) -> bool:
        """True when event counts are shown."""
        return self.known is not None and self.known.has_counts and bool(self.ways.counts)

    @property
    def count_heads(self) -> str:
        """What the counts of a part are called, in their order."""
        return " · ".join(words(one.label) for one in self.ways.counts)

    @property
    def counts_note(self) -> str:
        """When counts appear, or what they are; what the letters mean where there are none."""
        if not self.ways.counts:
            told = meanings(self.part_names)
            return _("Shares of the mean marks: %(meanings)s.") % {"meanings": told} if told else ""
        if self.has_counts:
            named = [one for one in self.ways.counts if one.meaning]
            told = ", ".join(f"{words(one.label)} {words(one.meaning)}" for one in named)
            return f"{told}." if told else ""
        if self.recipe is not None and "labels" in self.recipe.params:
            return _("Event counts and the table per label appear when the phase closes.")
        return _("The counts behind it appear when the phase closes.")

    @cached_property
    def labels(self) -> list[LabelRow]:
        """One row a label, when counts are shown."""
        return label_rows(self.seen) if self.seen else []

    @property
    def label_languages(self) -> list[str]:
        """The languages of the table per label, in the order of its cells."""
        return sorted(self.seen.languages, reverse=True) if self.seen else []

    @cached_property
    def place(self) -> Place | None:
        """Where this submission stands on the board, None when it is not on it."""
        if self.seen is None or self.evaluation is None:
            return None
        return place_of(self.evaluation)

    @property
    def off_board(self) -> str:
        """Why a scored submission is not on the board."""
        if is_frozen(self.phase, self.now):
            return _("The board is frozen; it is updated when the freeze ends.")
        if not self.is_settled:
            return _("being computed")
        return _("another submission of the team counts")

    @cached_property
    def report(self) -> ReportPage | None:
        """The validation report, once there is one."""
        if self.submission.problems_total is None:
            return None
        code = [self.submission.code]
        urls = (reverse("grading:report-json", args=code), reverse("grading:report-csv", args=code))
        return report_of_submission(self.submission, self.chosen, urls=urls)

    @cached_property
    def clips(self) -> ClipsPage | None:
        """What was taken out of an accepted archive of clips."""
        sends_sounds = registry.get(self.track.kind).sends_sounds
        if not sends_sounds or self.submission.state == SubmissionState.REJECTED:
            return None
        found = ClipsPage(self.submission)
        return found if found.all_rows else None

    @property
    def notices(self) -> Sequence[Notice]:
        """What happened, what it cost, and what to do next."""
        return notices_of(self.submission, self.evaluation, self.sight, self.now)

    @property
    def actions(self) -> list[Act]:
        """What the team may do, with the reason for what it may not."""
        return acts_of(self.submission, self.evaluation, self.now) if self.is_mine else []

    @property
    def may_rename(self) -> bool:
        """Whether the reader may change what it is called now."""
        try:
            renaming.admit(actor=self.reader, submission=self.submission, now=self.now)
        except Refusal:
            return False
        return True

    @property
    def size(self) -> str:
        """The size of the file."""
        return filesize(self.submission.size)

    @property
    def reading(self) -> str:
        """How the file was read."""
        return reading_name(self.submission.reading)

    @property
    def is_on_time(self) -> bool:
        """True when the upload began inside the window and ended inside its grace."""
        return is_on_time(self.submission.created_at, self.phase) and is_complete_in_time(
            self.submission.received_at, self.phase
        )

    @cached_property
    def quota(self) -> Ledger | None:
        """The team's account, for its members and the organizers."""
        return quota.ledger(entrant=self.submission.entrant, phase=self.phase, now=self.now)

    @property
    def file_sha256(self) -> str | None:
        """The file's own SHA-256, once it is known."""
        return receipts.file_sha256(self.submission)

    @cached_property
    def log_number(self) -> int | None:
        """The number of the upload in the competition's log."""
        return receipts.log_number(self.submission)

    @property
    def slot(self) -> str:
        """What this upload did to the quota."""
        entry = getattr(self.submission, "quota", None)
        if entry is None:
            return _("outside the quota")
        words = {
            QuotaState.RESERVED: _("one slot reserved"),
            QuotaState.CHARGED: _("one slot used"),
            QuotaState.RELEASED: _("no slot used"),
        }
        return words[QuotaState(entry.state)]

    @property
    def utterances_url(self) -> str:
        """Where organizers look into a score, empty for others."""
        return self._organizers_url("grading:console-utterances")

    @property
    def checks_url(self) -> str:
        """Where organizers have a score computed again, empty for others."""
        return self._organizers_url("grading:score-checks")

    def _organizers_url(self, name: str) -> str:
        if not self.is_scored or not self._is_organizers:
            return ""
        return reverse(name, args=[self.competition.slug, self.submission.code])

    @cached_property
    def _is_organizers(self) -> bool:
        return queries.organizes(self.reader, self.phase)

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that scored it."""
        return self.evaluation.recipe if self.evaluation else None

    @property
    def provisional(self) -> str:
        """What the score is made of where it is not the last word, empty elsewhere."""
        params = self.evaluation.recipe.params if self.evaluation else {}
        return judge_label.provisional(self.track.kind, params)

    @property
    def provisional_note(self) -> str:
        """What a reader has to know about a judge that is none."""
        params = self.evaluation.recipe.params if self.evaluation else {}
        return judge_label.provisional_note(self.track.kind, params)

    @property
    def seed(self) -> str:
        """The seed of the interval, once there is a score."""
        return self.evaluation.seed if self.evaluation and self.seen else ""

    @property
    def is_over(self) -> bool:
        """True once the phase has closed."""
        return is_closed(self.phase, self.now)
