"""Submissions as the API shows them; numbers go through presentation, sentences through gettext."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from config.api.bodies import StrictSerializer
from grading.models import Submission
from grading.scoring.types import Problem, Report, Severity
from grading.sentences import sentence
from grading.services import intake


class ProblemSerializer(serializers.Serializer[Any]):
    """One line of a validation report; `line` counts as in the sent file."""

    code = serializers.CharField()
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    line = serializers.IntegerField(allow_null=True)
    member = serializers.CharField(allow_null=True)
    utt_id = serializers.CharField(allow_null=True)
    params = serializers.DictField()
    message = serializers.CharField()


class CodeTotalSerializer(serializers.Serializer[Any]):
    """How often a code was found in the whole file."""

    code = serializers.CharField()
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    count = serializers.IntegerField()


class ReportSerializer(serializers.Serializer[Any]):
    """The verdict on a file: at most 100 problems, and how many there were."""

    accepted = serializers.BooleanField(allow_null=True, help_text="null until it is validated")
    problems = ProblemSerializer(many=True)
    problems_total = serializers.IntegerField()
    counts = CodeTotalSerializer(
        many=True, allow_null=True, help_text="every code, listed or not; null in old reports"
    )
    rows = serializers.IntegerField(allow_null=True)
    reading = serializers.CharField()


class UploadSerializer(serializers.ModelSerializer[Submission]):
    """What was sent, when, and what became of it."""

    competition = serializers.CharField(source="phase.track.competition.slug")
    track = serializers.CharField(source="phase.track.slug")
    phase = serializers.CharField(source="phase.slug")
    team = serializers.CharField(source="entrant.team.name")
    sha256 = serializers.CharField(
        source="file_sha256",
        help_text="of the whole file; empty until a file that came in parts was validated",
    )
    content_id = serializers.CharField(
        help_text="of up to 16 MiB the SHA-256; beyond, the SHA-256 over the binary SHA-256 of every 5 MiB"
    )

    class Meta:
        model = Submission
        fields = [
            "code",
            "number",
            "competition",
            "track",
            "phase",
            "team",
            "kind",
            "by_organizer",
            "system",
            "note",
            "filename",
            "size",
            "sha256",
            "content_id",
            "created_at",
            "received_at",
            "validated_at",
            "ended_at",
            "state",
            "rows",
            "reading",
            "problems_total",
            "errors_total",
        ]


class ResultJudgeSerializer(serializers.Serializer[Any]):
    """The judge whose marks made a score."""

    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # a field, not the class's
    is_stand_in = serializers.BooleanField(help_text="its marks say nothing about the system")
    is_recorded = serializers.BooleanField(help_text="replayed from recorded answers")
    is_provisional = serializers.BooleanField(
        help_text="the marks alone made the score, until people have rated"
    )


class MarkingSerializer(serializers.Serializer[Any]):
    """How far the judge is with a submission that waits for its marks."""

    done = serializers.IntegerField(help_text="answers of the judge that are there")
    total = serializers.IntegerField(help_text="answers that the score needs")


class ShownSerializer(serializers.Serializer[Any]):
    """How the board writes a score and its interval. `percent`: a fraction, shown times 100."""

    name = serializers.CharField()
    unit = serializers.CharField()
    shown_as = serializers.CharField()
    digits = serializers.IntegerField(help_text="decimals as shown")
    lower_is_better = serializers.BooleanField()


class ResultSerializer(serializers.Serializer[Any]):
    """A score as far as the reader may see it now; with `hidden` no number shows."""

    score = serializers.FloatField(allow_null=True)
    withheld_reason = serializers.CharField()
    interval = serializers.ListField(
        child=serializers.FloatField(),
        min_length=2,
        max_length=2,
        allow_null=True,
        help_text="95 %, lower and upper bound",
    )
    interval_reason = serializers.CharField()
    components = serializers.DictField(child=serializers.FloatField(allow_null=True))
    languages = serializers.DictField(child=serializers.DictField())
    hidden = serializers.BooleanField()
    has_counts = serializers.BooleanField()
    track = serializers.CharField()
    version = serializers.CharField()
    recipe_digest = serializers.CharField()
    seed = serializers.IntegerField(allow_null=True)
    measured_at = serializers.DateTimeField(allow_null=True)
    corrected_on = serializers.DateField(allow_null=True)
    shown = ShownSerializer()
    judge = ResultJudgeSerializer(
        allow_null=True, help_text="null where no judge's marks made the score"
    )


class RenamingSerializer(StrictSerializer):
    """New names of a submission; what is not sent stays. A field that is not known is refused."""

    system = serializers.CharField(max_length=intake.SYSTEM_LENGTH, required=False)
    note = serializers.CharField(max_length=intake.NOTE_LENGTH, required=False, allow_blank=True)


class SubmissionSerializer(UploadSerializer):
    """A submission. `stage` is its state as one word; final: scored, withheld, rejected, failed, cancelled."""

    stage = serializers.CharField()
    reason = serializers.CharField(help_text="why it failed, for a person to read")
    repeated = serializers.BooleanField(help_text="the same content stood already")
    queue_position = serializers.IntegerField(allow_null=True, help_text="0 = next")
    marking = MarkingSerializer(
        allow_null=True, help_text="while it waits for a judge that has begun; else null"
    )
    counts_by_mark = serializers.BooleanField()
    result = ResultSerializer(allow_null=True)
    url = serializers.URLField()

    class Meta(UploadSerializer.Meta):
        fields = [
            *UploadSerializer.Meta.fields,
            "stage",
            "reason",
            "repeated",
            "queue_position",
            "marking",
            "counts_by_mark",
            "result",
            "url",
        ]


def report_json(report: Report) -> dict[str, Any]:
    """Return a checker's report as the API shows it."""
    return {
        "accepted": report.accepted,
        "problems": [problem_json(problem) for problem in report.problems],
        "problems_total": report.total,
        "counts": [
            {"code": one.code, "severity": one.severity.value, "count": one.count}
            for one in report.counts
        ],
        "rows": report.rows,
        "reading": report.reading,
    }


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return one problem with its sentence in the reader's language."""
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "line": problem.line,
        "member": problem.member,
        "utt_id": problem.utt_id,
        "params": dict(problem.params),
        "message": sentence(problem),
    }
