from __future__ import annotations

from django.db.models import IntegerChoices, TextChoices
from django.utils.translation import gettext_lazy as _


class SubmissionState(TextChoices):
    """Where an upload stands; scoring is the state of its evaluation."""

    RECEIVED = "received", _("received")
    ACCEPTED = "accepted", _("accepted")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class ValidationStep(TextChoices):
    """What the validation of an archive of clips is at."""

    CHECK = "check", _("reading the archive")
    CLIPS = "clips", _("taking out the clips")
    SCREEN = "screen", _("automatic screen")
    STORE = "store", _("storing the clips")


class UploadState(TextChoices):
    """Where an upload in parts stands; while it is open it holds one slot of quota."""

    OPEN = "open", _("open")
    COMPLETED = "completed", _("completed")
    ABORTED = "aborted", _("aborted")


class UploadEnd(TextChoices):
    """Why an upload in parts ended."""

    COMPLETED = "completed", _("completed")
    ABORTED = "aborted", _("aborted by the team")
    EXPIRED = "expired", _("not completed in time")
    REPEATED = "repeated", _("the same content was there already")


class SubmissionKind(TextChoices):
    """Why it was uploaded; only entries are charged and shown on boards."""

    ENTRY = "entry", _("entry")
    CANARY = "canary", _("canary")


class EvaluationState(TextChoices):
    """Where one submission under one recipe stands; `waiting` is for marks that are not all there."""

    WAITING = "waiting", _("waiting for marks")
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    SCORED = "scored", _("scored")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class QuotaState(TextChoices):
    """A slot is reserved at upload, charged at acceptance, released when it cost nothing."""

    RESERVED = "reserved", _("reserved")
    CHARGED = "charged", _("charged")
    RELEASED = "released", _("released")


class RecipeRole(TextChoices):
    """A phase has one live recipe and at most one candidate."""

    LIVE = "live", _("live")
    CANDIDATE = "candidate", _("candidate")
    RETIRED = "retired", _("retired")


class NoticeState(TextChoices):
    """Whether a mail went out; one that its reader switched off meanwhile is dropped."""

    WAITING = "waiting", _("waiting")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")
    DROPPED = "dropped", _("dropped")


class Priority(IntegerChoices):
    """Which evaluations go first: those of fresh uploads, before what is scored again."""

    FRESH = 0, _("fresh")
    AGAIN = 1, _("again")


class RescoringState(TextChoices):
    """What became of a proposed recipe."""

    OPEN = "open", _("open")
    SWITCHED = "switched", _("switched")
    CANCELLED = "cancelled", _("cancelled")


class CheckState(TextChoices):
    """Where a score that is computed again on appeal stands, and how it compares."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    SAME = "same", _("same")
    DIFFERS = "differs", _("differs")
    FAILED = "failed", _("failed")


class SelectionReason(TextChoices):
    """Why a system is among those that people rate."""

    TOP = "top", _("among the first")
    OVERLAP = "overlap", _("interval overlaps that of the last of them")
    BASELINE = "baseline", _("baseline")
    REFERENCE = "reference", _("human reference")
    ANCHOR = "anchor", _("low anchor")


class FinalList(TextChoices):
    """The two lists of a final board: systems that people rated, and those the judge alone heard."""

    RATED = "rated", _("rated by people")
    JUDGED = "judged", _("heard by the judge alone")


class FinalCheckOutcome(TextChoices):
    """How a snapshot that was computed again compares."""

    SAME = "same", _("same")
    DIFFERS = "differs", _("differs")
    OUTDATED = "outdated", _("marks have changed since")


class FilingKind(TextChoices):
    """What the entrant of a selected system files for verification."""

    DESCRIPTION = "description", _("system description")
    RESOURCES = "resources", _("disclosed resources: data, models, paid services")
    MATERIAL = "material", _("reproducibility material")


class FilingVerdict(TextChoices):
    """What an organizer found of a filing."""

    ACCEPTED = "accepted", _("accepted")
    RETURNED = "returned", _("returned")


class JudgeRunState(TextChoices):
    """Where the judging of one evaluation stands; a stopped run waits for an organizer."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    STOPPED = "stopped", _("stopped")
    DONE = "done", _("complete")
    CANCELLED = "cancelled", _("cancelled")


