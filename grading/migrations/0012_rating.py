import accounts.codes
import django.db.models.deletion
import grading.models.audio_grant
import grading.models.rating
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "__first__"),
        ("competition", "0006_datasets"),
        ("grading", "0011_final"),
    ]

    operations = [
        migrations.CreateModel(
            name="Rater",
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
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="raters",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["protocol_id", "pseudonym"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["joined", "active", "excluded", "withdrawn"])
                        ),
                        name="grading_rater_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("pseudonym", ""), _negated=True),
                        name="grading_rater_named",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "withdrawn"), _negated=True),
                            ("user__isnull", True),
                            _connector="OR",
                        ),
                        name="grading_rater_withdrawn",
                    ),
                    models.CheckConstraint(
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
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(max_length=16)),
                ("number", models.PositiveIntegerField()),
                ("held_at", models.DateTimeField(blank=True, null=True)),
                (
                    "rater",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="plans",
                        to="grading.rater",
                    ),
                ),
            ],
            options={
                "ordering": ["protocol_id", "language", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("rater__isnull", False)),
                        fields=("rater", "language"),
                        name="grading_plan_one_held",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("held_at__isnull", True), ("rater__isnull", True)),
                            models.Q(("held_at__isnull", False), ("rater__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_plan_held",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingProtocol",
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
                    "form",
                    models.CharField(
                        choices=[("nvv", "marks of vocalizations"), ("mos", "mean opinion score")],
                        default="nvv",
                        max_length=8,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("open", "open"), ("closed", "closed")],
                        default="draft",
                        max_length=8,
                    ),
                ),
                ("settings", models.JSONField(default=dict)),
                ("seed", models.CharField(default=grading.models.rating.new_key, max_length=32)),
                ("created_at", models.DateTimeField()),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "selection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rating",
                        to="grading.finalselection",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "open", "closed"])),
                        name="grading_protocol_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("form__in", ["nvv", "mos"])),
                        name="grading_protocol_form",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(("seed", ""), _negated=True),
                        name="grading_protocol_seed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingOpening",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("settings", models.JSONField()),
                ("settings_sha256", models.CharField(max_length=64)),
                ("plan_sha256", models.CharField(max_length=64)),
                ("seed", models.CharField(max_length=32)),
                ("opened_at", models.DateTimeField()),
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
                    "protocol",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="opening",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("settings_sha256", ""), _negated=True),
                            models.Q(("plan_sha256", ""), _negated=True),
                        ),
                        name="grading_opening_hashes",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RaterInvitation",
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
                ("email", models.EmailField(max_length=254)),
                ("secret_digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="grading_rater_invitation_window",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("accepted_at__isnull", True), ("revoked_at__isnull", True)
                        ),
                        fields=("protocol", "email"),
                        name="grading_rater_invitation_once",
                    ),
                ],
            },
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
        migrations.CreateModel(
            name="RatedText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(max_length=16)),
                ("utt_id", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("dropped_at", models.DateTimeField(blank=True, null=True)),
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="texts",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
            options={
                "ordering": ["protocol_id", "language", "utt_id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("protocol", "language", "utt_id"), name="grading_rated_text_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("utt_id", ""), _negated=True),
                            models.Q(("text", ""), _negated=True),
                        ),
                        name="grading_rated_text_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatedSystem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.submission",
                    ),
                ),
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="systems",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
            options={
                "ordering": ["protocol_id", "pseudonym"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("protocol", "submission"), name="grading_rated_system_once"
                    ),
                    models.UniqueConstraint(
                        fields=("protocol", "pseudonym"), name="grading_rated_system_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("pseudonym", ""), _negated=True),
                        name="grading_rated_system_named",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="QualityReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made_at", models.DateTimeField()),
                ("digest", models.CharField(max_length=64)),
                ("report", models.JSONField()),
                (
                    "protocol",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quality",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PlanSlot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(max_length=16)),
                ("position", models.PositiveIntegerField()),
                ("open_to_all", models.BooleanField(default=False)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "row",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="slots",
                        to="grading.planrow",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="slots",
                        to="grading.ratedsystem",
                    ),
                ),
                (
                    "rated_text",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="slots",
                        to="grading.ratedtext",
                    ),
                ),
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="slots",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
            options={
                "ordering": ["row_id", "position"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("done_at__isnull", True)),
                        fields=["protocol", "language", "system"],
                        name="grading_slot_free",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("row__isnull", False)),
                        fields=("row", "position"),
                        name="grading_slot_position",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("row__isnull", False)),
                        fields=("row", "rated_text"),
                        name="grading_slot_text_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("row__isnull", False), ("open_to_all", True), _connector="OR"
                        ),
                        name="grading_slot_held",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("done_at__isnull", True),
                            ("lease_until__isnull", True),
                            _connector="OR",
                        ),
                        name="grading_slot_done",
                    ),
                ],
            },
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
        migrations.CreateModel(
            name="ConsentText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("language", models.CharField(max_length=16)),
                ("text", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                ("keeps_ratings", models.BooleanField()),
                ("created_at", models.DateTimeField()),
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consent_texts",
                        to="grading.ratingprotocol",
                    ),
                ),
            ],
            options={
                "ordering": ["protocol_id", "-version", "language"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("protocol", "version", "language"), name="grading_consent_text_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("version__gte", 1),
                            models.Q(("text", ""), _negated=True),
                            models.Q(("sha256", ""), _negated=True),
                        ),
                        name="grading_consent_text_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingSession",
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
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sessions",
                        to="grading.rater",
                    ),
                ),
            ],
            options={
                "ordering": ["rater_id", "-number"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["checks", "practice", "rating", "finished", "left", "unfit"],
                            )
                        ),
                        name="grading_session_state",
                    ),
                    models.UniqueConstraint(
                        fields=("rater", "number"), name="grading_session_number"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["checks", "practice", "rating"])),
                        fields=("rater",),
                        name="grading_session_one_running",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["rating", "finished"]), _negated=True),
                            ("rating_since__isnull", False),
                            _connector="OR",
                        ),
                        name="grading_session_rating",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingTask",
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
                        default=accounts.codes.new_code, editable=False, max_length=32, unique=True
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
                ("draft", models.JSONField(blank=True, null=True)),
                ("draft_at", models.DateTimeField(blank=True, null=True)),
                (
                    "rated_text",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.ratedtext",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.rater",
                    ),
                ),
                (
                    "repeat_of",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="repeats",
                        to="grading.ratingtask",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.ratingsession",
                    ),
                ),
                (
                    "slot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="grading.planslot",
                    ),
                ),
            ],
            options={
                "ordering": ["session_id", "position"],
                "indexes": [models.Index(fields=["rater", "state"], name="grading_task_rater")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["next", "open", "answered", "late", "broken", "released"],
                            )
                        ),
                        name="grading_task_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["scored", "trap", "known", "repeat"])),
                        name="grading_task_kind",
                    ),
                    models.UniqueConstraint(
                        fields=("session", "position"), name="grading_task_position"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("rater",),
                        name="grading_task_one_open",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "next")),
                        fields=("rater",),
                        name="grading_task_one_next",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "scored")),
                        fields=("rater", "rated_text"),
                        name="grading_task_text_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["next", "open", "answered"])),
                        fields=("slot",),
                        name="grading_task_slot_once",
                    ),
                    models.CheckConstraint(
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
                                ("kind__in", ["trap", "known"]),
                                ("rated_text__isnull", True),
                                ("repeat_of__isnull", True),
                                ("slot__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_task_fields",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("draft__isnull", True), ("draft_at__isnull", True)),
                            models.Q(("draft__isnull", False), ("draft_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="grading_task_draft",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingExclusion",
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
                    "lifted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.rater",
                    ),
                ),
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.ratingprotocol",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.ratingsession",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="grading.ratingtask",
                    ),
                ),
            ],
            options={
                "ordering": ["-excluded_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="grading_exclusion_reason",
                    ),
                    models.CheckConstraint(
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
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "rater"), ("lifted_at__isnull", True)),
                        fields=("rater",),
                        name="grading_exclusion_rater",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "session"), ("lifted_at__isnull", True)),
                        fields=("session",),
                        name="grading_exclusion_session",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "rating"), ("lifted_at__isnull", True)),
                        fields=("task",),
                        name="grading_exclusion_rating",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uuid", models.UUIDField(unique=True)),
                ("revision", models.PositiveIntegerField(default=0)),
                (
                    "form",
                    models.CharField(
                        choices=[("nvv", "marks of vocalizations"), ("mos", "mean opinion score")],
                        max_length=8,
                    ),
                ),
                ("accuracy", models.PositiveSmallIntegerField(null=True)),
                ("effect", models.PositiveSmallIntegerField(null=True)),
                ("naturalness", models.PositiveSmallIntegerField(null=True)),
                ("quality", models.PositiveSmallIntegerField(null=True)),
                ("expression", models.PositiveSmallIntegerField(null=True)),
                ("placements", models.JSONField(default=list)),
                ("plays", models.PositiveIntegerField(default=0)),
                ("took_ms", models.PositiveIntegerField()),
                ("is_late", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.rater",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="grading.ratingtask",
                    ),
                ),
            ],
            options={
                "ordering": ["task_id", "revision"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("task", "revision"), name="grading_rating_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("accuracy__isnull", False),
                                ("effect__isnull", False),
                                ("expression__isnull", False),
                                ("form", "nvv"),
                                ("naturalness__isnull", False),
                                ("quality__isnull", False),
                            ),
                            models.Q(
                                ("accuracy__isnull", True),
                                ("effect__isnull", True),
                                ("expression__isnull", True),
                                ("form", "mos"),
                                ("naturalness__isnull", False),
                                ("quality__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_rating_whole",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("accuracy__isnull", True), ("effect__isnull", True)),
                            models.Q(("accuracy", 0), ("effect", 0)),
                            models.Q(("accuracy__gte", 1), ("effect__gte", 1)),
                            _connector="OR",
                        ),
                        name="grading_rating_absent",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Stimulus",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "protocol",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli",
                        to="grading.ratingprotocol",
                    ),
                ),
                (
                    "rated_text",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli",
                        to="grading.ratedtext",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli",
                        to="grading.ratedsystem",
                    ),
                ),
                (
                    "waveform",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stimuli",
                        to="grading.waveform",
                    ),
                ),
            ],
            options={
                "ordering": ["protocol_id", "kind", "language", "name", "id"],
                "indexes": [
                    models.Index(fields=["protocol", "prepared_at"], name="grading_stimulus_sweep")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["scored", "practice", "trap", "known"])),
                        name="grading_stimulus_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("expected__isnull", True),
                                ("kind", "scored"),
                                ("rated_text__isnull", False),
                                ("system__isnull", False),
                            ),
                            models.Q(
                                models.Q(("kind", "scored"), _negated=True),
                                ("expected__isnull", False),
                                ("rated_text__isnull", True),
                                ("system__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="grading_stimulus_fields",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "scored")),
                        fields=("system", "rated_text"),
                        name="grading_stimulus_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "scored"), _negated=True),
                        fields=("protocol", "kind", "language", "name"),
                        name="grading_stimulus_control",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("text", ""), _negated=True),
                            models.Q(("name", ""), _negated=True),
                        ),
                        name="grading_stimulus_whole",
                    ),
                ],
            },
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
        migrations.CreateModel(
            name="BrokenReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.rater",
                    ),
                ),
                (
                    "task",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="broken",
                        to="grading.ratingtask",
                    ),
                ),
                (
                    "stimulus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to="grading.stimulus",
                    ),
                ),
            ],
            options={
                "ordering": ["-reported_at", "-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("stimulus", "rater"), name="grading_broken_once"
                    ),
                    models.CheckConstraint(
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
                ],
            },
        ),
        migrations.CreateModel(
            name="AudioGrant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("check_sound", models.CharField(blank=True, max_length=16)),
                ("login", models.CharField(max_length=64)),
                (
                    "salt",
                    models.CharField(default=grading.models.audio_grant.new_salt, max_length=32),
                ),
                ("token_digest", models.CharField(max_length=64, unique=True)),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio_grants",
                        to="grading.ratingsession",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio_grants",
                        to="grading.ratingtask",
                    ),
                ),
                (
                    "stimulus",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audio_grants",
                        to="grading.stimulus",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["expires_at"], name="grading_audio_grant_old")],
                "constraints": [
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("made_at"))),
                        name="grading_audio_grant_window",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("token_digest", ""), _negated=True),
                            models.Q(("login", ""), _negated=True),
                            models.Q(("salt", ""), _negated=True),
                        ),
                        name="grading_audio_grant_bound",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("task__isnull", False)),
                        fields=("task", "login"),
                        name="grading_audio_grant_task",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("stimulus__isnull", False), ("task__isnull", True)),
                        fields=("session", "stimulus", "login"),
                        name="grading_audio_grant_practice",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("check_sound", ""), _negated=True),
                        fields=("session", "check_sound", "login"),
                        name="grading_audio_grant_check",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DeclaredConflict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("declared_at", models.DateTimeField()),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.entrant",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conflicts",
                        to="grading.rater",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rater", "entrant"), name="grading_conflict_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RaterConsent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("given_at", models.DateTimeField()),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consents",
                        to="grading.rater",
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.consenttext",
                    ),
                ),
            ],
            options={
                "ordering": ["rater_id", "-given_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("rater", "text"), name="grading_consent_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=1000)),
                (
                    "rating",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="note",
                        to="grading.rating",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="grading_note_text"
                    )
                ],
            },
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
            model_name="planrow",
            constraint=models.UniqueConstraint(
                fields=("protocol", "language", "number"), name="grading_plan_number"
            ),
        ),
    ]
