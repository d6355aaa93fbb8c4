import accounts.codes
import accounts.together
import django.db.models.deletion
import django.db.models.expressions
import grading.models.audio_grant
import grading.models.rating
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0006_integrity"),
        ("grading", "0008_renaming"),
    ]

    operations = [
        accounts.together.Together(
            operations=[
                migrations.CreateModel(
                    name="AudioGrant",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("part", models.PositiveSmallIntegerField(default=0)),
                        ("check_sound", models.CharField(blank=True, max_length=16)),
                        ("login", models.CharField(max_length=64)),
                        (
                            "salt",
                            models.CharField(
                                default=grading.models.audio_grant.new_salt, max_length=32
                            ),
                        ),
                        ("token_digest", models.CharField(max_length=64, unique=True)),
                        ("made_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="BrokenReport",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("note", models.CharField(blank=True, max_length=1000)),
                        ("reported_at", models.DateTimeField()),
                        (
                            "outcome",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("kept", "the audio is as it was sent: rate what is heard"),
                                    ("dropped", "the text leaves the rated set, for every system"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-reported_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="Clip",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("utt_id", models.CharField(max_length=200)),
                        ("language", models.CharField(max_length=16)),
                        ("member", models.CharField(max_length=300)),
                    ],
                    options={
                        "ordering": ["utt_id"],
                    },
                ),
                migrations.CreateModel(
                    name="ConsentText",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("version", models.PositiveIntegerField()),
                        ("language", models.CharField(max_length=16)),
                        ("text", models.TextField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("keeps_ratings", models.BooleanField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["protocol_id", "-version", "language"],
                    },
                ),
                migrations.CreateModel(
                    name="DeclaredConflict",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("declared_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="FileSet",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("system", models.CharField(max_length=80)),
                        ("note", models.CharField(blank=True, max_length=500)),
                        ("aoe_day", models.DateField()),
                        ("created_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("open", "open"),
                                    ("completed", "completed"),
                                    ("aborted", "aborted"),
                                ],
                                default="open",
                                max_length=16,
                            ),
                        ),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "ended_as",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("completed", "completed"),
                                    ("aborted", "aborted by the team"),
                                    ("expired", "not completed in time"),
                                    ("repeated", "the same content was there already"),
                                ],
                                max_length=16,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="Filing",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("description", "system description"),
                                    (
                                        "resources",
                                        "disclosed resources: data, models, paid services",
                                    ),
                                    ("material", "reproducibility material"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("text", models.TextField(blank=True, max_length=10000)),
                        ("link", models.CharField(blank=True, max_length=500)),
                        ("filename", models.CharField(blank=True, max_length=200)),
                        ("storage_key", models.CharField(blank=True, max_length=200)),
                        ("sha256", models.CharField(blank=True, max_length=64)),
                        ("size", models.PositiveBigIntegerField(null=True)),
                        ("filed_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["system_id", "kind", "-number"],
                    },
                ),
                migrations.CreateModel(
                    name="FilingCheck",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "verdict",
                            models.CharField(
                                choices=[("accepted", "accepted"), ("returned", "returned")],
                                max_length=16,
                            ),
                        ),
                        ("note", models.CharField(blank=True, max_length=1000)),
                        ("checked_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["filing_id", "-checked_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="FinalAct",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "act",
                            models.CharField(
                                choices=[
                                    ("freeze", "frozen"),
                                    ("unfreeze", "unfrozen"),
                                    ("publish", "published"),
                                    ("take-down", "taken down"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("number", models.PositiveBigIntegerField()),
                        ("reason", models.CharField(max_length=300)),
                        ("at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["-at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="FinalBoard",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("wanted", models.PositiveBigIntegerField(default=0)),
                        ("built", models.PositiveBigIntegerField(default=0)),
                        ("built_at", models.DateTimeField(null=True)),
                        ("rung_at", models.DateTimeField(null=True)),
                        ("published_at", models.DateTimeField(null=True)),
                        ("held_number", models.PositiveBigIntegerField(null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="FinalCheck",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("requested_at", models.DateTimeField()),
                        ("rung_at", models.DateTimeField(null=True)),
                        (
                            "outcome",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("same", "same"),
                                    ("differs", "differs"),
                                    ("outdated", "marks have changed since"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("found", models.CharField(blank=True, max_length=64)),
                        ("differences", models.JSONField(default=list)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "ordering": ["-requested_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="FinalRanking",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveBigIntegerField()),
                        ("made_at", models.DateTimeField()),
                        ("seed", models.CharField(max_length=20)),
                        ("digest", models.CharField(max_length=64)),
                        ("inputs_digest", models.CharField(max_length=64)),
                        ("inputs", models.JSONField(default=dict)),
                        ("changes", models.JSONField(default=dict)),
                    ],
                    options={
                        "ordering": ["board_id", "-number"],
                    },
                ),
                migrations.CreateModel(
                    name="FinalSelection",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("board_number", models.PositiveBigIntegerField()),
                        ("n", models.PositiveIntegerField()),
                        ("limit", models.PositiveIntegerField()),
                        ("rule", models.JSONField(default=dict)),
                        ("recorded_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="FinalStanding",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "listing",
                            models.CharField(
                                choices=[
                                    ("rated", "rated by people"),
                                    ("judged", "heard by the judge alone"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("view", models.CharField(blank=True, max_length=8)),
                        ("position", models.PositiveIntegerField()),
                        ("place", models.PositiveIntegerField(null=True)),
                        ("band", models.PositiveIntegerField(null=True)),
                        ("range_first", models.PositiveIntegerField(null=True)),
                        ("range_last", models.PositiveIntegerField(null=True)),
                        ("score", models.FloatField(null=True)),
                        ("low", models.FloatField(null=True)),
                        ("high", models.FloatField(null=True)),
                        ("interval_reason", models.CharField(blank=True, max_length=64)),
                        ("judge", models.FloatField(null=True)),
                        ("people", models.FloatField(null=True)),
                        ("withheld_reason", models.CharField(blank=True, max_length=64)),
                        ("ratings_least", models.PositiveIntegerField(null=True)),
                        ("is_provisional", models.BooleanField(default=False)),
                        ("numbers", models.JSONField(default=dict)),
                    ],
                    options={
                        "ordering": ["ranking_id", "listing", "view", "position"],
                    },
                ),
                migrations.CreateModel(
                    name="FinalSystem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        (
                            "reason",
                            models.CharField(
                                choices=[
                                    ("top", "among the first"),
                                    ("overlap", "interval overlaps that of the last of them"),
                                    ("baseline", "baseline"),
                                    ("reference", "human reference"),
                                    ("anchor", "low anchor"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("place", models.PositiveIntegerField(null=True)),
                        ("score", models.FloatField(null=True)),
                        ("low", models.FloatField(null=True)),
                        ("high", models.FloatField(null=True)),
                    ],
                    options={
                        "ordering": ["selection_id", "position"],
                    },
                ),
                migrations.CreateModel(
                    name="HeldOutClip",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="HeldOutSet",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("title", models.CharField(max_length=120)),
                        ("sha256", models.CharField(max_length=64)),
                        ("storage_key", models.CharField(max_length=200)),
                        ("size", models.PositiveBigIntegerField()),
                        ("counts", models.JSONField()),
                        ("identity", models.CharField(max_length=64)),
                        ("made_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["track_id", "-made_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="JudgeAnswer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                        ("mark_a", models.FloatField(null=True)),
                        ("mark_p", models.FloatField(null=True)),
                        ("mark_n", models.FloatField(null=True)),
                        ("mark_q", models.FloatField(null=True)),
                        ("mark_e", models.FloatField(null=True)),
                        ("mark", models.FloatField(null=True)),
                        ("is_absent", models.BooleanField()),
                        ("input_tokens", models.PositiveIntegerField(blank=True, null=True)),
                        ("audio_tokens", models.PositiveIntegerField(blank=True, null=True)),
                        ("output_tokens", models.PositiveIntegerField(blank=True, null=True)),
                        ("cost_micro", models.PositiveBigIntegerField()),
                        ("latency_ms", models.PositiveIntegerField()),
                        ("answered_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="JudgeAttempt",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("claim", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[("clip", "item"), ("canary", "item with known marks")],
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
                                    ("storage", "the item could not be read"),
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
                    ],
                    options={
                        "ordering": ["pk"],
                    },
                ),
                migrations.CreateModel(
                    name="JudgeCanary",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                    ],
                    options={
                        "ordering": ["canary_id"],
                    },
                ),
                migrations.CreateModel(
                    name="JudgeCanarySet",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("endpoint", models.CharField(max_length=200, unique=True)),
                        ("free_at", models.DateTimeField()),
                        ("paused_until", models.DateTimeField(blank=True, null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="JudgeRating",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("utt_id", models.CharField(max_length=200)),
                        ("profile", models.CharField(max_length=40)),
                        ("replicate", models.PositiveSmallIntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="JudgeRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
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
                                    (
                                        "BUDGET_COST",
                                        "The budget set aside for this submission is used up.",
                                    ),
                                    (
                                        "CANARY_CHANGED",
                                        "The judge gave other marks than it should on items with known marks.",
                                    ),
                                    (
                                        "CANARY_UNANSWERED",
                                        "The judge gave no marks that count on items with known marks.",
                                    ),
                                    (
                                        "CANARIES_MISSING",
                                        "The items with known marks that the judge is tried with are not there.",
                                    ),
                                    (
                                        "UNANSWERED",
                                        "The judge gave no marks that count on some items.",
                                    ),
                                    (
                                        "UNREACHABLE",
                                        "The judge could not be reached for some time.",
                                    ),
                                    ("REFUSED", "The judge refused the server's requests."),
                                    ("NOT_ALLOWED", "The judge is not set up on this server."),
                                    (
                                        "STAND_IN",
                                        "Another judge answered than the one that was asked.",
                                    ),
                                    (
                                        "TEXT_UNTAGGED",
                                        "A text names no vocalization, so it cannot be judged.",
                                    ),
                                    (
                                        "CLIPS_MISSING",
                                        "Some items of this submission could not be read.",
                                    ),
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
                    ],
                    options={
                        "ordering": ["-created_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="PlanRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("language", models.CharField(max_length=16)),
                        ("number", models.PositiveIntegerField()),
                        ("held_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["protocol_id", "language", "number"],
                    },
                ),
                migrations.CreateModel(
                    name="PlanSlot",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("language", models.CharField(max_length=16)),
                        ("position", models.PositiveIntegerField()),
                        ("open_to_all", models.BooleanField(default=False)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["row_id", "position"],
                    },
                ),
                migrations.CreateModel(
                    name="QualityReport",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("made_at", models.DateTimeField()),
                        ("digest", models.CharField(max_length=64)),
                        ("report", models.JSONField()),
                    ],
                ),
                migrations.CreateModel(
                    name="RatedSystem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "reason",
                            models.CharField(
                                choices=[
                                    ("top", "among the first"),
                                    ("overlap", "interval overlaps that of the last of them"),
                                    ("baseline", "baseline"),
                                    ("reference", "human reference"),
                                    ("anchor", "low anchor"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("pseudonym", models.CharField(max_length=8)),
                    ],
                    options={
                        "ordering": ["protocol_id", "pseudonym"],
                    },
                ),
                migrations.CreateModel(
                    name="RatedText",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("language", models.CharField(max_length=16)),
                        ("utt_id", models.CharField(max_length=200)),
                        ("text", models.TextField()),
                        ("dropped_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["protocol_id", "language", "utt_id"],
                    },
                ),
                migrations.CreateModel(
                    name="Rater",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("pseudonym", models.CharField(max_length=32)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("joined", "has not consented yet"),
                                    ("active", "active"),
                                    ("excluded", "excluded"),
                                    ("withdrawn", "consent withdrawn"),
                                ],
                                default="joined",
                                max_length=16,
                            ),
                        ),
                        ("languages", models.JSONField(default=list)),
                        ("is_simulated", models.BooleanField(default=False)),
                        ("joined_at", models.DateTimeField()),
                        ("seen_at", models.DateTimeField()),
                        ("practiced_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["protocol_id", "pseudonym"],
                    },
                ),
                migrations.CreateModel(
                    name="RaterConsent",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("given_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["rater_id", "-given_at"],
                    },
                ),
                migrations.CreateModel(
                    name="RaterInvitation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("email", models.EmailField(max_length=254)),
                        ("secret_digest", models.CharField(max_length=64, unique=True)),
                        ("created_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        ("accepted_at", models.DateTimeField(blank=True, null=True)),
                        ("revoked_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-created_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="Rating",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("uuid", models.UUIDField(unique=True)),
                        ("revision", models.PositiveIntegerField(default=0)),
                        (
                            "form",
                            models.CharField(
                                choices=[
                                    ("nvv", "marks of vocalizations"),
                                    ("mos", "mean opinion score"),
                                    ("comos", "comparison with another system"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("accuracy", models.PositiveSmallIntegerField(null=True)),
                        ("effect", models.PositiveSmallIntegerField(null=True)),
                        ("naturalness", models.PositiveSmallIntegerField(null=True)),
                        ("quality", models.PositiveSmallIntegerField(null=True)),
                        ("expression", models.PositiveSmallIntegerField(null=True)),
                        ("comparison", models.SmallIntegerField(null=True)),
                        ("system_first", models.BooleanField(null=True)),
                        ("placements", models.JSONField(default=list)),
                        ("plays", models.PositiveIntegerField(default=0)),
                        ("took_ms", models.PositiveIntegerField()),
                        ("is_late", models.BooleanField(default=False)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["task_id", "revision"],
                    },
                ),
                migrations.CreateModel(
                    name="RatingExclusion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("rating", "one rating"),
                                    ("session", "a session"),
                                    ("rater", "a rater"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("reason", models.CharField(max_length=300)),
                        ("excluded_at", models.DateTimeField()),
                        ("lifted_at", models.DateTimeField(blank=True, null=True)),
                        ("lift_reason", models.CharField(blank=True, max_length=300)),
                    ],
                    options={
                        "ordering": ["-excluded_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="RatingNote",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("text", models.CharField(max_length=1000)),
                    ],
                ),
                migrations.CreateModel(
                    name="RatingOpening",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("settings", models.JSONField()),
                        ("settings_sha256", models.CharField(max_length=64)),
                        ("plan_sha256", models.CharField(max_length=64)),
                        ("seed", models.CharField(max_length=32)),
                        ("opened_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="RatingProtocol",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        (
                            "form",
                            models.CharField(
                                choices=[
                                    ("nvv", "marks of vocalizations"),
                                    ("mos", "mean opinion score"),
                                    ("comos", "comparison with another system"),
                                ],
                                default="nvv",
                                max_length=8,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("draft", "draft"),
                                    ("open", "open"),
                                    ("closed", "closed"),
                                ],
                                default="draft",
                                max_length=8,
                            ),
                        ),
                        ("settings", models.JSONField(default=dict)),
                        (
                            "seed",
                            models.CharField(default=grading.models.rating.new_key, max_length=32),
                        ),
                        ("created_at", models.DateTimeField()),
                        ("opened_at", models.DateTimeField(blank=True, null=True)),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-created_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="RatingSession",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("language", models.CharField(max_length=16)),
                        ("number", models.PositiveIntegerField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("checks", "headphones check"),
                                    ("practice", "practice"),
                                    ("rating", "rating"),
                                    ("finished", "finished"),
                                    ("left", "left early"),
                                    ("unfit", "headphones check not passed"),
                                ],
                                default="checks",
                                max_length=16,
                            ),
                        ),
                        ("started_at", models.DateTimeField()),
                        ("rating_since", models.DateTimeField(blank=True, null=True)),
                        ("rested_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("check_seed", models.CharField(max_length=32)),
                        ("check_results", models.JSONField(default=list)),
                        ("practiced", models.JSONField(default=list)),
                        ("layout", models.JSONField(default=list)),
                        ("position", models.PositiveIntegerField(default=0)),
                        ("is_imported", models.BooleanField(default=False)),
                    ],
                    options={
                        "ordering": ["rater_id", "-number"],
                    },
                ),
                migrations.CreateModel(
                    name="RatingTask",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=32,
                                unique=True,
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("scored", "scored"),
                                    ("trap", "attention trap"),
                                    ("known", "known answer"),
                                    ("repeat", "repeat"),
                                    ("null", "null pair"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("next", "fetched ahead"),
                                    ("open", "open"),
                                    ("answered", "answered"),
                                    ("late", "answered late"),
                                    ("broken", "audio reported broken"),
                                    ("released", "released"),
                                ],
                                default="next",
                                max_length=16,
                            ),
                        ),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("delivered_at", models.DateTimeField(blank=True, null=True)),
                        ("opened_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("system_first", models.BooleanField(blank=True, null=True)),
                        ("second_delivered_at", models.DateTimeField(blank=True, null=True)),
                        ("draft", models.JSONField(blank=True, null=True)),
                        ("draft_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["session_id", "position"],
                    },
                ),
                migrations.CreateModel(
                    name="SentFile",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("utt_id", models.CharField(max_length=200)),
                        ("size", models.PositiveBigIntegerField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("storage_key", models.CharField(max_length=200)),
                        ("warnings", models.JSONField(default=list)),
                        ("stored_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["utt_id"],
                    },
                ),
                migrations.CreateModel(
                    name="Stimulus",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("scored", "scored"),
                                    ("practice", "practice"),
                                    ("trap", "attention trap"),
                                    ("known", "known answer"),
                                    ("compared", "compared with"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("language", models.CharField(max_length=16)),
                        ("name", models.CharField(max_length=200)),
                        ("text", models.TextField()),
                        ("expected", models.JSONField(blank=True, null=True)),
                        ("explanation", models.JSONField(default=dict)),
                        (
                            "key",
                            models.CharField(
                                default=grading.models.rating.new_key, max_length=64, unique=True
                            ),
                        ),
                        ("held_at", models.DateTimeField(blank=True, null=True)),
                        ("storage_key", models.CharField(blank=True, max_length=200)),
                        ("sha256", models.CharField(blank=True, max_length=64)),
                        ("size", models.PositiveBigIntegerField(blank=True, null=True)),
                        ("frames", models.PositiveIntegerField(blank=True, null=True)),
                        ("gain_cdb", models.IntegerField(blank=True, null=True)),
                        ("loudness", models.JSONField(blank=True, null=True)),
                        ("peaks", models.JSONField(blank=True, null=True)),
                        ("prepared_at", models.DateTimeField(blank=True, null=True)),
                        ("rung_at", models.DateTimeField(blank=True, null=True)),
                        ("prepare_error", models.CharField(blank=True, max_length=40)),
                    ],
                    options={
                        "ordering": ["protocol_id", "kind", "language", "name", "id"],
                    },
                ),
                migrations.CreateModel(
                    name="Verification",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("digest", models.CharField(max_length=64)),
                        (
                            "way",
                            models.CharField(
                                choices=[
                                    (
                                        "organizer",
                                        "the organizers run the system and upload its output",
                                    ),
                                    (
                                        "released",
                                        "the inputs are released to the entrants, who upload the output",
                                    ),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("opens_at", models.DateTimeField(blank=True, null=True)),
                        ("closes_at", models.DateTimeField(blank=True, null=True)),
                        ("released_at", models.DateTimeField(blank=True, null=True)),
                        ("begun_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["phase_id", "-begun_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="VerificationOutcome",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "verdict",
                            models.CharField(
                                choices=[
                                    ("consistent", "consistent"),
                                    ("lower", "lower than expected"),
                                    ("open", "cannot be told"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("place", models.PositiveIntegerField(blank=True, null=True)),
                        ("held_out_place", models.PositiveIntegerField(blank=True, null=True)),
                        ("figures", models.JSONField()),
                    ],
                    options={
                        "ordering": ["publication_id", "place", "pk"],
                    },
                ),
                migrations.CreateModel(
                    name="VerificationPublication",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("sha256", models.CharField(max_length=64)),
                        ("at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="VerificationRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("filename", models.CharField(max_length=255)),
                        ("size", models.PositiveBigIntegerField()),
                        ("content_id", models.CharField(max_length=64)),
                        ("storage_key", models.CharField(max_length=200)),
                        ("received_at", models.DateTimeField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("scored", "scored"),
                                    ("rejected", "rejected"),
                                    ("failed", "failed"),
                                ],
                                default="queued",
                                max_length=16,
                            ),
                        ),
                        ("attempt", models.PositiveIntegerField(default=0)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("rung_at", models.DateTimeField(blank=True, null=True)),
                        ("worker", models.CharField(blank=True, max_length=120)),
                        ("progress_done", models.PositiveIntegerField(default=0)),
                        ("progress_total", models.PositiveIntegerField(default=0)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("failure_code", models.CharField(blank=True, max_length=32)),
                        ("problems", models.JSONField(default=list)),
                        ("problems_total", models.PositiveIntegerField(blank=True, null=True)),
                        ("score", models.FloatField(blank=True, null=True)),
                        ("withheld_reason", models.CharField(blank=True, max_length=64)),
                        ("low", models.FloatField(blank=True, null=True)),
                        ("high", models.FloatField(blank=True, null=True)),
                        ("interval_reason", models.CharField(blank=True, max_length=64)),
                        ("seed", models.CharField(blank=True, max_length=20)),
                        ("components", models.JSONField(default=dict)),
                        ("languages", models.JSONField(default=dict)),
                        ("difference", models.JSONField(default=dict)),
                        ("tallies", models.BinaryField(blank=True, null=True)),
                        ("tallies_sha256", models.CharField(blank=True, max_length=64)),
                    ],
                    options={
                        "ordering": ["named_id", "-received_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="VerifiedEntrant",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                default=accounts.codes.new_code,
                                editable=False,
                                max_length=16,
                                unique=True,
                            ),
                        ),
                        ("place", models.PositiveIntegerField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["verification_id", "place", "pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Waveform",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("sha256", models.CharField(max_length=64, unique=True)),
                        ("size", models.PositiveBigIntegerField()),
                        ("frames", models.PositiveIntegerField()),
                        ("storage_key", models.CharField(db_index=True, max_length=200)),
                        ("screen", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField()),
                    ],
                ),
                migrations.AddField(
                    model_name="brokenreport",
                    name="decided_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="clip",
                    name="submission",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="grading.submission",
                    ),
                ),
                migrations.AddField(
                    model_name="declaredconflict",
                    name="entrant",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="fileset",
                    name="entrant",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="fileset",
                    name="person",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="fileset",
                    name="phase",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="fileset",
                    name="submission",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to="grading.submission",
                    ),
                ),
                migrations.AddField(
                    model_name="filing",
                    name="filed_by",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="filingcheck",
                    name="checked_by",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="filingcheck",
                    name="filing",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="grading.filing",
                    ),
                ),
                migrations.AddField(
                    model_name="finalact",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="finalboard",
                    name="phase",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="final_board",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="finalact",
                    name="board",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="grading.finalboard",
                    ),
                ),
                migrations.AddField(
                    model_name="finalcheck",
                    name="requested_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="finalranking",
                    name="board",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="grading.finalboard",
                    ),
                ),
                migrations.AddField(
                    model_name="finalranking",
                    name="recipe",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.recipe",
                    ),
                ),
                migrations.AddField(
                    model_name="finalcheck",
                    name="ranking",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="grading.finalranking",
                    ),
                ),
                migrations.AddField(
                    model_name="finalselection",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="finalselection",
                    name="phase",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="final_selection",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="finalselection",
                    name="recipe",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.recipe",
                    ),
                ),
                migrations.AddField(
                    model_name="finalstanding",
                    name="ranking",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="standings",
                        to="grading.finalranking",
                    ),
                ),
                migrations.AddField(
                    model_name="finalstanding",
                    name="submission",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.submission",
                    ),
                ),
                migrations.AddField(
                    model_name="finalsystem",
                    name="evaluation",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.evaluation",
                    ),
                ),
                migrations.AddField(
                    model_name="finalsystem",
                    name="selection",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="systems",
                        to="grading.finalselection",
                    ),
                ),
                migrations.AddField(
                    model_name="finalsystem",
                    name="submission",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.submission",
                    ),
                ),
                migrations.AddField(
                    model_name="filing",
                    name="system",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="filings",
                        to="grading.finalsystem",
                    ),
                ),
                migrations.AddField(
                    model_name="heldoutclip",
                    name="clip",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.datasetclip",
                    ),
                ),
                migrations.AddField(
                    model_name="heldoutset",
                    name="made_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="heldoutset",
                    name="track",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="held_out_sets",
                        to="competition.track",
                    ),
                ),
                migrations.AddField(
                    model_name="heldoutset",
                    name="version",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.datasetversion",
                    ),
                ),
                migrations.AddField(
                    model_name="heldoutclip",
                    name="held_out",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="grading.heldoutset",
                    ),
                ),
                migrations.AddIndex(
                    model_name="judgeanswer",
                    index=models.Index(fields=["audio_sha256"], name="grading_judge_answer_audio"),
                ),
                migrations.AddConstraint(
                    model_name="judgeanswer",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("mark__isnull", True),
                                ("mark_a__gte", 0),
                                ("mark_a__isnull", False),
                                ("mark_a__lte", 5),
                                ("mark_e__gte", 1),
                                ("mark_e__isnull", False),
                                ("mark_e__lte", 5),
                                ("mark_n__gte", 1),
                                ("mark_n__isnull", False),
                                ("mark_n__lte", 5),
                                ("mark_p__gte", 0),
                                ("mark_p__isnull", False),
                                ("mark_p__lte", 5),
                                ("mark_q__gte", 1),
                                ("mark_q__isnull", False),
                                ("mark_q__lte", 5),
                            ),
                            models.Q(
                                ("mark__gte", -1000),
                                ("mark__isnull", False),
                                ("mark__lte", 1000),
                                ("is_absent", False),
                                ("mark_a__isnull", True),
                                ("mark_e__isnull", True),
                                ("mark_n__isnull", True),
                                ("mark_p__isnull", True),
                                ("mark_q__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_judge_answer_marks",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgeanswer",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("source__in", ["endpoint", "stand-in", "recorded"])),
                        name="grading_judge_answer_source",
                    ),
                ),
                migrations.AddField(
                    model_name="judgeattempt",
                    name="canary",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="grading.judgecanary",
                    ),
                ),
                migrations.AddField(
                    model_name="judgecanary",
                    name="set",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="canaries",
                        to="grading.judgecanaryset",
                    ),
                ),
                migrations.AddField(
                    model_name="judgerating",
                    name="answer",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.judgeanswer",
                    ),
                ),
                migrations.AddField(
                    model_name="judgerun",
                    name="evaluation",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judge_run",
                        to="grading.evaluation",
                    ),
                ),
                migrations.AddField(
                    model_name="judgerating",
                    name="run",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.judgerun",
                    ),
                ),
                migrations.AddField(
                    model_name="judgeattempt",
                    name="run",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="grading.judgerun",
                    ),
                ),
                migrations.AddField(
                    model_name="planslot",
                    name="row",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="slots",
                        to="grading.planrow",
                    ),
                ),
                migrations.AddField(
                    model_name="ratedsystem",
                    name="submission",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.submission",
                    ),
                ),
                migrations.AddField(
                    model_name="planslot",
                    name="system",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="slots",
                        to="grading.ratedsystem",
                    ),
                ),
                migrations.AddField(
                    model_name="planslot",
                    name="rated_text",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="slots",
                        to="grading.ratedtext",
                    ),
                ),
                migrations.AddField(
                    model_name="rater",
                    name="user",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="raters",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="planrow",
                    name="rater",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="plans",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="declaredconflict",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conflicts",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="brokenreport",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="raterconsent",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consents",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="raterconsent",
                    name="text",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.consenttext",
                    ),
                ),
                migrations.AddField(
                    model_name="raterinvitation",
                    name="invited_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="rating",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingexclusion",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ratingexclusion",
                    name="lifted_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ratingexclusion",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingnote",
                    name="rating",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="note",
                        to="grading.rating",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingopening",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ratingprotocol",
                    name="compared_with",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.finalsystem",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingprotocol",
                    name="selection",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.finalselection",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingopening",
                    name="protocol",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="opening",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingexclusion",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="raterinvitation",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="rater",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="raters",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="ratedtext",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="texts",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="ratedsystem",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="systems",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="qualityreport",
                    name="protocol",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quality",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="planslot",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="slots",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="planrow",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plans",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="consenttext",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consent_texts",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingsession",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sessions",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingexclusion",
                    name="session",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.ratingsession",
                    ),
                ),
                migrations.AddField(
                    model_name="audiogrant",
                    name="session",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio_grants",
                        to="grading.ratingsession",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingtask",
                    name="rated_text",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.ratedtext",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingtask",
                    name="rater",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.rater",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingtask",
                    name="repeat_of",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="repeats",
                        to="grading.ratingtask",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingtask",
                    name="session",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.ratingsession",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingtask",
                    name="slot",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.planslot",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingexclusion",
                    name="task",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.ratingtask",
                    ),
                ),
                migrations.AddField(
                    model_name="rating",
                    name="task",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.ratingtask",
                    ),
                ),
                migrations.AddField(
                    model_name="brokenreport",
                    name="task",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="broken",
                        to="grading.ratingtask",
                    ),
                ),
                migrations.AddField(
                    model_name="audiogrant",
                    name="task",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio_grants",
                        to="grading.ratingtask",
                    ),
                ),
                migrations.AddField(
                    model_name="sentfile",
                    name="file_set",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="grading.fileset",
                    ),
                ),
                migrations.AddField(
                    model_name="stimulus",
                    name="compared_with",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs",
                        to="grading.stimulus",
                    ),
                ),
                migrations.AddField(
                    model_name="stimulus",
                    name="protocol",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli",
                        to="grading.ratingprotocol",
                    ),
                ),
                migrations.AddField(
                    model_name="stimulus",
                    name="rated_text",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli",
                        to="grading.ratedtext",
                    ),
                ),
                migrations.AddField(
                    model_name="stimulus",
                    name="system",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli",
                        to="grading.ratedsystem",
                    ),
                ),
                migrations.AddField(
                    model_name="ratingtask",
                    name="stimulus",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.stimulus",
                    ),
                ),
                migrations.AddField(
                    model_name="planslot",
                    name="stimulus",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="slots",
                        to="grading.stimulus",
                    ),
                ),
                migrations.AddField(
                    model_name="brokenreport",
                    name="stimulus",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to="grading.stimulus",
                    ),
                ),
                migrations.AddField(
                    model_name="audiogrant",
                    name="stimulus",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio_grants",
                        to="grading.stimulus",
                    ),
                ),
                migrations.AddField(
                    model_name="verification",
                    name="begun_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="verification",
                    name="held_out",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="verifications",
                        to="grading.heldoutset",
                    ),
                ),
                migrations.AddField(
                    model_name="verification",
                    name="pack",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.pack",
                    ),
                ),
                migrations.AddField(
                    model_name="verification",
                    name="phase",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="verifications",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="verification",
                    name="recipe",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.recipe",
                    ),
                ),
                migrations.AddField(
                    model_name="verification",
                    name="rotation",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="verificationpublication",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="verificationpublication",
                    name="verification",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publication",
                        to="grading.verification",
                    ),
                ),
                migrations.AddField(
                    model_name="verificationoutcome",
                    name="publication",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="outcomes",
                        to="grading.verificationpublication",
                    ),
                ),
                migrations.AddField(
                    model_name="verificationrun",
                    name="uploader",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="verificationoutcome",
                    name="run",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.verificationrun",
                    ),
                ),
                migrations.AddField(
                    model_name="verifiedentrant",
                    name="entrant",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="verifiedentrant",
                    name="evaluation",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.evaluation",
                    ),
                ),
                migrations.AddField(
                    model_name="verifiedentrant",
                    name="rotation",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.evaluation",
                    ),
                ),
                migrations.AddField(
                    model_name="verifiedentrant",
                    name="verification",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entrants",
                        to="grading.verification",
                    ),
                ),
                migrations.AddField(
                    model_name="verificationrun",
                    name="named",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="grading.verifiedentrant",
                    ),
                ),
                migrations.AddField(
                    model_name="verificationoutcome",
                    name="named",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="outcome",
                        to="grading.verifiedentrant",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="waveform",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("frames__gte", 1),
                            (
                                "size__gt",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("frames"), "*", models.Value(2)
                                ),
                            ),
                        ),
                        name="grading_waveform_size",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="waveform",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("storage_key", ""), _negated=True),
                            models.Q(("sha256", ""), _negated=True),
                        ),
                        name="grading_waveform_stored",
                    ),
                ),
                migrations.AddField(
                    model_name="stimulus",
                    name="waveform",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stimuli",
                        to="grading.waveform",
                    ),
                ),
                migrations.AddField(
                    model_name="clip",
                    name="waveform",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="grading.waveform",
                    ),
                ),
                migrations.AddIndex(
                    model_name="fileset",
                    index=models.Index(
                        fields=["state", "expires_at"], name="grading_fileset_sweep"
                    ),
                ),
                migrations.AddIndex(
                    model_name="fileset",
                    index=models.Index(
                        fields=["entrant", "phase", "aoe_day"], name="grading_fileset_day"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="fileset",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "completed", "aborted"])),
                        name="grading_fileset_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="fileset",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_as", ""), ("ended_at__isnull", True), ("state", "open")
                            ),
                            models.Q(
                                models.Q(("state", "open"), _negated=True),
                                ("ended_at__isnull", False),
                                models.Q(("ended_as", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_fileset_ended",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="fileset",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "completed"), ("submission__isnull", False)),
                            models.Q(
                                models.Q(("state", "completed"), _negated=True),
                                ("submission__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_fileset_submission",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="fileset",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("system", ""), _negated=True),
                        name="grading_fileset_system",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="fileset",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="grading_fileset_times",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="fileset",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("entrant", "phase", "system"),
                        name="grading_fileset_open_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="filingcheck",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["accepted", "returned"])),
                        name="grading_filing_verdict",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="filingcheck",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("verdict", "accepted"),
                            models.Q(("note", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="grading_filing_note",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalboard",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("built__lte", models.F("wanted"))),
                        name="grading_final_board_number",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalboard",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("held_number__isnull", True),
                            models.Q(
                                ("held_number__lte", models.F("built")),
                                ("published_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_final_board_held",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalact",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("act__in", ["freeze", "unfreeze", "publish", "take-down"])
                        ),
                        name="grading_final_act",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalact",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="grading_final_act_reason",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalranking",
                    constraint=models.UniqueConstraint(
                        fields=("board", "number"), name="grading_final_number"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalranking",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("digest", ""), _negated=True),
                            models.Q(("inputs_digest", ""), _negated=True),
                            models.Q(("seed", ""), _negated=True),
                        ),
                        name="grading_final_digests",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalcheck",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("outcome", "")),
                        fields=("ranking",),
                        name="grading_final_check_one_open",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalcheck",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", True), ("found", ""), ("outcome", "")),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("outcome__in", ["same", "differs", "outdated"]),
                                models.Q(("found", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_final_check_finished",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalselection",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("limit__gte", models.F("n")), ("n__gte", 1)),
                        name="grading_selection_numbers",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.UniqueConstraint(
                        fields=("ranking", "view", "submission"), name="grading_final_row_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.UniqueConstraint(
                        fields=("ranking", "listing", "view", "position"),
                        name="grading_final_row_position",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("listing__in", ["rated", "judged"])),
                        name="grading_final_row_list",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("place__isnull", True),
                                ("score__isnull", True),
                                models.Q(("withheld_reason", ""), _negated=True),
                            ),
                            models.Q(("score__isnull", False), ("withheld_reason", "")),
                            _connector="OR",
                        ),
                        name="grading_final_row_withheld",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("listing", "rated"), ("score__isnull", True)),
                            models.Q(
                                ("judge__isnull", False),
                                ("listing", "rated"),
                                ("people__isnull", False),
                            ),
                            models.Q(("listing", "judged"), ("people__isnull", True)),
                            _connector="OR",
                        ),
                        name="grading_final_row_parts",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("score__isnull", True),
                                models.Q(
                                    ("score__gte", -1000000000.0), ("score__lte", 1000000000.0)
                                ),
                                _connector="OR",
                            ),
                            models.Q(
                                ("low__isnull", True),
                                models.Q(("low__gte", -1000000000.0), ("low__lte", 1000000000.0)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("high__isnull", True),
                                models.Q(("high__gte", -1000000000.0), ("high__lte", 1000000000.0)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("judge__isnull", True),
                                models.Q(
                                    ("judge__gte", -1000000000.0), ("judge__lte", 1000000000.0)
                                ),
                                _connector="OR",
                            ),
                            models.Q(
                                ("people__isnull", True),
                                models.Q(
                                    ("people__gte", -1000000000.0), ("people__lte", 1000000000.0)
                                ),
                                _connector="OR",
                            ),
                        ),
                        name="grading_final_row_finite",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalstanding",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("high__isnull", True), ("low__isnull", True)),
                            models.Q(
                                ("high__gte", models.F("low")),
                                ("high__isnull", False),
                                ("low__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_final_row_interval",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.UniqueConstraint(
                        fields=("selection", "submission"), name="grading_final_system_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.UniqueConstraint(
                        fields=("selection", "position"), name="grading_final_system_position"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("reason__in", ["reference", "anchor"])),
                        fields=("selection", "reason"),
                        name="grading_final_system_one_of",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("position__gte", 1), ("position__lte", 14)),
                        name="grading_final_system_most",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ["top", "overlap", "baseline", "reference", "anchor"])
                        ),
                        name="grading_final_system_reason",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ["reference", "anchor"]),
                            models.Q(("evaluation__isnull", False), ("score__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_final_system_scored",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("place__isnull", False), ("reason__in", ["top", "overlap"])),
                            models.Q(
                                ("place__isnull", True),
                                ("reason__in", ["baseline", "reference", "anchor"]),
                            ),
                            _connector="OR",
                        ),
                        name="grading_final_system_place",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="finalsystem",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("score__isnull", True),
                                models.Q(
                                    ("score__gte", -1000000000.0), ("score__lte", 1000000000.0)
                                ),
                                _connector="OR",
                            ),
                            models.Q(
                                ("low__isnull", True),
                                models.Q(("low__gte", -1000000000.0), ("low__lte", 1000000000.0)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("high__isnull", True),
                                models.Q(("high__gte", -1000000000.0), ("high__lte", 1000000000.0)),
                                _connector="OR",
                            ),
                        ),
                        name="grading_final_system_finite",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="filing",
                    constraint=models.UniqueConstraint(
                        fields=("system", "kind", "number"), name="grading_filing_number"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="filing",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("kind__in", ["description", "resources", "material"])),
                        name="grading_filing_kind",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="filing",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("text", ""), _negated=True),
                            models.Q(("link", ""), _negated=True),
                            models.Q(("storage_key", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="grading_filing_not_empty",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="filing",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("sha256", ""), ("size__isnull", True), ("storage_key", "")),
                            models.Q(
                                models.Q(("storage_key", ""), _negated=True),
                                models.Q(("sha256", ""), _negated=True),
                                ("size__gte", 1),
                            ),
                            _connector="OR",
                        ),
                        name="grading_filing_file",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="heldoutset",
                    constraint=models.UniqueConstraint(
                        fields=("track", "version", "sha256"), name="grading_held_out_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="heldoutset",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("title", ""), _negated=True),
                        name="grading_held_out_title",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="heldoutclip",
                    constraint=models.UniqueConstraint(
                        fields=("held_out", "clip"), name="grading_held_out_clip"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgecanary",
                    constraint=models.UniqueConstraint(
                        fields=("set", "canary_id"), name="grading_judge_canary_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgecanary",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("language__in", ["en", "id", "ms", "ta", "yue", "zh"])),
                        name="grading_judge_canary_language",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgecanary",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("frames__gte", 1),
                            models.Q(
                                (
                                    "audio_sha256",
                                    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                                ),
                                ("frames", 0),
                            ),
                            _connector="OR",
                        ),
                        name="grading_judge_canary_frames",
                    ),
                ),
                migrations.AddIndex(
                    model_name="judgerun",
                    index=models.Index(
                        fields=["state", "lease_until"], name="grading_judge_run_sweep"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgerun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["queued", "running", "stopped", "done", "cancelled"])
                        ),
                        name="grading_judge_run_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgerun",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="judgerun",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="judgerun",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="judgerun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            models.Q(("done", models.F("needed")), ("needed__gte", 1)),
                            _connector="OR",
                        ),
                        name="grading_judge_run_complete",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgerun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("done__lte", models.F("needed"))),
                        name="grading_judge_run_progress",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgerating",
                    constraint=models.UniqueConstraint(
                        fields=("run", "utt_id", "profile", "replicate"),
                        name="grading_judge_rating_once",
                    ),
                ),
                migrations.AddIndex(
                    model_name="judgeattempt",
                    index=models.Index(
                        fields=["endpoint", "state"], name="grading_judge_attempt_slots"
                    ),
                ),
                migrations.AddIndex(
                    model_name="judgeattempt",
                    index=models.Index(
                        fields=["run", "round", "state"], name="grading_judge_attempt_tries"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgeattempt",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state", "in-flight")),
                        fields=("key",),
                        name="grading_judge_attempt_in_flight",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgeattempt",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["in-flight", "answered", "failed", "lost"])
                        ),
                        name="grading_judge_attempt_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgeattempt",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="judgeattempt",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), models.Q(("failure", ""), _negated=True)),
                            models.Q(models.Q(("state", "failed"), _negated=True), ("failure", "")),
                            _connector="OR",
                        ),
                        name="grading_judge_attempt_failure",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgeattempt",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("canary__isnull", False), ("kind", "canary")),
                            models.Q(("canary__isnull", True), ("kind", "clip")),
                            _connector="OR",
                        ),
                        name="grading_judge_attempt_canary",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="declaredconflict",
                    constraint=models.UniqueConstraint(
                        fields=("rater", "entrant"), name="grading_conflict_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="raterconsent",
                    constraint=models.UniqueConstraint(
                        fields=("rater", "text"), name="grading_consent_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingnote",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="grading_note_text"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "open", "closed"])),
                        name="grading_protocol_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("form__in", ["nvv", "mos", "comos"])),
                        name="grading_protocol_form",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.UniqueConstraint(
                        fields=("selection", "form"), name="grading_protocol_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("compared_with__isnull", False), ("form", "comos")),
                            models.Q(
                                models.Q(("form", "comos"), _negated=True),
                                ("compared_with__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_protocol_compared",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("opened_at__isnull", True), ("state", "draft")),
                            models.Q(
                                models.Q(("state", "draft"), _negated=True),
                                ("opened_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_protocol_opened",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed_at__isnull", False), ("state", "closed")),
                            models.Q(
                                models.Q(("state", "closed"), _negated=True),
                                ("closed_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_protocol_closed",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingprotocol",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("seed", ""), _negated=True),
                        name="grading_protocol_seed",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingopening",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("settings_sha256", ""), _negated=True),
                            models.Q(("plan_sha256", ""), _negated=True),
                        ),
                        name="grading_opening_hashes",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="raterinvitation",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="grading_rater_invitation_window",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="raterinvitation",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(
                            ("accepted_at__isnull", True), ("revoked_at__isnull", True)
                        ),
                        fields=("protocol", "email"),
                        name="grading_rater_invitation_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rater",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["joined", "active", "excluded", "withdrawn"])
                        ),
                        name="grading_rater_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rater",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("user__isnull", False)),
                        fields=("protocol", "user"),
                        name="grading_rater_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rater",
                    constraint=models.UniqueConstraint(
                        fields=("protocol", "pseudonym"), name="grading_rater_pseudonym"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rater",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("pseudonym", ""), _negated=True),
                        name="grading_rater_named",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rater",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "withdrawn"), _negated=True),
                            ("user__isnull", True),
                            _connector="OR",
                        ),
                        name="grading_rater_withdrawn",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rater",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", True), ("state__in", ["joined", "active"])
                            ),
                            models.Q(
                                models.Q(("state__in", ["joined", "active"]), _negated=True),
                                ("ended_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_rater_ended",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratedtext",
                    constraint=models.UniqueConstraint(
                        fields=("protocol", "language", "utt_id"), name="grading_rated_text_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratedtext",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("text", ""), _negated=True),
                        ),
                        name="grading_rated_text_whole",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratedsystem",
                    constraint=models.UniqueConstraint(
                        fields=("protocol", "submission"), name="grading_rated_system_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratedsystem",
                    constraint=models.UniqueConstraint(
                        fields=("protocol", "pseudonym"), name="grading_rated_system_name"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratedsystem",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("pseudonym", ""), _negated=True),
                        name="grading_rated_system_named",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planrow",
                    constraint=models.UniqueConstraint(
                        fields=("protocol", "language", "number"), name="grading_plan_number"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planrow",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("rater__isnull", False)),
                        fields=("rater", "language"),
                        name="grading_plan_one_held",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planrow",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("held_at__isnull", True), ("rater__isnull", True)),
                            models.Q(("held_at__isnull", False), ("rater__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_plan_held",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="consenttext",
                    constraint=models.UniqueConstraint(
                        fields=("protocol", "version", "language"), name="grading_consent_text_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="consenttext",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("version__gte", 1),
                            models.Q(("text", ""), _negated=True),
                            models.Q(("sha256", ""), _negated=True),
                        ),
                        name="grading_consent_text_whole",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingsession",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["checks", "practice", "rating", "finished", "left", "unfit"],
                            )
                        ),
                        name="grading_session_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingsession",
                    constraint=models.UniqueConstraint(
                        fields=("rater", "number"), name="grading_session_number"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingsession",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state__in", ["checks", "practice", "rating"])),
                        fields=("rater",),
                        name="grading_session_one_running",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingsession",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", True),
                                ("state__in", ["checks", "practice", "rating"]),
                            ),
                            models.Q(
                                models.Q(
                                    ("state__in", ["checks", "practice", "rating"]), _negated=True
                                ),
                                ("ended_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_session_ended",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingsession",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["rating", "finished"]), _negated=True),
                            ("rating_since__isnull", False),
                            _connector="OR",
                        ),
                        name="grading_session_rating",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingexclusion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("kind", "rater"), ("session__isnull", True), ("task__isnull", True)
                            ),
                            models.Q(
                                ("kind", "session"),
                                ("session__isnull", False),
                                ("task__isnull", True),
                            ),
                            models.Q(
                                ("kind", "rating"),
                                ("session__isnull", True),
                                ("task__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_exclusion_target",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingexclusion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="grading_exclusion_reason",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingexclusion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lift_reason", ""), ("lifted_at__isnull", True)),
                            models.Q(
                                ("lifted_at__isnull", False),
                                models.Q(("lift_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_exclusion_lifted",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingexclusion",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind", "rater"), ("lifted_at__isnull", True)),
                        fields=("rater",),
                        name="grading_exclusion_rater",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingexclusion",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind", "session"), ("lifted_at__isnull", True)),
                        fields=("session",),
                        name="grading_exclusion_session",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingexclusion",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind", "rating"), ("lifted_at__isnull", True)),
                        fields=("task",),
                        name="grading_exclusion_rating",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.UniqueConstraint(
                        fields=("task", "revision"), name="grading_rating_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("accuracy__isnull", False),
                                ("comparison__isnull", True),
                                ("effect__isnull", False),
                                ("expression__isnull", False),
                                ("form", "nvv"),
                                ("naturalness__isnull", False),
                                ("quality__isnull", False),
                                ("system_first__isnull", True),
                            ),
                            models.Q(
                                ("accuracy__isnull", True),
                                ("comparison__isnull", True),
                                ("effect__isnull", True),
                                ("expression__isnull", True),
                                ("form", "mos"),
                                ("naturalness__isnull", False),
                                ("quality__isnull", True),
                                ("system_first__isnull", True),
                            ),
                            models.Q(
                                ("accuracy__isnull", True),
                                ("comparison__isnull", False),
                                ("effect__isnull", True),
                                ("expression__isnull", True),
                                ("form", "comos"),
                                ("naturalness__isnull", True),
                                ("quality__isnull", True),
                                ("system_first__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_rating_whole",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("accuracy__isnull", True),
                                models.Q(("accuracy__gte", 0), ("accuracy__lte", 5)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("effect__isnull", True),
                                models.Q(("effect__gte", 0), ("effect__lte", 5)),
                                _connector="OR",
                            ),
                        ),
                        name="grading_rating_a_p",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("naturalness__isnull", True),
                                models.Q(("naturalness__gte", 1), ("naturalness__lte", 5)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("quality__isnull", True),
                                models.Q(("quality__gte", 1), ("quality__lte", 5)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("expression__isnull", True),
                                models.Q(("expression__gte", 1), ("expression__lte", 5)),
                                _connector="OR",
                            ),
                        ),
                        name="grading_rating_n_q_e",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("comparison__isnull", True),
                            models.Q(("comparison__gte", -3), ("comparison__lte", 3)),
                            _connector="OR",
                        ),
                        name="grading_rating_c",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("accuracy__isnull", True), ("effect__isnull", True)),
                            models.Q(("accuracy", 0), ("effect", 0)),
                            models.Q(("accuracy__gte", 1), ("effect__gte", 1)),
                            _connector="OR",
                        ),
                        name="grading_rating_absent",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="sentfile",
                    constraint=models.UniqueConstraint(
                        fields=("file_set", "utt_id"), name="grading_sentfile_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="sentfile",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("storage_key", ""), _negated=True),
                            models.Q(("sha256", ""), _negated=True),
                            ("size__gte", 1),
                        ),
                        name="grading_sentfile_whole",
                    ),
                ),
                migrations.AddIndex(
                    model_name="ratingtask",
                    index=models.Index(fields=["rater", "state"], name="grading_task_rater"),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["next", "open", "answered", "late", "broken", "released"],
                            )
                        ),
                        name="grading_task_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["scored", "trap", "known", "repeat", "null"])
                        ),
                        name="grading_task_kind",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.UniqueConstraint(
                        fields=("session", "position"), name="grading_task_position"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("rater",),
                        name="grading_task_one_open",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state", "next")),
                        fields=("rater",),
                        name="grading_task_one_next",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind", "scored")),
                        fields=("rater", "rated_text"),
                        name="grading_task_text_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state__in", ["next", "open", "answered"])),
                        fields=("slot",),
                        name="grading_task_slot_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("kind", "scored"),
                                ("rated_text__isnull", False),
                                ("repeat_of__isnull", True),
                            ),
                            models.Q(
                                ("kind", "repeat"),
                                ("rated_text__isnull", True),
                                ("repeat_of__isnull", False),
                                ("slot__isnull", True),
                            ),
                            models.Q(
                                ("kind__in", ["trap", "known", "null"]),
                                ("rated_text__isnull", True),
                                ("repeat_of__isnull", True),
                                ("slot__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_task_fields",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", True),
                                ("lease_until__isnull", False),
                                ("state__in", ["next", "open"]),
                            ),
                            models.Q(
                                models.Q(("state__in", ["next", "open"]), _negated=True),
                                ("ended_at__isnull", False),
                                ("lease_until__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_task_lease",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("opened_at__isnull", True), ("state", "next")),
                            ("state", "released"),
                            models.Q(
                                ("opened_at__isnull", False),
                                ("state__in", ["open", "answered", "late", "broken"]),
                            ),
                            _connector="OR",
                        ),
                        name="grading_task_opened",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "null"), _negated=True),
                            models.Q(("system_first", False), ("system_first__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_task_null",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("second_delivered_at__isnull", True),
                            ("system_first__isnull", False),
                            _connector="OR",
                        ),
                        name="grading_task_second",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ratingtask",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("draft__isnull", True), ("draft_at__isnull", True)),
                            models.Q(("draft__isnull", False), ("draft_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_task_draft",
                    ),
                ),
                migrations.AddIndex(
                    model_name="planslot",
                    index=models.Index(
                        condition=models.Q(("done_at__isnull", True)),
                        fields=["protocol", "language", "system"],
                        name="grading_slot_free",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planslot",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("row__isnull", False)),
                        fields=("row", "position"),
                        name="grading_slot_position",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planslot",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("row__isnull", False)),
                        fields=("row", "rated_text"),
                        name="grading_slot_text_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planslot",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("row__isnull", False), ("open_to_all", True), _connector="OR"
                        ),
                        name="grading_slot_held",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="planslot",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("done_at__isnull", True),
                            ("lease_until__isnull", True),
                            _connector="OR",
                        ),
                        name="grading_slot_done",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="brokenreport",
                    constraint=models.UniqueConstraint(
                        fields=("stimulus", "rater"), name="grading_broken_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="brokenreport",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("outcome", "")),
                            models.Q(
                                ("decided_at__isnull", False),
                                ("outcome__in", ["kept", "dropped"]),
                                models.Q(("reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_broken_decided",
                    ),
                ),
                migrations.AddIndex(
                    model_name="audiogrant",
                    index=models.Index(fields=["expires_at"], name="grading_audio_grant_old"),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("check_sound", ""), ("stimulus__isnull", False)),
                            models.Q(
                                ("stimulus__isnull", True),
                                ("task__isnull", True),
                                models.Q(("check_sound", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_audio_grant_sound",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("part", 0),
                            models.Q(("part", 1), ("task__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_audio_grant_part",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("made_at"))),
                        name="grading_audio_grant_window",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("token_digest", ""), _negated=True),
                            models.Q(("login", ""), _negated=True),
                            models.Q(("salt", ""), _negated=True),
                        ),
                        name="grading_audio_grant_bound",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("task__isnull", False)),
                        fields=("task", "login", "part"),
                        name="grading_audio_grant_task",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("stimulus__isnull", False), ("task__isnull", True)),
                        fields=("session", "stimulus", "login"),
                        name="grading_audio_grant_practice",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audiogrant",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("check_sound", ""), _negated=True),
                        fields=("session", "check_sound", "login"),
                        name="grading_audio_grant_check",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("way__in", ["organizer", "released"])),
                        name="grading_verification_way",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("closes_at__gt", models.F("opens_at")),
                                ("opens_at__isnull", False),
                                ("way", "released"),
                            ),
                            models.Q(
                                models.Q(("way", "released"), _negated=True),
                                ("closes_at__isnull", True),
                                ("opens_at__isnull", True),
                                ("pack__isnull", True),
                                ("released_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_verification_window",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("pack__isnull", True), ("released_at__isnull", True)),
                            models.Q(("pack__isnull", False), ("released_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_verification_released",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verifiedentrant",
                    constraint=models.UniqueConstraint(
                        fields=("verification", "entrant"), name="grading_verified_once"
                    ),
                ),
                migrations.AddIndex(
                    model_name="verificationrun",
                    index=models.Index(
                        fields=["state", "lease_until"], name="grading_verification_sweep"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["queued", "running", "scored", "rejected", "failed"])
                        ),
                        name="grading_verification_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_until__isnull", False), ("state", "running")),
                            models.Q(
                                models.Q(("state", "running"), _negated=True),
                                ("lease_until__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_verification_lease",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "scored"), _negated=True),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("tallies__isnull", False),
                                models.Q(
                                    models.Q(("score__isnull", False), ("withheld_reason", "")),
                                    models.Q(
                                        ("score__isnull", True),
                                        models.Q(("withheld_reason", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="grading_verification_scored",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(
                                models.Q(("failure_code", ""), _negated=True),
                                ("finished_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_verification_failed",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("score__isnull", True),
                                models.Q(
                                    ("score__gte", -1000000000.0), ("score__lte", 1000000000.0)
                                ),
                                _connector="OR",
                            ),
                            models.Q(
                                ("low__isnull", True),
                                models.Q(("low__gte", -1000000000.0), ("low__lte", 1000000000.0)),
                                _connector="OR",
                            ),
                            models.Q(
                                ("high__isnull", True),
                                models.Q(("high__gte", -1000000000.0), ("high__lte", 1000000000.0)),
                                _connector="OR",
                            ),
                        ),
                        name="grading_verification_finite",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationrun",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running", "scored"])),
                        fields=("named", "content_id"),
                        name="grading_verification_content",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verificationoutcome",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["consistent", "lower", "open"])),
                        name="grading_verification_verdict",
                    ),
                ),
                migrations.AddIndex(
                    model_name="stimulus",
                    index=models.Index(
                        fields=["protocol", "prepared_at"], name="grading_stimulus_sweep"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["scored", "practice", "trap", "known", "compared"])
                        ),
                        name="grading_stimulus_kind",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("expected__isnull", True),
                                ("kind", "scored"),
                                ("rated_text__isnull", False),
                                ("system__isnull", False),
                            ),
                            models.Q(
                                ("expected__isnull", True),
                                ("kind", "compared"),
                                ("system__isnull", True),
                            ),
                            models.Q(
                                ("expected__isnull", False),
                                ("kind__in", ["practice", "trap", "known"]),
                                ("rated_text__isnull", True),
                                ("system__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_stimulus_fields",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "compared"), _negated=True),
                            ("compared_with__isnull", True),
                            _connector="OR",
                        ),
                        name="grading_stimulus_pair",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind", "compared")),
                        fields=("rated_text",),
                        name="grading_stimulus_compared",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind", "scored")),
                        fields=("system", "rated_text"),
                        name="grading_stimulus_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("kind__in", ["practice", "trap", "known"])),
                        fields=("protocol", "kind", "language", "name"),
                        name="grading_stimulus_control",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("frames__isnull", True),
                                ("gain_cdb__isnull", True),
                                ("prepared_at__isnull", True),
                                ("sha256", ""),
                                ("size__isnull", True),
                                ("storage_key", ""),
                            ),
                            models.Q(
                                ("frames__gte", 1),
                                ("frames__isnull", False),
                                ("gain_cdb__isnull", False),
                                ("prepare_error", ""),
                                ("prepared_at__isnull", False),
                                ("size__gte", 1),
                                ("size__isnull", False),
                                models.Q(("storage_key", ""), _negated=True),
                                models.Q(("sha256", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_stimulus_prepared",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="stimulus",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("text", ""), _negated=True),
                            models.Q(("name", ""), _negated=True),
                        ),
                        name="grading_stimulus_whole",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="clip",
                    constraint=models.UniqueConstraint(
                        fields=("submission", "utt_id"), name="grading_clip_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="clip",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("language", ""), _negated=True),
                        ),
                        name="grading_clip_named",
                    ),
                ),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="evaluation",
            name="grading_evaluation_state",
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="grading_notice_kind",
        ),
        migrations.AddField(
            model_name="submission",
            name="by_organizer",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="submission",
            name="progress_done",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="submission",
            name="progress_step",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.AddField(
            model_name="submission",
            name="progress_total",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name="evaluation",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "waiting for marks"),
                    ("queued", "queued"),
                    ("running", "running"),
                    ("scored", "scored"),
                    ("failed", "failed"),
                    ("cancelled", "cancelled"),
                ],
                default="queued",
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("scored", "a submission of my team is scored"),
                    ("rejected", "a submission of my team was rejected, or could not be processed"),
                    ("rescored", "scores were corrected"),
                    ("deadline", "a date was moved"),
                    ("announcement", "the organizers announce something"),
                    ("answer", "my question is answered"),
                    ("entrant", "the standing of my team, or my place in it, is changed"),
                    ("board", "a board is frozen, published or taken down"),
                    ("scoring", "scoring is paused or goes on"),
                    (
                        "copy",
                        "a copy of a pack is issued to me, refused, revoked or about to expire",
                    ),
                    ("question", "somebody asks a question in a competition that I organize"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["waiting", "queued", "running", "scored", "failed", "cancelled"])
                ),
                name="grading_evaluation_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "waiting"), _negated=True),
                    models.Q(("failure_code", ""), ("finished_at__isnull", True)),
                    _connector="OR",
                ),
                name="grading_evaluation_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "scored",
                            "rejected",
                            "rescored",
                            "deadline",
                            "announcement",
                            "answer",
                            "entrant",
                            "board",
                            "scoring",
                            "copy",
                            "question",
                        ],
                    )
                ),
                name="grading_notice_kind",
            ),
        ),
    ]