class JudgeStop(TextChoices):
    """Why a judge's run stopped; the label is the sentence that participants read."""

    BUDGET_CALLS = (
        "BUDGET_CALLS",
        _("The number of calls set aside for this submission is used up."),
    )
    BUDGET_AUDIO = "BUDGET_AUDIO", _("The audio time set aside for this submission is used up.")
    BUDGET_COST = "BUDGET_COST", _("The budget set aside for this submission is used up.")
    CANARY_CHANGED = (
        "CANARY_CHANGED",
        _("The judge gave other marks than it should on items with known marks."),
    )
    CANARY_UNANSWERED = (
        "CANARY_UNANSWERED",
        _("The judge gave no marks that count on items with known marks."),
    )
    CANARIES_MISSING = (
        "CANARIES_MISSING",
        _("The items with known marks that the judge is tried with are not there."),
    )
    UNANSWERED = "UNANSWERED", _("The judge gave no marks that count on some items.")
    UNREACHABLE = "UNREACHABLE", _("The judge could not be reached for some time.")
    REFUSED = "REFUSED", _("The judge refused the server's requests.")
    NOT_ALLOWED = "NOT_ALLOWED", _("The judge is not set up on this server.")
    STAND_IN = "STAND_IN", _("Another judge answered than the one that was asked.")
    TEXT_UNTAGGED = "TEXT_UNTAGGED", _("A text names no vocalization, so it cannot be judged.")
    CLIPS_MISSING = "CLIPS_MISSING", _("Some items of this submission could not be read.")


class AttemptKind(TextChoices):
    """What a call to the judge was about."""

    CLIP = "clip", _("item")
    CANARY = "canary", _("item with known marks")


class AttemptState(TextChoices):
    """What became of one call to the judge."""

    IN_FLIGHT = "in-flight", _("in flight")
    ANSWERED = "answered", _("answered")
    FAILED = "failed", _("failed")
    LOST = "lost", _("lost with its worker")


class JudgeFailure(TextChoices):
    """Why a call gave no marks."""

    UNREACHABLE = "unreachable", _("could not be reached")
    TIMED_OUT = "timed-out", _("no answer in time")
    CUT_OFF = "cut-off", _("the answer broke off")
    RATE_LIMITED = "rate-limited", _("too many requests")
    SERVER_ERROR = "server-error", _("error of the judge's server")
    REFUSED = "refused", _("refused: key, model or address")
    REJECTED = "rejected", _("rejected the request")
    TRUNCATED = "truncated", _("the answer was too long")
    MALFORMED = "malformed", _("not the form that was asked for")
    OUT_OF_RANGE = "out-of-range", _("a mark out of range")
    AUDIO_DROPPED = "audio-dropped", _("the audio was not listened to")
    STAND_IN = "stand-in", _("answered by a stand-in")
    NOT_RECORDED = "not-recorded", _("not in the recording")
    STORAGE = "storage", _("the item could not be read")


class AnswerSource(TextChoices):
    """What sort of judge gave an answer."""

    ENDPOINT = "endpoint", _("judge")
    STAND_IN = "stand-in", _("stand-in")
    RECORDED = "recorded", _("recording")


class RatingForm(TextChoices):
    """What raters are asked; each is declared in `grading/scoring/rating/forms.py`."""

    NVV = "nvv", _("marks of vocalizations")
    MOS = "mos", _("mean opinion score")
    COMOS = "comos", _("comparison with another system")


class ProtocolState(TextChoices):
    """Where the rating of a selection stands; only what is open is given to raters."""

    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    CLOSED = "closed", _("closed")


class StimulusKind(TextChoices):
    """What a sound is for; only what is scored enters a mean. `compared` is the other one of a pair."""

    SCORED = "scored", _("scored")
    PRACTICE = "practice", _("practice")
    TRAP = "trap", _("attention trap")
    KNOWN = "known", _("known answer")
    COMPARED = "compared", _("compared with")


class TaskKind(TextChoices):
    """What a rater's task is for. A repeat replays one of their own, a null pair is one clip twice;
    neither enters a mean.
    """

    SCORED = "scored", _("scored")
    TRAP = "trap", _("attention trap")
    KNOWN = "known", _("known answer")
    REPEAT = "repeat", _("repeat")
    NULL = "null", _("null pair")


class TaskState(TextChoices):
    """Where a task stands. `late`: answered after somebody else had taken its place in the plan."""

    NEXT = "next", _("fetched ahead")
    OPEN = "open", _("open")
    ANSWERED = "answered", _("answered")
    LATE = "late", _("answered late")
    BROKEN = "broken", _("audio reported broken")
    RELEASED = "released", _("released")


class RaterState(TextChoices):
    """Where a rater stands; only an active one is given stimuli."""

    JOINED = "joined", _("has not consented yet")
    ACTIVE = "active", _("active")
    EXCLUDED = "excluded", _("excluded")
    WITHDRAWN = "withdrawn", _("consent withdrawn")


