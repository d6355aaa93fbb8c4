import accounts.codes
import accounts.together
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        ("accounts", "__first__"),
    ]

    operations = [
        accounts.together.Together(
            operations=[
                migrations.CreateModel(
                    name="Phase",
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
                        ("position", models.PositiveIntegerField(default=0)),
                        ("texts", models.JSONField(default=dict)),
                        ("opens_at", models.DateTimeField()),
                        ("closes_at", models.DateTimeField()),
                        ("grace_minutes", models.PositiveIntegerField(default=30)),
                        ("frozen_from", models.DateTimeField(blank=True, null=True)),
                        ("quota_per_day", models.PositiveIntegerField(blank=True, null=True)),
                        ("quota_total", models.PositiveIntegerField(blank=True, null=True)),
                        (
                            "feedback",
                            models.CharField(
                                choices=[
                                    ("full", "full"),
                                    ("rounded", "rounded to two decimals, no counts"),
                                    ("none", "nothing until the phase closes"),
                                ],
                                default="rounded",
                                max_length=16,
                            ),
                        ),
                        (
                            "board_visibility",
                            models.CharField(
                                choices=[
                                    ("public", "everyone"),
                                    ("entrants", "entrants"),
                                    ("organizers", "organizers"),
                                ],
                                default="public",
                                max_length=16,
                            ),
                        ),
                        (
                            "selection",
                            models.CharField(
                                choices=[
                                    ("marked-else-best", "the marked one, else the best"),
                                    ("best", "the best"),
                                    ("last", "the last scored"),
                                ],
                                default="marked-else-best",
                                max_length=24,
                            ),
                        ),
                        (
                            "band_rule",
                            models.CharField(
                                choices=[
                                    ("leader", "overlap with the leader of the band"),
                                    ("components", "connected components"),
                                ],
                                default="leader",
                                max_length=16,
                            ),
                        ),
                        ("limits", models.JSONField(default=dict)),
                    ],
                    options={
                        "ordering": ["track_id", "position", "slug"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("closes_at__gt", models.F("opens_at"))),
                                name="competition_phase_window",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("quota_per_day__isnull", True),
                                    ("quota_per_day__gte", 1),
                                    _connector="OR",
                                ),
                                name="competition_phase_quota_day",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("quota_total__isnull", True),
                                    ("quota_total__gte", 1),
                                    _connector="OR",
                                ),
                                name="competition_phase_quota_total",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("feedback__in", ["full", "rounded", "none"])),
                                name="competition_phase_feedback",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("board_visibility__in", ["public", "entrants", "organizers"])
                                ),
                                name="competition_phase_visibility",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("selection__in", ["marked-else-best", "best", "last"])
                                ),
                                name="competition_phase_selection",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("band_rule__in", ["leader", "components"])),
                                name="competition_phase_band_rule",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReferenceVersion",
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
                        ("name", models.CharField(max_length=64)),
                        ("version", models.PositiveIntegerField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("storage_key", models.CharField(max_length=200)),
                        ("size", models.PositiveBigIntegerField()),
                        ("counts", models.JSONField()),
                        ("loaded_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Competition",
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
                        ("slug", models.SlugField(max_length=64, unique=True)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("draft", "draft"),
                                    ("published", "published"),
                                    ("archived", "archived"),
                                ],
                                default="draft",
                                max_length=16,
                            ),
                        ),
                        ("texts", models.JSONField(default=dict)),
                        ("contact", models.EmailField(blank=True, max_length=254)),
                        ("accept_automatically", models.BooleanField(default=True)),
                        ("terms_version", models.CharField(max_length=32)),
                        ("definition", models.TextField()),
                        ("definition_sha256", models.CharField(max_length=64)),
                        ("created_at", models.DateTimeField()),
                        ("loaded_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["slug"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("state__in", ["draft", "published", "archived"])
                                ),
                                name="competition_state",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Announcement",
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
                        ("texts", models.JSONField()),
                        ("published_at", models.DateTimeField()),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "competition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="announcements",
                                to="competition.competition",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-published_at"],
                    },
                ),
                migrations.CreateModel(
                    name="Entrant",
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
                            "state",
                            models.CharField(
                                choices=[
                                    ("pending", "waiting for acceptance"),
                                    ("accepted", "accepted"),
                                    ("refused", "refused"),
                                    ("withdrawn", "withdrawn"),
                                    ("disqualified", "disqualified"),
                                ],
                                default="pending",
                                max_length=16,
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("official", "official"),
                                    ("unofficial", "unofficial"),
                                    ("baseline", "baseline"),
                                ],
                                default="official",
                                max_length=16,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("registered_at", models.DateTimeField()),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "competition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="entrants",
                                to="competition.competition",
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="entrants",
                                to="accounts.team",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["competition_id", "registered_at"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("competition", "team"), name="competition_entrant_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        [
                                            "pending",
                                            "accepted",
                                            "refused",
                                            "withdrawn",
                                            "disqualified",
                                        ],
                                    )
                                ),
                                name="competition_entrant_state",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("kind__in", ["official", "unofficial", "baseline"])
                                ),
                                name="competition_entrant_kind",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "disqualified"), _negated=True),
                                    models.Q(("reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="competition_entrant_reason",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EntrantChange",
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
                        ("field", models.CharField(max_length=16)),
                        ("old", models.CharField(max_length=16)),
                        ("new", models.CharField(max_length=16)),
                        ("reason", models.CharField(blank=True, max_length=300)),
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
                            "entrant",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="changes",
                                to="competition.entrant",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-at"],
                    },
                ),
                migrations.CreateModel(
                    name="EntrantMember",
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
                                choices=[("captain", "captain"), ("member", "member")],
                                default="member",
                                max_length=16,
                            ),
                        ),
                        ("joined_at", models.DateTimeField()),
                        ("left_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "competition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="competition.competition",
                            ),
                        ),
                        (
                            "entrant",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="members",
                                to="competition.entrant",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="entries",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("role__in", ["captain", "member"])),
                                name="competition_member_role",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("left_at__isnull", True)),
                                fields=("competition", "user"),
                                name="competition_member_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="DeadlineChange",
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
                        ("field", models.CharField(max_length=16)),
                        ("old", models.DateTimeField(null=True)),
                        ("new", models.DateTimeField(null=True)),
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
                            "phase",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="deadline_changes",
                                to="competition.phase",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-at"],
                    },
                ),
                migrations.CreateModel(
                    name="ReferenceUtterance",
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
                        ("language", models.CharField(max_length=8)),
                        (
                            "references",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="utterances",
                                to="competition.referenceversion",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("references", "utt_id"), name="competition_utterance_once"
                            )
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="phase",
                    name="references",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="competition.referenceversion",
                    ),
                ),
                migrations.CreateModel(
                    name="RoleGrant",
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
                                    ("organizer", "organizer"),
                                    ("auditor", "auditor"),
                                    ("rater", "rater"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("granted_at", models.DateTimeField()),
                        ("revoked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "competition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grants",
                                to="competition.competition",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grants",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("role__in", ["organizer", "auditor", "rater"])),
                                name="competition_role",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("revoked_at__isnull", True)),
                                fields=("competition", "user", "role"),
                                name="competition_role_once",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Terms",
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
                        ("version", models.CharField(max_length=32)),
                        ("texts", models.JSONField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("created_at", models.DateTimeField()),
                        (
                            "competition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="terms",
                                to="competition.competition",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("competition", "version"), name="competition_terms_version"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TermsAcceptance",
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
                        ("typed_name", models.CharField(max_length=120)),
                        ("accepted_at", models.DateTimeField()),
                        (
                            "terms",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="acceptances",
                                to="competition.terms",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("terms", "user"), name="competition_acceptance_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Track",
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
                        ("slug", models.SlugField(max_length=64)),
                        ("kind", models.CharField(max_length=32)),
                        ("position", models.PositiveIntegerField(default=0)),
                        ("texts", models.JSONField(default=dict)),
                        ("params", models.JSONField(default=dict)),
                        (
                            "competition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tracks",
                                to="competition.competition",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["competition_id", "position", "slug"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("competition", "slug"), name="competition_track_slug"
                            )
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="referenceversion",
                    name="track",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reference_versions",
                        to="competition.track",
                    ),
                ),
                migrations.AddField(
                    model_name="phase",
                    name="track",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="phases",
                        to="competition.track",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="referenceversion",
                    constraint=models.UniqueConstraint(
                        fields=("track", "name", "version"), name="competition_reference_version"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="referenceversion",
                    constraint=models.UniqueConstraint(
                        fields=("track", "name", "sha256"), name="competition_reference_content"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="phase",
                    constraint=models.UniqueConstraint(
                        fields=("track", "slug"), name="competition_phase_slug"
                    ),
                ),
            ],
        ),
    ]
