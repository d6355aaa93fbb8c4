import accounts.codes
import accounts.together
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0005_question"),
    ]

    operations = [
        accounts.together.Together(
            operations=[
                migrations.CreateModel(
                    name="Audio",
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
                ),
                migrations.CreateModel(
                    name="CopyHash",
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
                        ("sha256", models.CharField(db_index=True, max_length=64)),
                        ("note_sha256", models.CharField(db_index=True, max_length=64)),
                        ("size", models.PositiveBigIntegerField()),
                        ("hashed_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Dataset",
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
                        ("slug", models.SlugField(max_length=64)),
                        ("title", models.CharField(max_length=120)),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["competition_id", "slug"],
                    },
                ),
                migrations.CreateModel(
                    name="DatasetClip",
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
                        ("tier", models.CharField(max_length=32)),
                        ("milliseconds", models.PositiveIntegerField()),
                    ],
                    options={
                        "ordering": ["version_id", "utt_id"],
                    },
                ),
                migrations.CreateModel(
                    name="DatasetVersion",
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
                        ("number", models.PositiveIntegerField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("clip_count", models.PositiveIntegerField()),
                        ("texts_sha256", models.CharField(blank=True, max_length=64)),
                        ("texts_key", models.CharField(blank=True, max_length=200)),
                        ("loaded_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["dataset_id", "-number"],
                    },
                ),
                migrations.CreateModel(
                    name="Download",
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
                    ],
                    options={
                        "ordering": ["-began_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Draw",
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
                    name="DrawnClip",
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
                    name="DrawWindow",
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
                    ],
                    options={
                        "ordering": ["competition_id", "-made_at"],
                    },
                ),
                migrations.CreateModel(
                    name="EntrantMerge",
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
                        ("is_direct", models.BooleanField(default=True)),
                        ("figures", models.JSONField(default=dict)),
                        ("reason", models.CharField(max_length=300)),
                        ("merged_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["competition_id", "pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Exposure",
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
                        ("at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="LinkJudgement",
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
                                choices=[("dismissed", "dismissed"), ("linked", "linked")],
                                max_length=16,
                            ),
                        ),
                        ("hints", models.JSONField(default=list)),
                        ("reason", models.CharField(max_length=300)),
                        ("judged_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["competition_id", "pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Pack",
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
                    ],
                    options={
                        "ordering": ["competition_id", "name", "-version"],
                    },
                ),
                migrations.CreateModel(
                    name="PackAddressee",
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
                    name="PackFile",
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
                        ("path", models.CharField(max_length=240)),
                        ("size", models.PositiveBigIntegerField()),
                        ("sha256", models.CharField(db_index=True, max_length=64)),
                        ("crc32", models.BigIntegerField()),
                        ("storage_key", models.CharField(max_length=200)),
                    ],
                    options={
                        "ordering": ["pack_id", "path"],
                    },
                ),
                migrations.CreateModel(
                    name="PackIssue",
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
                            "state",
                            models.CharField(
                                choices=[
                                    ("requested", "requested"),
                                    ("active", "issued"),
                                    ("refused", "refused"),
                                    ("revoked", "revoked"),
                                    ("expired", "expired"),
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
                    ],
                    options={
                        "ordering": ["competition_id", "-number"],
                    },
                ),
                migrations.CreateModel(
                    name="PhaseDraw",
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
                        ("at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="PoolClip",
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
                    name="PoolMove",
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
                    ],
                    options={
                        "ordering": ["-at", "-pk"],
                    },
                ),
                migrations.AddConstraint(
                    model_name="audio",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("pool__in", ["open", "rotation", "held-out"])),
                        name="competition_pool",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audio",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("size__gte", 1)), name="competition_audio_size"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="audio",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("crc32__gte", 0), ("crc32__lte", 4294967295)),
                        name="competition_audio_crc",
                    ),
                ),
                migrations.AddField(
                    model_name="dataset",
                    name="competition",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="datasets",
                        to="competition.competition",
                    ),
                ),
                migrations.AddField(
                    model_name="datasetclip",
                    name="audio",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="competition.audio",
                    ),
                ),
                migrations.AddField(
                    model_name="datasetversion",
                    name="dataset",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="competition.dataset",
                    ),
                ),
                migrations.AddField(
                    model_name="datasetversion",
                    name="loaded_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="datasetclip",
                    name="version",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="competition.datasetversion",
                    ),
                ),
                migrations.AddField(
                    model_name="download",
                    name="person",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="downloads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="drawnclip",
                    name="clip",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="drawn",
                        to="competition.datasetclip",
                    ),
                ),
                migrations.AddField(
                    model_name="drawnclip",
                    name="draw",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="clips",
                        to="competition.draw",
                    ),
                ),
                migrations.AddField(
                    model_name="drawwindow",
                    name="competition",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="windows",
                        to="competition.competition",
                    ),
                ),
                migrations.AddField(
                    model_name="drawwindow",
                    name="made_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="drawwindow",
                    name="phase",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="windows",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="drawwindow",
                    name="version",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="windows",
                        to="competition.datasetversion",
                    ),
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
                migrations.AddField(
                    model_name="entrantmerge",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="entrantmerge",
                    name="competition",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merges",
                        to="competition.competition",
                    ),
                ),
                migrations.AddField(
                    model_name="entrantmerge",
                    name="kept",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="taken_in",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="entrantmerge",
                    name="merged",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="went_into",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="exposure",
                    name="draw",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exposures",
                        to="competition.draw",
                    ),
                ),
                migrations.AddField(
                    model_name="exposure",
                    name="entrant",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exposures",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="linkjudgement",
                    name="competition",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="link_judgements",
                        to="competition.competition",
                    ),
                ),
                migrations.AddField(
                    model_name="linkjudgement",
                    name="judged_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="linkjudgement",
                    name="one",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="linkjudgement",
                    name="other",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="pack",
                    name="competition",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="packs",
                        to="competition.competition",
                    ),
                ),
                migrations.AddField(
                    model_name="pack",
                    name="made_by",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="packaddressee",
                    name="entrant",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="packaddressee",
                    name="pack",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="addressees",
                        to="competition.pack",
                    ),
                ),
                migrations.AddField(
                    model_name="packfile",
                    name="pack",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="competition.pack",
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="acceptance",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.termsacceptance",
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="competition",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.competition",
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="decided_by",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="entrant",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.entrant",
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="pack",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to="competition.pack",
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="person",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="issues",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="packissue",
                    name="revoked_by",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="download",
                    name="issue",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="downloads",
                        to="competition.packissue",
                    ),
                ),
                migrations.AddField(
                    model_name="copyhash",
                    name="issue",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="zip",
                        to="competition.packissue",
                    ),
                ),
                migrations.AddField(
                    model_name="phasedraw",
                    name="draw",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="phase",
                        to="competition.draw",
                    ),
                ),
                migrations.AddField(
                    model_name="phasedraw",
                    name="phase",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="taken_draw",
                        to="competition.phase",
                    ),
                ),
                migrations.AddField(
                    model_name="phasedraw",
                    name="references",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.referenceversion",
                    ),
                ),
                migrations.AddField(
                    model_name="phasedraw",
                    name="whole",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.referenceversion",
                    ),
                ),
                migrations.AddField(
                    model_name="poolclip",
                    name="clip",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.datasetclip",
                    ),
                ),
                migrations.AddField(
                    model_name="poolclip",
                    name="window",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pool",
                        to="competition.drawwindow",
                    ),
                ),
                migrations.AddField(
                    model_name="poolmove",
                    name="actor",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="poolmove",
                    name="audio",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="moves",
                        to="competition.audio",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="dataset",
                    constraint=models.UniqueConstraint(
                        fields=("competition", "slug"), name="competition_dataset_slug"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="datasetversion",
                    constraint=models.UniqueConstraint(
                        fields=("dataset", "number"), name="competition_dataset_version"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="datasetversion",
                    constraint=models.UniqueConstraint(
                        fields=("dataset", "sha256"), name="competition_dataset_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="datasetversion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("clip_count__gte", 1)), name="competition_dataset_holds"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="datasetversion",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="datasetclip",
                    constraint=models.UniqueConstraint(
                        fields=("version", "utt_id"), name="competition_clip_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="datasetclip",
                    constraint=models.UniqueConstraint(
                        fields=("version", "audio"), name="competition_clip_audio"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="datasetclip",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("tier", ""), _negated=True),
                            models.Q(("language", ""), _negated=True),
                        ),
                        name="competition_clip_named",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="drawnclip",
                    constraint=models.UniqueConstraint(
                        fields=("draw", "clip"), name="competition_drawn_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="drawwindow",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("strata__in", ["tier", "language,tier"])),
                        name="competition_strata",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="drawwindow",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("n__gte", 1), ("n__lte", models.F("pool_size"))),
                        name="competition_window_n",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="drawwindow",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("closes_at__gt", models.F("opens_at"))),
                        name="competition_window_times",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="drawwindow",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("public_value", ""),
                            models.Q(("public_name", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="competition_window_public",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="drawwindow",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("revealed_at__isnull", True),
                            ("revealed_at__gte", models.F("closes_at")),
                            _connector="OR",
                        ),
                        name="competition_window_reveal",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="draw",
                    constraint=models.UniqueConstraint(
                        fields=("window", "run"), name="competition_draw_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="entrantmerge",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("is_direct", True)),
                        fields=("merged",),
                        name="competition_merge_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="entrantmerge",
                    constraint=models.UniqueConstraint(
                        fields=("kept", "merged"), name="competition_merge_pair"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="entrantmerge",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("kept", models.F("merged")), _negated=True),
                        name="competition_merge_two",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="entrantmerge",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="competition_merge_reason",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="exposure",
                    constraint=models.UniqueConstraint(
                        fields=("draw", "entrant"), name="competition_exposure_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="linkjudgement",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["dismissed", "linked"])),
                        name="competition_link_verdict",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="linkjudgement",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("one", models.F("other")), _negated=True),
                        name="competition_link_two",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="linkjudgement",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="competition_link_reason",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="pack",
                    constraint=models.UniqueConstraint(
                        fields=("competition", "name", "version"), name="competition_pack_version"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="pack",
                    constraint=models.UniqueConstraint(
                        fields=("competition", "sha256"), name="competition_pack_content"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="pack",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("file_count__gte", 1)), name="competition_pack_holds"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="pack",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("valid_days__gte", 1), ("valid_days__lte", 3660)),
                        name="competition_pack_days",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="pack",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("withdrawn_at__isnull", True),
                            ("offered_at__isnull", False),
                            _connector="OR",
                        ),
                        name="competition_pack_offer",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packaddressee",
                    constraint=models.UniqueConstraint(
                        fields=("pack", "entrant"), name="competition_pack_addressee_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packfile",
                    constraint=models.UniqueConstraint(
                        fields=("pack", "path"), name="competition_pack_path"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packfile",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("crc32__gte", 0), ("crc32__lte", 4294967295)),
                        name="competition_pack_crc",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.UniqueConstraint(
                        fields=("competition", "number"), name="competition_issue_number"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state__in", ["requested", "active"])),
                        fields=("pack", "person"),
                        name="competition_issue_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["requested", "active", "refused", "revoked", "expired"])
                        ),
                        name="competition_issue_state",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["requested", "refused"]),
                            ("expires_at__isnull", False),
                            _connector="OR",
                        ),
                        name="competition_issue_issued",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="packissue",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["refused", "revoked"]), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="competition_issue_reason",
                    ),
                ),
                migrations.AddIndex(
                    model_name="download",
                    index=models.Index(
                        fields=["issue", "-began_at"], name="competition_download_issue"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="download",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("end__in", ["open", "whole", "broken", "denied"])),
                        name="competition_download_end",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="download",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("high__gte", models.F("low")), ("last_at__gte", models.F("began_at"))
                        ),
                        name="competition_download_range",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="download",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("end", "denied"), _negated=True),
                            models.Q(("sent", 0), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="competition_download_denied",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="poolclip",
                    constraint=models.UniqueConstraint(
                        fields=("window", "clip"), name="competition_pool_clip_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="poolmove",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("new__in", ["open", "rotation", "held-out"]),
                            ("old__in", ["open", "rotation", "held-out"]),
                            models.Q(("old", models.F("new")), _negated=True),
                        ),
                        name="competition_pool_move",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="poolmove",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="competition_pool_reason",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="phase",
            name="clips",
            field=models.CharField(
                choices=[
                    ("listed", "all that its references list"),
                    ("drawn", "those that a window draws"),
                ],
                db_default="listed",
                default="listed",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="phase",
            name="senders",
            field=models.CharField(
                choices=[
                    ("entrants", "the entrants"),
                    ("organizers", "the organizers, for each entrant"),
                ],
                db_default="entrants",
                default="entrants",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(("clips__in", ["listed", "drawn"])),
                name="competition_phase_clips",
            ),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(("senders__in", ["entrants", "organizers"])),
                name="competition_phase_senders",
            ),
        ),
    ]
