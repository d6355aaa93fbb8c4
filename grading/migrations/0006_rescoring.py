import accounts.codes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0004_board_changes"),
        ("grading", "0005_notice"),
    ]

    operations = [
        migrations.CreateModel(
            name="RescoreCheck",
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
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "running"),
                            ("same", "same"),
                            ("differs", "differs"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                ("requested_at", models.DateTimeField()),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("rung_at", models.DateTimeField(blank=True, null=True)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("failure_code", models.CharField(blank=True, max_length=32)),
                ("found", models.JSONField(default=dict)),
                ("differences", models.JSONField(default=list)),
            ],
            options={
                "ordering": ["-requested_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["queued", "running", "same", "differs", "failed"])
                        ),
                        name="grading_check_state",
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
                        name="grading_check_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("finished_at__isnull", False),
                                ("state__in", ["same", "differs", "failed"]),
                            ),
                            models.Q(
                                models.Q(
                                    ("state__in", ["same", "differs", "failed"]), _negated=True
                                ),
                                ("finished_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_check_finished",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("failure_code", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="grading_check_failed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="grading_check_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rescoring",
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
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("switched", "switched"),
                            ("cancelled", "cancelled"),
                        ],
                        default="open",
                        max_length=16,
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                ("proposed_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("accepted_failures", models.JSONField(default=list)),
            ],
            options={
                "ordering": ["-proposed_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "switched", "cancelled"])),
                        name="grading_rescoring_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("state", "open")),
                            models.Q(
                                models.Q(("state", "open"), _negated=True),
                                ("ended_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="grading_rescoring_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="grading_rescoring_reason",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="evaluation",
            name="corrected_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="priority",
            field=models.PositiveSmallIntegerField(
                choices=[(0, "fresh"), (1, "again")], db_default=0, default=0
            ),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                fields=["state", "priority", "queued_at"], name="grading_evaluation_queue"
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(("priority__in", [0, 1])), name="grading_evaluation_priority"
            ),
        ),
        migrations.AddField(
            model_name="rescorecheck",
            name="evaluation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="checks",
                to="grading.evaluation",
            ),
        ),
        migrations.AddField(
            model_name="rescorecheck",
            name="requested_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="rescoring",
            name="ended_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="rescoring",
            name="phase",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rescorings",
                to="competition.phase",
            ),
        ),
        migrations.AddField(
            model_name="rescoring",
            name="proposed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="rescoring",
            name="recipe",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.recipe"
            ),
        ),
        migrations.AddField(
            model_name="rescoring",
            name="replaced",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="grading.recipe"
            ),
        ),
        migrations.AddConstraint(
            model_name="rescorecheck",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("evaluation",),
                name="grading_check_one_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="rescoring",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")),
                fields=("phase",),
                name="grading_rescoring_one_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="rescoring",
            constraint=models.CheckConstraint(
                condition=models.Q(("recipe", models.F("replaced")), _negated=True),
                name="grading_rescoring_changes",
            ),
        ),
    ]
