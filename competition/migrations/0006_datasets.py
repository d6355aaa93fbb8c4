import accounts.codes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0005_question"),
    ]

    operations = [
        migrations.CreateModel(
            name="Draw",
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
                ("run", models.PositiveIntegerField(default=0)),
                ("counts", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                ("drawn_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["window_id", "run"],
            },
        ),
        migrations.CreateModel(
            name="Audio",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("crc32", models.BigIntegerField()),
                ("size", models.PositiveBigIntegerField()),
                ("storage_key", models.CharField(max_length=200)),
                (
                    "pool",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("rotation", "rotation"),
                            ("held-out", "held out"),
                        ],
                        max_length=16,
                    ),
                ),
                ("stored_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("pool__in", ["open", "rotation", "held-out"])),
                        name="competition_pool",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("size__gte", 1)), name="competition_audio_size"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("crc32__gte", 0), ("crc32__lte", 4294967295)),
                        name="competition_audio_crc",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Dataset",
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
                ("slug", models.SlugField(max_length=64)),
                ("title", models.CharField(max_length=120)),
                ("created_at", models.DateTimeField()),
                (
                    "competition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="datasets",
                        to="competition.competition",
                    ),
                ),
            ],
            options={
                "ordering": ["competition_id", "slug"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("competition", "slug"), name="competition_dataset_slug"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DatasetVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("clip_count", models.PositiveIntegerField()),
                ("texts_sha256", models.CharField(blank=True, max_length=64)),
                ("texts_key", models.CharField(blank=True, max_length=200)),
                ("loaded_at", models.DateTimeField()),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="competition.dataset",
                    ),
                ),
                (
                    "loaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["dataset_id", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("dataset", "number"), name="competition_dataset_version"
                    ),
                    models.UniqueConstraint(
                        fields=("dataset", "sha256"), name="competition_dataset_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("clip_count__gte", 1)), name="competition_dataset_holds"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("texts_key", ""), ("texts_sha256", "")),
                            models.Q(
                                models.Q(("texts_sha256", ""), _negated=True),
                                models.Q(("texts_key", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="competition_dataset_texts",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DatasetClip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("utt_id", models.CharField(max_length=200)),
                ("language", models.CharField(max_length=16)),
                ("tier", models.CharField(max_length=32)),
                ("milliseconds", models.PositiveIntegerField()),
                (
                    "audio",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="competition.audio",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="competition.datasetversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version_id", "utt_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("version", "utt_id"), name="competition_clip_once"
                    ),
                    models.UniqueConstraint(
                        fields=("version", "audio"), name="competition_clip_audio"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("tier", ""), _negated=True),
                            models.Q(("language", ""), _negated=True),
                        ),
                        name="competition_clip_named",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DrawnClip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "clip",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="drawn",
                        to="competition.datasetclip",
                    ),
                ),
                (
                    "draw",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="competition.draw",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("draw", "clip"), name="competition_drawn_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DrawWindow",
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
                ("algorithm", models.CharField(max_length=32)),
                ("algorithm_version", models.PositiveIntegerField()),
                (
                    "strata",
                    models.CharField(
                        choices=[("tier", "tier"), ("language,tier", "language and tier")],
                        default="tier",
                        max_length=32,
                    ),
                ),
                ("n", models.PositiveIntegerField()),
                ("pool_sha256", models.CharField(max_length=64)),
                ("pool_size", models.PositiveIntegerField()),
                ("commitment", models.CharField(max_length=64, unique=True)),
                ("seed", models.CharField(max_length=64)),
                ("public_name", models.CharField(blank=True, max_length=200)),
                ("public_value", models.CharField(blank=True, max_length=200)),
                ("opens_at", models.DateTimeField()),
                ("closes_at", models.DateTimeField()),
                ("made_at", models.DateTimeField()),
                ("revealed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "competition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="windows",
                        to="competition.competition",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="windows",
                        to="competition.phase",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="windows",
                        to="competition.datasetversion",
                    ),
                ),
            ],
            options={
                "ordering": ["competition_id", "-made_at"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("strata__in", ["tier", "language,tier"])),
                        name="competition_strata",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("n__gte", 1), ("n__lte", models.F("pool_size"))),
                        name="competition_window_n",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("closes_at__gt", models.F("opens_at"))),
                        name="competition_window_times",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("public_value", ""),
                            models.Q(("public_name", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="competition_window_public",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("revealed_at__isnull", True),
                            ("revealed_at__gte", models.F("closes_at")),
                            _connector="OR",
                        ),
                        name="competition_window_reveal",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="draw",
            name="window",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="draws",
                to="competition.drawwindow",
            ),
        ),
        migrations.CreateModel(
            name="Exposure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "draw",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exposures",
                        to="competition.draw",
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exposures",
                        to="competition.entrant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("draw", "entrant"), name="competition_exposure_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Pack",
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
                ("name", models.SlugField(max_length=64)),
                ("version", models.PositiveIntegerField()),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("file_count", models.PositiveIntegerField()),
                ("content_size", models.PositiveBigIntegerField()),
                ("note", models.CharField(blank=True, max_length=500)),
                ("approve", models.BooleanField(default=True)),
                ("valid_days", models.PositiveIntegerField(default=30)),
                ("made_at", models.DateTimeField()),
                ("offered_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "competition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="packs",
                        to="competition.competition",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["competition_id", "name", "-version"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("competition", "name", "version"), name="competition_pack_version"
                    ),
                    models.UniqueConstraint(
                        fields=("competition", "sha256"), name="competition_pack_content"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("file_count__gte", 1)), name="competition_pack_holds"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("valid_days__gte", 1), ("valid_days__lte", 3660)),
                        name="competition_pack_days",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("withdrawn_at__isnull", True),
                            ("offered_at__isnull", False),
                            _connector="OR",
                        ),
                        name="competition_pack_offer",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PackFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=240)),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("crc32", models.BigIntegerField()),
                ("storage_key", models.CharField(max_length=200)),
                (
                    "pack",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="competition.pack",
                    ),
                ),
            ],
            options={
                "ordering": ["pack_id", "path"],
                "constraints": [
                    models.UniqueConstraint(fields=("pack", "path"), name="competition_pack_path"),
                    models.CheckConstraint(
                        condition=models.Q(("crc32__gte", 0), ("crc32__lte", 4294967295)),
                        name="competition_pack_crc",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PackIssue",
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
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "requested"),
                            ("active", "issued"),
                            ("refused", "refused"),
                            ("revoked", "revoked"),
                        ],
                        default="requested",
                        max_length=16,
                    ),
                ),
                ("requested_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("sent", models.PositiveBigIntegerField(default=0)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("denied", models.PositiveIntegerField(default=0)),
                ("note", models.BinaryField(default=b"")),
                (
                    "acceptance",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.termsacceptance",
                    ),
                ),
                (
                    "competition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.competition",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.entrant",
                    ),
                ),
                (
                    "pack",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.pack",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revoked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["competition_id", "-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("competition", "number"), name="competition_issue_number"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["requested", "active"])),
                        fields=("pack", "person"),
                        name="competition_issue_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["requested", "active", "refused", "revoked"])
                        ),
                        name="competition_issue_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("state", "requested")),
                            models.Q(
                                models.Q(("state", "requested"), _negated=True),
                                ("decided_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="competition_issue_decided",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["requested", "refused"]),
                            ("expires_at__isnull", False),
                            _connector="OR",
                        ),
                        name="competition_issue_issued",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("revoked_at__isnull", False), ("state", "revoked")),
                            models.Q(
                                models.Q(("state", "revoked"), _negated=True),
                                ("revoked_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="competition_issue_revoked",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["refused", "revoked"]), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="competition_issue_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Download",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("began_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("low", models.PositiveBigIntegerField(default=0)),
                ("high", models.PositiveBigIntegerField(default=0)),
                ("sent", models.PositiveBigIntegerField(default=0)),
                ("requests", models.PositiveIntegerField(default=1)),
                (
                    "end",
                    models.CharField(
                        choices=[
                            ("open", "under way"),
                            ("whole", "whole"),
                            ("broken", "broken off"),
                            ("denied", "denied"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=32)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="downloads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "issue",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="downloads",
                        to="competition.packissue",
                    ),
                ),
            ],
            options={
                "ordering": ["-began_at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("end__in", ["open", "whole", "broken", "denied"])),
                        name="competition_download_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("high__gte", models.F("low")), ("last_at__gte", models.F("began_at"))
                        ),
                        name="competition_download_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("end", "denied"), _negated=True),
                            models.Q(("sent", 0), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="competition_download_denied",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PoolClip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "clip",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.datasetclip",
                    ),
                ),
                (
                    "window",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pool",
                        to="competition.drawwindow",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("window", "clip"), name="competition_pool_clip_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PoolMove",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "old",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("rotation", "rotation"),
                            ("held-out", "held out"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "new",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("rotation", "rotation"),
                            ("held-out", "held out"),
                        ],
                        max_length=16,
                    ),
                ),
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
                    "audio",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="moves",
                        to="competition.audio",
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("new__in", ["open", "rotation", "held-out"]),
                            ("old__in", ["open", "rotation", "held-out"]),
                            models.Q(("old", models.F("new")), _negated=True),
                        ),
                        name="competition_pool_move",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="competition_pool_reason",
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="draw",
            constraint=models.UniqueConstraint(
                fields=("window", "run"), name="competition_draw_once"
            ),
        ),
        migrations.AddIndex(
            model_name="download",
            index=models.Index(fields=["issue", "-began_at"], name="competition_download_issue"),
        ),
    ]
