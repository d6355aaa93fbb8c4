import accounts.codes
import django.db.models.deletion
import django.db.models.expressions
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0005_question"),
        ("grading", "0008_renaming"),
    ]

    operations = [
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
        migrations.CreateModel(
            name="FileSet",
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
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to="competition.entrant",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to="competition.phase",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="file_sets",
                        to="grading.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["state", "expires_at"], name="grading_fileset_sweep"),
                    models.Index(
                        fields=["entrant", "phase", "aoe_day"], name="grading_fileset_day"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "completed", "aborted"])),
                        name="grading_fileset_state",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(("system", ""), _negated=True),
                        name="grading_fileset_system",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="grading_fileset_times",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("entrant", "phase", "system"),
                        name="grading_fileset_open_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SentFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("utt_id", models.CharField(max_length=200)),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("storage_key", models.CharField(max_length=200)),
                ("warnings", models.JSONField(default=list)),
                ("stored_at", models.DateTimeField()),
                (
                    "file_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="grading.fileset",
                    ),
                ),
            ],
            options={
                "ordering": ["utt_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("file_set", "utt_id"), name="grading_sentfile_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("storage_key", ""), _negated=True),
                            models.Q(("sha256", ""), _negated=True),
                            ("size__gte", 1),
                        ),
                        name="grading_sentfile_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Waveform",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("size", models.PositiveBigIntegerField()),
                ("frames", models.PositiveIntegerField()),
                ("storage_key", models.CharField(db_index=True, max_length=200)),
                ("screen", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("storage_key", ""), _negated=True),
                            models.Q(("sha256", ""), _negated=True),
                        ),
                        name="grading_waveform_stored",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Clip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("utt_id", models.CharField(max_length=200)),
                ("language", models.CharField(max_length=16)),
                ("member", models.CharField(max_length=300)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="grading.submission",
                    ),
                ),
                (
                    "waveform",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="grading.waveform",
                    ),
                ),
            ],
            options={
                "ordering": ["utt_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "utt_id"), name="grading_clip_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("language", ""), _negated=True),
                        ),
                        name="grading_clip_named",
                    ),
                ],
            },
        ),
    ]
