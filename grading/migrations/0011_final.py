import accounts.codes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0005_question"),
        ("grading", "0010_judging"),
    ]

    operations = [
        migrations.CreateModel(
            name="FinalBoard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("wanted", models.PositiveBigIntegerField(default=0)),
                ("built", models.PositiveBigIntegerField(default=0)),
                ("built_at", models.DateTimeField(null=True)),
                ("rung_at", models.DateTimeField(null=True)),
                ("published_at", models.DateTimeField(null=True)),
                ("held_number", models.PositiveBigIntegerField(null=True)),
                (
                    "phase",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="final_board",
                        to="competition.phase",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("built__lte", models.F("wanted"))),
                        name="grading_final_board_number",
                    ),
                    models.CheckConstraint(
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
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalAct",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="grading.finalboard",
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("act__in", ["freeze", "unfreeze", "publish", "take-down"])
                        ),
                        name="grading_final_act",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="grading_final_act_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalRanking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                ("made_at", models.DateTimeField()),
                ("seed", models.CharField(max_length=20)),
                ("digest", models.CharField(max_length=64)),
                ("inputs_digest", models.CharField(max_length=64)),
                ("inputs", models.JSONField(default=dict)),
                ("changes", models.JSONField(default=dict)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="grading.finalboard",
                    ),
                ),
                (
                    "recipe",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.recipe",
                    ),
                ),
            ],
            options={
                "ordering": ["board_id", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("board", "number"), name="grading_final_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("digest", ""), _negated=True),
                            models.Q(("inputs_digest", ""), _negated=True),
                            models.Q(("seed", ""), _negated=True),
                        ),
                        name="grading_final_digests",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ranking",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="grading.finalranking",
                    ),
                ),
            ],
            options={
                "ordering": ["-requested_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("outcome", "")),
                        fields=("ranking",),
                        name="grading_final_check_one_open",
                    ),
                    models.CheckConstraint(
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
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalSelection",
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
                ("board_number", models.PositiveBigIntegerField()),
                ("n", models.PositiveIntegerField()),
                ("limit", models.PositiveIntegerField()),
                ("rule", models.JSONField(default=dict)),
                ("recorded_at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="final_selection",
                        to="competition.phase",
                    ),
                ),
                (
                    "recipe",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.recipe",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("limit__gte", models.F("n")), ("n__gte", 1)),
                        name="grading_selection_numbers",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalStanding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "ranking",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="standings",
                        to="grading.finalranking",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["ranking_id", "listing", "view", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("ranking", "view", "submission"), name="grading_final_row_once"
                    ),
                    models.UniqueConstraint(
                        fields=("ranking", "listing", "view", "position"),
                        name="grading_final_row_position",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("listing__in", ["rated", "judged"])),
                        name="grading_final_row_list",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                        name="grading_final_row_interval",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalSystem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "evaluation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.evaluation",
                    ),
                ),
                (
                    "selection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="systems",
                        to="grading.finalselection",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["selection_id", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("selection", "submission"), name="grading_final_system_once"
                    ),
                    models.UniqueConstraint(
                        fields=("selection", "position"), name="grading_final_system_position"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("reason__in", ["reference", "anchor"])),
                        fields=("selection", "reason"),
                        name="grading_final_system_one_of",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("position__gte", 1), ("position__lte", 14)),
                        name="grading_final_system_most",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ["top", "overlap", "baseline", "reference", "anchor"])
                        ),
                        name="grading_final_system_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ["reference", "anchor"]),
                            models.Q(("evaluation__isnull", False), ("score__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_final_system_scored",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                ],
            },
        ),
        migrations.CreateModel(
            name="Filing",
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
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("description", "system description"),
                            ("resources", "disclosed resources: data, models, paid services"),
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
                (
                    "filed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="filings",
                        to="grading.finalsystem",
                    ),
                ),
            ],
            options={
                "ordering": ["system_id", "kind", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("system", "kind", "number"), name="grading_filing_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["description", "resources", "material"])),
                        name="grading_filing_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("text", ""), _negated=True),
                            models.Q(("link", ""), _negated=True),
                            models.Q(("storage_key", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="grading_filing_not_empty",
                    ),
                    models.CheckConstraint(
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
                ],
            },
        ),
        migrations.CreateModel(
            name="FilingCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        choices=[("accepted", "accepted"), ("returned", "returned")], max_length=16
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=1000)),
                ("checked_at", models.DateTimeField()),
                (
                    "checked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "filing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="grading.filing",
                    ),
                ),
            ],
            options={
                "ordering": ["filing_id", "-checked_at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["accepted", "returned"])),
                        name="grading_filing_verdict",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("verdict", "accepted"),
                            models.Q(("note", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="grading_filing_note",
                    ),
                ],
            },
        ),
    ]
