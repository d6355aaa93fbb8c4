import accounts.codes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0009_waveforms"),
    ]

    operations = [
        migrations.CreateModel(
            name="JudgeCanarySet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80, unique=True)),
                ("digest", models.CharField(max_length=64)),
                ("loaded_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="JudgeGate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("endpoint", models.CharField(max_length=200, unique=True)),
                ("free_at", models.DateTimeField()),
                ("paused_until", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="JudgeAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cache_key", models.CharField(max_length=64, unique=True)),
                ("protocol_digest", models.CharField(max_length=64)),
                ("audio_sha256", models.CharField(max_length=64)),
                ("text_sha256", models.CharField(max_length=64)),
                ("profile", models.CharField(max_length=40)),
                ("replicate", models.PositiveSmallIntegerField()),
                ("seed", models.PositiveIntegerField()),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("endpoint", "judge"),
                            ("stand-in", "stand-in"),
                            ("recorded", "recording"),
                        ],
                        max_length=12,
                    ),
                ),
                ("endpoint", models.CharField(max_length=200)),
                ("model_asked", models.CharField(max_length=120)),
                ("model_answered", models.CharField(max_length=120)),
                ("fingerprint", models.CharField(blank=True, max_length=120)),
                ("prompt_sha256", models.CharField(max_length=64)),
                ("answer_format", models.CharField(max_length=16)),
                ("raw", models.TextField()),
                ("mark_a", models.FloatField()),
                ("mark_p", models.FloatField()),
                ("mark_n", models.FloatField()),
                ("mark_q", models.FloatField()),
                ("mark_e", models.FloatField()),
                ("is_absent", models.BooleanField()),
                ("input_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("audio_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("output_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("cost_micro", models.PositiveBigIntegerField()),
                ("latency_ms", models.PositiveIntegerField()),
                ("answered_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["audio_sha256"], name="grading_judge_answer_audio")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("mark_a__gte", 0),
                            ("mark_a__lte", 5),
                            ("mark_e__gte", 1),
                            ("mark_e__lte", 5),
                            ("mark_n__gte", 1),
                            ("mark_n__lte", 5),
                            ("mark_p__gte", 0),
                            ("mark_p__lte", 5),
                            ("mark_q__gte", 1),
                            ("mark_q__lte", 5),
                        ),
                        name="grading_judge_answer_marks",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("source__in", ["endpoint", "stand-in", "recorded"])),
                        name="grading_judge_answer_source",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeCanary",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("canary_id", models.CharField(max_length=80)),
                ("language", models.CharField(max_length=8)),
                ("text", models.TextField()),
                ("audio", models.BinaryField()),
                ("audio_sha256", models.CharField(max_length=64)),
                ("frames", models.PositiveIntegerField()),
                ("marks", models.JSONField()),
                ("speaks_instructions", models.BooleanField(default=False)),
                (
                    "set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="canaries",
                        to="grading.judgecanaryset",
                    ),
                ),
            ],
            options={
                "ordering": ["canary_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("set", "canary_id"), name="grading_judge_canary_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("frames__gte", 1)), name="grading_judge_canary_frames"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        default=accounts.codes.new_code, editable=False, max_length=16, unique=True
                    ),
                ),
                ("definition_digest", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "running"),
                            ("stopped", "stopped"),
                            ("done", "complete"),
                            ("cancelled", "cancelled"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                (
                    "stop_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            (
                                "BUDGET_CALLS",
                                "The number of calls set aside for this submission is used up.",
                            ),
                            (
                                "BUDGET_AUDIO",
                                "The audio time set aside for this submission is used up.",
                            ),
                            ("BUDGET_COST", "The budget set aside for this submission is used up."),
                            (
                                "CANARY_CHANGED",
                                "The judge gave other marks than it should on clips with known marks.",
                            ),
                            (
                                "CANARY_UNANSWERED",
                                "The judge gave no marks that count on clips with known marks.",
                            ),
                            (
                                "CANARIES_MISSING",
                                "The clips with known marks that the judge is tried with are not there.",
                            ),
                            ("UNANSWERED", "The judge gave no marks that count on some clips."),
                            ("UNREACHABLE", "The judge could not be reached for some time."),
                            ("REFUSED", "The judge refused the server's requests."),
                            ("NOT_ALLOWED", "The judge is not set up on this server."),
                            ("STAND_IN", "Another judge answered than the one that was asked."),
                            (
                                "TEXT_UNTAGGED",
                                "A text names no vocalization, so it cannot be judged.",
                            ),
                            ("CLIPS_MISSING", "Some clips of this submission could not be read."),
                        ],
                        max_length=32,
                    ),
                ),
                ("stop_detail", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("rung_at", models.DateTimeField(blank=True, null=True)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("needed", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("answer_format", models.CharField(blank=True, max_length=16)),
                ("round", models.PositiveIntegerField(default=0)),
                ("has_recovered", models.BooleanField(default=False)),
                ("canary_round", models.PositiveIntegerField(default=0)),
                ("canaries_passed_at", models.PositiveIntegerField(blank=True, null=True)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("audio_ms", models.PositiveBigIntegerField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_micro", models.PositiveBigIntegerField(default=0)),
                ("most_calls", models.PositiveIntegerField(blank=True, null=True)),
                ("most_audio_ms", models.PositiveBigIntegerField(blank=True, null=True)),
                ("most_cost_micro", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "evaluation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judge_run",
                        to="grading.evaluation",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["state", "lease_until"], name="grading_judge_run_sweep")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["queued", "running", "stopped", "done", "cancelled"])
                        ),
                        name="grading_judge_run_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_until__isnull", False), ("state", "running")),
                            models.Q(
                                models.Q(("state", "running"), _negated=True),
                                ("lease_until__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_judge_run_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("state", "stopped"), models.Q(("stop_reason", ""), _negated=True)
                            ),
                            models.Q(
                                models.Q(("state", "stopped"), _negated=True), ("stop_reason", "")
                            ),
                            _connector="OR",
                        ),
                        name="grading_judge_run_stopped",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", False), ("state__in", ["done", "cancelled"])
                            ),
                            models.Q(
                                models.Q(("state__in", ["done", "cancelled"]), _negated=True),
                                ("ended_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_judge_run_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            models.Q(("done", models.F("needed")), ("needed__gte", 1)),
                            _connector="OR",
                        ),
                        name="grading_judge_run_complete",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("done__lte", models.F("needed"))),
                        name="grading_judge_run_progress",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeRating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("utt_id", models.CharField(max_length=200)),
                ("profile", models.CharField(max_length=40)),
                ("replicate", models.PositiveSmallIntegerField()),
                (
                    "answer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.judgeanswer",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.judgerun",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "utt_id", "profile", "replicate"),
                        name="grading_judge_rating_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("claim", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("clip", "clip"), ("canary", "clip with known marks")],
                        max_length=8,
                    ),
                ),
                ("key", models.CharField(max_length=80)),
                ("round", models.PositiveIntegerField()),
                ("endpoint", models.CharField(max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("in-flight", "in flight"),
                            ("answered", "answered"),
                            ("failed", "failed"),
                            ("lost", "lost with its worker"),
                        ],
                        default="in-flight",
                        max_length=12,
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("audio_ms", models.PositiveIntegerField()),
                ("was_sent", models.BooleanField(default=True)),
                (
                    "failure",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("unreachable", "could not be reached"),
                            ("timed-out", "no answer in time"),
                            ("cut-off", "the answer broke off"),
                            ("rate-limited", "too many requests"),
                            ("server-error", "error of the judge's server"),
                            ("refused", "refused: key, model or address"),
                            ("rejected", "rejected the request"),
                            ("truncated", "the answer was too long"),
                            ("malformed", "not the form that was asked for"),
                            ("out-of-range", "a mark out of range"),
                            ("audio-dropped", "the audio was not listened to"),
                            ("stand-in", "answered by a stand-in"),
                            ("not-recorded", "not in the recording"),
                            ("storage", "the clip could not be read"),
                        ],
                        max_length=16,
                    ),
                ),
                ("http_status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("input_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("output_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("cost_micro", models.PositiveBigIntegerField(default=0)),
                ("latency_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("marks", models.JSONField(default=dict)),
                ("raw", models.TextField(blank=True)),
                (
                    "canary",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="grading.judgecanary",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="grading.judgerun",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(fields=["endpoint", "state"], name="grading_judge_attempt_slots"),
                    models.Index(
                        fields=["run", "round", "state"], name="grading_judge_attempt_tries"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "in-flight")),
                        fields=("key",),
                        name="grading_judge_attempt_in_flight",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["in-flight", "answered", "failed", "lost"])
                        ),
                        name="grading_judge_attempt_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("state", "in-flight")),
                            models.Q(
                                models.Q(("state", "in-flight"), _negated=True),
                                ("ended_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_judge_attempt_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), models.Q(("failure", ""), _negated=True)),
                            models.Q(models.Q(("state", "failed"), _negated=True), ("failure", "")),
                            _connector="OR",
                        ),
                        name="grading_judge_attempt_failure",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("canary__isnull", False), ("kind", "canary")),
                            models.Q(("canary__isnull", True), ("kind", "clip")),
                            _connector="OR",
                        ),
                        name="grading_judge_attempt_canary",
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="judgecanary",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", ("en", "zh"))),
                name="grading_judge_canary_language",
            ),
        ),
    ]
