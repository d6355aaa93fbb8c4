import accounts.codes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0002_entrant_charged_at"),
        ("grading", "0002_standing_interval"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="sha256",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.CreateModel(
            name="UploadSession",
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
                ("filename", models.CharField(max_length=255)),
                ("size", models.PositiveBigIntegerField()),
                ("part_size", models.PositiveIntegerField()),
                ("content_id", models.CharField(max_length=64)),
                ("aoe_day", models.DateField()),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("storage_key", models.CharField(max_length=200)),
                ("storage_handle", models.CharField(blank=True, max_length=1024)),
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
                        related_name="uploads",
                        to="competition.entrant",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="competition.phase",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uploads",
                        to="grading.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "indexes": [
                    models.Index(fields=["state", "expires_at"], name="grading_upload_sweep"),
                    models.Index(fields=["entrant", "phase", "aoe_day"], name="grading_upload_day"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "completed", "aborted"])),
                        name="grading_upload_state",
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
                        name="grading_upload_ended",
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
                        name="grading_upload_submission",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("size__gt", models.F("part_size"))),
                        name="grading_upload_size",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="grading_upload_times",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("entrant", "phase", "content_id"),
                        name="grading_upload_content_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("stored_at", models.DateTimeField(blank=True, null=True)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="parts",
                        to="grading.uploadsession",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "number"), name="grading_upload_part_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1), ("size__gte", 1)),
                        name="grading_upload_part_positive",
                    ),
                ],
            },
        ),
    ]
