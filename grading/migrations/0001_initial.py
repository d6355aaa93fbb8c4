import accounts.codes
import accounts.together
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0001_initial"),
    ]

    operations = [
        accounts.together.Together(
            operations=[
                migrations.CreateModel(
                    name="Evaluation",
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
                            "state",
                            models.CharField(
                                choices=[
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
                        ("queued_at", models.DateTimeField()),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("attempt", models.PositiveIntegerField(default=0)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("rung_at", models.DateTimeField(blank=True, null=True)),
                        ("worker", models.CharField(blank=True, max_length=120)),
                        ("progress_done", models.PositiveIntegerField(default=0)),
                        ("progress_total", models.PositiveIntegerField(default=0)),
                        ("failure_code", models.CharField(blank=True, max_length=32)),
                        ("score", models.FloatField(blank=True, null=True)),
                        ("withheld_reason", models.CharField(blank=True, max_length=64)),
                        ("low", models.FloatField(blank=True, null=True)),
                        ("high", models.FloatField(blank=True, null=True)),
                        ("interval_reason", models.CharField(blank=True, max_length=64)),
                        ("seed", models.CharField(blank=True, max_length=20)),
                        ("components", models.JSONField(default=dict)),
                        ("languages", models.JSONField(default=dict)),
                        ("second_opinion", models.JSONField(default=dict)),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["state", "lease_until"], name="grading_evaluation_sweep"
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        ["queued", "running", "scored", "failed", "cancelled"],
                                    )
                                ),
                                name="grading_evaluation_state",
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
                                name="grading_evaluation_lease",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "scored"), _negated=True),
                                    models.Q(
                                        ("finished_at__isnull", False),
                                        models.Q(
                                            models.Q(
                                                ("score__isnull", False), ("withheld_reason", "")
                                            ),
                                            models.Q(
                                                ("score__isnull", True),
                                                models.Q(("withheld_reason", ""), _negated=True),
                                            ),
                                            _connector="OR",
                                        ),
                                    ),
                                    _connector="OR",
                                ),
                                name="grading_evaluation_scored",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("state", "scored"), ("score__isnull", True), _connector="OR"
                                ),
                                name="grading_evaluation_unscored",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "failed"), _negated=True),
                                    models.Q(
                                        models.Q(("failure_code", ""), _negated=True),
                                        ("finished_at__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="grading_evaluation_failed",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("score__isnull", True),
                                        models.Q(
                                            ("score__gte", -1000000000.0),
                                            ("score__lte", 1000000000.0),
                                        ),
                                        _connector="OR",
                                    ),
                                    models.Q(
                                        ("low__isnull", True),
                                        models.Q(
                                            ("low__gte", -1000000000.0), ("low__lte", 1000000000.0)
                                        ),
                                        _connector="OR",
                                    ),
                                    models.Q(
                                        ("high__isnull", True),
                                        models.Q(
                                            ("high__gte", -1000000000.0),
                                            ("high__lte", 1000000000.0),
                                        ),
                                        _connector="OR",
                                    ),
                                ),
                                name="grading_evaluation_finite",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("high__isnull", True), ("low__isnull", True)),
                                    models.Q(
                                        ("high__gte", models.F("low")),
                                        ("high__isnull", False),
                                        ("low__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="grading_evaluation_interval",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WorkerHeartbeat",
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
                        ("name", models.CharField(max_length=120, unique=True)),
                        ("kind", models.CharField(max_length=16)),
                        ("at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Board",
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
                        ("built_at", models.DateTimeField(blank=True, null=True)),
                        ("rung_at", models.DateTimeField(blank=True, null=True)),
                        ("frozen_at", models.DateTimeField(blank=True, null=True)),
                        ("data", models.JSONField(default=dict)),
                        (
                            "phase",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="board",
                                to="competition.phase",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("built__lte", models.F("wanted"))),
                                name="grading_board_number",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EvaluationTallies",
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
                        ("data", models.BinaryField()),
                        ("sha256", models.CharField(max_length=64)),
                        (
                            "evaluation",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tallies",
                                to="grading.evaluation",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="IdempotencyKey",
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
                        ("endpoint", models.CharField(max_length=120)),
                        ("key", models.CharField(max_length=120)),
                        ("body_sha256", models.CharField(blank=True, max_length=64)),
                        ("status", models.PositiveIntegerField(blank=True, null=True)),
                        ("answer", models.JSONField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("user", "endpoint", "key"), name="grading_idempotency_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Recipe",
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
                        ("digest", models.CharField(max_length=64, unique=True)),
                        ("scorer", models.CharField(max_length=32)),
                        ("version", models.CharField(max_length=16)),
                        ("params", models.JSONField()),
                        ("created_at", models.DateTimeField()),
                        (
                            "references",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="competition.referenceversion",
                            ),
                        ),
                        (
                            "track",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="recipes",
                                to="competition.track",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="PhaseRecipe",
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
                            "role",
                            models.CharField(
                                choices=[
                                    ("live", "live"),
                                    ("candidate", "candidate"),
                                    ("retired", "retired"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("since", models.DateTimeField()),
                        (
                            "phase",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="recipes",
                                to="competition.phase",
                            ),
                        ),
                        (
                            "recipe",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="phases",
                                to="grading.recipe",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("role__in", ["live", "candidate", "retired"])),
                                name="grading_phase_recipe_role",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("role", "live")),
                                fields=("phase",),
                                name="grading_one_live",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("role", "candidate")),
                                fields=("phase",),
                                name="grading_one_candidate",
                            ),
                            models.UniqueConstraint(
                                fields=("phase", "recipe"), name="grading_phase_recipe_once"
                            ),
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="evaluation",
                    name="recipe",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="grading.recipe",
                    ),
                ),
                migrations.CreateModel(
                    name="Standing",
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
                        ("audience", models.CharField(default="public", max_length=8)),
                        ("view", models.CharField(blank=True, max_length=8)),
                        ("position", models.PositiveIntegerField()),
                        ("place", models.PositiveIntegerField(blank=True, null=True)),
                        ("band", models.PositiveIntegerField(blank=True, null=True)),
                        ("range_first", models.PositiveIntegerField(blank=True, null=True)),
                        ("range_last", models.PositiveIntegerField(blank=True, null=True)),
                        ("score", models.FloatField(blank=True, null=True)),
                        ("low", models.FloatField(blank=True, null=True)),
                        ("high", models.FloatField(blank=True, null=True)),
                        ("components", models.JSONField(default=dict)),
                        ("difference", models.JSONField(default=dict)),
                        (
                            "board",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="standings",
                                to="grading.board",
                            ),
                        ),
                        (
                            "entrant",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="standings",
                                to="competition.entrant",
                            ),
                        ),
                        (
                            "evaluation",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="standings",
                                to="grading.evaluation",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["board_id", "view", "position"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("board", "audience", "view", "entrant"),
                                name="grading_standing_once",
                            ),
                            models.UniqueConstraint(
                                fields=("board", "audience", "view", "position"),
                                name="grading_standing_position",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("audience__in", ["public", "current"])),
                                name="grading_standing_audience",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("score__isnull", True),
                                        models.Q(
                                            ("score__gte", -1000000000.0),
                                            ("score__lte", 1000000000.0),
                                        ),
                                        _connector="OR",
                                    ),
                                    models.Q(
                                        ("low__isnull", True),
                                        models.Q(
                                            ("low__gte", -1000000000.0), ("low__lte", 1000000000.0)
                                        ),
                                        _connector="OR",
                                    ),
                                    models.Q(
                                        ("high__isnull", True),
                                        models.Q(
                                            ("high__gte", -1000000000.0),
                                            ("high__lte", 1000000000.0),
                                        ),
                                        _connector="OR",
                                    ),
                                ),
                                name="grading_standing_finite",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("place__isnull", True),
                                    ("score__isnull", False),
                                    _connector="OR",
                                ),
                                name="grading_standing_place",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Submission",
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
                        ("number", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[("entry", "entry"), ("canary", "canary")],
                                default="entry",
                                max_length=16,
                            ),
                        ),
                        ("system", models.CharField(max_length=80)),
                        ("note", models.CharField(blank=True, max_length=500)),
                        ("filename", models.CharField(max_length=255)),
                        ("size", models.PositiveBigIntegerField()),
                        ("content_id", models.CharField(max_length=64)),
                        ("storage_key", models.CharField(max_length=200)),
                        ("created_at", models.DateTimeField()),
                        ("received_at", models.DateTimeField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("received", "received"),
                                    ("accepted", "accepted"),
                                    ("rejected", "rejected"),
                                    ("failed", "failed"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="received",
                                max_length=16,
                            ),
                        ),
                        ("marked_at", models.DateTimeField(blank=True, null=True)),
                        ("validated_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("failure_code", models.CharField(blank=True, max_length=32)),
                        ("attempt", models.PositiveIntegerField(default=0)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("rung_at", models.DateTimeField(blank=True, null=True)),
                        ("rows", models.PositiveIntegerField(blank=True, null=True)),
                        ("reading", models.CharField(blank=True, max_length=64)),
                        ("problems_total", models.PositiveIntegerField(blank=True, null=True)),
                        ("errors_total", models.PositiveIntegerField(blank=True, null=True)),
                        (
                            "entrant",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="submissions",
                                to="competition.entrant",
                            ),
                        ),
                        (
                            "phase",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="submissions",
                                to="competition.phase",
                            ),
                        ),
                        (
                            "uploader",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="submissions",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created_at", "-id"],
                        "indexes": [
                            models.Index(
                                fields=["state", "lease_until"], name="grading_submission_sweep"
                            ),
                            models.Index(
                                fields=["phase", "state"], name="grading_submission_phase"
                            ),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        ["received", "accepted", "rejected", "failed", "cancelled"],
                                    )
                                ),
                                name="grading_submission_state",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["entry", "canary"])),
                                name="grading_submission_kind",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("received_at__gte", models.F("created_at"))),
                                name="grading_submission_times",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("size__gte", 1)), name="grading_submission_size"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "failed"), _negated=True),
                                    models.Q(("failure_code", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="grading_submission_failure",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("state", "received"),
                                    ("lease_until__isnull", True),
                                    _connector="OR",
                                ),
                                name="grading_submission_lease",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("state__in", ["accepted", "rejected"]), _negated=True
                                    ),
                                    ("validated_at__isnull", False),
                                    _connector="OR",
                                ),
                                name="grading_submission_validated",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("state__in", ["received", "accepted"])),
                                fields=("entrant", "phase", "content_id"),
                                name="grading_submission_content_once",
                            ),
                            models.UniqueConstraint(
                                fields=("entrant", "number"), name="grading_submission_number"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("marked_at__isnull", False)),
                                fields=("entrant", "phase"),
                                name="grading_submission_one_marked",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="QuotaEntry",
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
                        ("aoe_day", models.DateField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("reserved", "reserved"),
                                    ("charged", "charged"),
                                    ("released", "released"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("reserved_at", models.DateTimeField()),
                        ("settled_at", models.DateTimeField(blank=True, null=True)),
                        ("reason", models.CharField(blank=True, max_length=40)),
                        (
                            "entrant",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="quota_entries",
                                to="competition.entrant",
                            ),
                        ),
                        (
                            "phase",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="competition.phase",
                            ),
                        ),
                        (
                            "submission",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="quota",
                                to="grading.submission",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-reserved_at"],
                        "indexes": [
                            models.Index(
                                fields=["entrant", "phase", "aoe_day"], name="grading_quota_day"
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("state__in", ["reserved", "charged", "released"])
                                ),
                                name="grading_quota_state",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("settled_at__isnull", True), ("state", "reserved")),
                                    models.Q(
                                        models.Q(("state", "reserved"), _negated=True),
                                        ("settled_at__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="grading_quota_settled",
                            ),
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="evaluation",
                    name="submission",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="grading.submission",
                    ),
                ),
                migrations.CreateModel(
                    name="ValidationProblem",
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
                        ("code", models.CharField(max_length=40)),
                        ("severity", models.CharField(max_length=8)),
                        ("line", models.PositiveBigIntegerField(blank=True, null=True)),
                        ("member", models.CharField(blank=True, max_length=300, null=True)),
                        ("utt_id", models.CharField(blank=True, max_length=300, null=True)),
                        ("params", models.JSONField(default=dict)),
                        (
                            "submission",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="problems",
                                to="grading.submission",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("submission", "position"), name="grading_problem_position"
                            )
                        ],
                    },
                ),
                migrations.AddIndex(
                    model_name="evaluation",
                    index=models.Index(
                        fields=["recipe", "state"], name="grading_evaluation_recipe"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="evaluation",
                    constraint=models.UniqueConstraint(
                        fields=("submission", "recipe"), name="grading_evaluation_once"
                    ),
                ),
            ],
        ),
    ]