class SessionState(TextChoices):
    """Where a sitting of a rater stands."""

    CHECKS = "checks", _("headphones check")
    PRACTICE = "practice", _("practice")
    RATING = "rating", _("rating")
    FINISHED = "finished", _("finished")
    LEFT = "left", _("left early")
    UNFIT = "unfit", _("headphones check not passed")


class ExclusionKind(TextChoices):
    """What an organizer leaves out of the results."""

    RATING = "rating", _("one rating")
    SESSION = "session", _("a session")
    RATER = "rater", _("a rater")


class Placement(TextChoices):
    """What a rater heard of one vocalization that the text asks for."""

    HEARD = "heard", _("heard")
    MISSING = "missing", _("not heard")
    WRONG = "wrong", _("wrong place")


class BrokenOutcome(TextChoices):
    """What an organizer decided of audio that two raters reported broken."""

    KEPT = "kept", _("the audio is as it was sent: rate what is heard")
    DROPPED = "dropped", _("the text leaves the rated set, for every system")


class VerificationWay(TextChoices):
    """How the output for held-out clips comes to the server."""

    ORGANIZER = "organizer", _("the organizers run the system and upload its output")
    RELEASED = "released", _("the inputs are released to the entrants, who upload the output")


class VerificationState(TextChoices):
    """Where one output for held-out clips stands."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    SCORED = "scored", _("scored")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("failed")


class Verdict(TextChoices):
    """What held-out clips say of a public score."""

    CONSISTENT = "consistent", _("consistent")
    LOWER = "lower", _("lower than expected")
    OPEN = "open", _("cannot be told")


class FailureCode(TextChoices):
    """Why our side could not finish; the label is the sentence that participants read."""

    SCORER_TIMEOUT = (
        "SCORER_TIMEOUT",
        _("Scoring took longer than the limit and was stopped. No quota was used."),
    )
    SCORER_MEMORY = (
        "SCORER_MEMORY",
        _("Scoring needed more memory than the limit and was stopped. No quota was used."),
    )
    SCORER_CRASHED = (
        "SCORER_CRASHED",
        _("The scorer ended with an error. The organizers can see it. No quota was used."),
    )
    WORKER_LOST = (
        "WORKER_LOST",
        _("The scoring was interrupted three times. No quota was used; please submit again."),
    )
    STORAGE_ERROR = (
        "STORAGE_ERROR",
        _("The stored file could not be read. No quota was used; please submit again."),
    )
    RECIPE_OUTDATED = (
        "RECIPE_OUTDATED",
        _("The phase was set up for another version of the scorer. No quota was used."),
    )
    JUDGE_FAILED = (
        "JUDGE_FAILED",
        _("The judge gave no marks that count. The organizers can see it. No quota was used."),
    )
    MARKS_MISSING = (
        "MARKS_MISSING",
        _("Some of the judge's marks were not there when the score was made. No quota was used."),
    )
    SECOND_OPINION_DISAGREES = (
        "SECOND_OPINION_DISAGREES",
        _(
            "A second computation of the edit distances did not agree, so the score is not "
            "published. The organizers can see it. No quota was used."
        ),
    )


WAITS_FOR_SCORER = _(
    "This submission was accepted and waits: a new version of the scorer is being put in use, and it "
    "is scored as soon as the organizers have switched to it."
)

SUBMISSION_TRANSITIONS: dict[str, frozenset[str]] = {
    SubmissionState.RECEIVED: frozenset(
        {
            SubmissionState.ACCEPTED,
            SubmissionState.REJECTED,
            SubmissionState.FAILED,
            SubmissionState.CANCELLED,
        }
    ),
    SubmissionState.ACCEPTED: frozenset({SubmissionState.FAILED, SubmissionState.CANCELLED}),
    SubmissionState.REJECTED: frozenset(),
    SubmissionState.FAILED: frozenset(),
    SubmissionState.CANCELLED: frozenset(),
}

EVALUATION_TRANSITIONS: dict[str, frozenset[str]] = {
    EvaluationState.WAITING: frozenset(
        {EvaluationState.QUEUED, EvaluationState.FAILED, EvaluationState.CANCELLED}
    ),
    EvaluationState.QUEUED: frozenset({EvaluationState.RUNNING, EvaluationState.CANCELLED}),
    EvaluationState.RUNNING: frozenset(
        {EvaluationState.QUEUED, EvaluationState.SCORED, EvaluationState.FAILED}
    ),
    EvaluationState.SCORED: frozenset(),
    EvaluationState.FAILED: frozenset(),
    # A candidate that was dropped and is proposed again goes on where it stood.
    EvaluationState.CANCELLED: frozenset({EvaluationState.WAITING, EvaluationState.QUEUED}),
}
