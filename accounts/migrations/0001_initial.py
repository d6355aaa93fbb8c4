import accounts.codes
import accounts.together
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        accounts.together.Together(
            operations=[
                migrations.CreateModel(
                    name="AuditChain",
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
                        ("scope", models.CharField(max_length=64, unique=True)),
                        ("count", models.BigIntegerField(default=0)),
                        (
                            "head",
                            models.CharField(
                                default="0000000000000000000000000000000000000000000000000000000000000000",
                                max_length=64,
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Team",
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
                        ("name", models.CharField(max_length=80, verbose_name="team name")),
                        ("name_key", models.CharField(editable=False, max_length=200, unique=True)),
                        (
                            "affiliation",
                            models.CharField(
                                blank=True, max_length=160, verbose_name="affiliation"
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "ordering": ["name_key"],
                    },
                ),
                migrations.CreateModel(
                    name="User",
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
                        ("password", models.CharField(max_length=128, verbose_name="password")),
                        (
                            "last_login",
                            models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                        ),
                        (
                            "is_superuser",
                            models.BooleanField(
                                default=False,
                                help_text="Designates that this user has all permissions without explicitly assigning them.",
                                verbose_name="superuser status",
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
                            "email",
                            models.EmailField(
                                max_length=254, unique=True, verbose_name="e-mail address"
                            ),
                        ),
                        ("name", models.CharField(max_length=120, verbose_name="name")),
                        (
                            "language",
                            models.CharField(default="en", max_length=10, verbose_name="language"),
                        ),
                        ("is_active", models.BooleanField(default=True)),
                        ("is_staff", models.BooleanField(default=False)),
                        ("email_verified_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                        (
                            "groups",
                            models.ManyToManyField(
                                blank=True,
                                help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.group",
                                verbose_name="groups",
                            ),
                        ),
                        (
                            "user_permissions",
                            models.ManyToManyField(
                                blank=True,
                                help_text="Specific permissions for this user.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.permission",
                                verbose_name="user permissions",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("email", django.db.models.functions.text.Lower("email"))
                                ),
                                name="accounts_user_email_lower",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ApiToken",
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
                        ("name", models.CharField(max_length=80)),
                        ("prefix", models.CharField(max_length=12)),
                        ("digest", models.CharField(max_length=64, unique=True)),
                        ("scopes", models.JSONField(default=list)),
                        ("created_at", models.DateTimeField()),
                        ("last_used_at", models.DateTimeField(blank=True, null=True)),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("revoked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tokens",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created_at"],
                    },
                ),
                migrations.CreateModel(
                    name="AuditEvent",
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
                        ("number", models.BigIntegerField()),
                        ("kind", models.CharField(max_length=64)),
                        ("actor", models.CharField(blank=True, max_length=64)),
                        ("target", models.CharField(blank=True, max_length=128)),
                        ("payload", models.TextField()),
                        ("at", models.DateTimeField()),
                        ("previous", models.CharField(max_length=64)),
                        ("hash", models.CharField(max_length=64, unique=True)),
                        (
                            "chain",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="events",
                                to="accounts.auditchain",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["chain_id", "number"],
                        "indexes": [
                            models.Index(
                                fields=["chain", "kind", "number"], name="accounts_event_kind"
                            ),
                            models.Index(fields=["actor", "at"], name="accounts_event_actor"),
                            models.Index(fields=["target", "at"], name="accounts_event_target"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("chain", "number"), name="accounts_event_number"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("number__gte", 1)),
                                name="accounts_event_positive",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AuditPrivate",
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
                        ("address", models.CharField(blank=True, max_length=64)),
                        ("user_agent", models.CharField(blank=True, max_length=256)),
                        (
                            "event",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="private",
                                to="accounts.auditevent",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="TeamInvitation",
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
                        (
                            "accepted_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "invited_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="invitations",
                                to="accounts.team",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("expires_at__gt", models.F("created_at"))),
                                name="accounts_invitation_window",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("accepted_at__isnull", True), ("accepted_by__isnull", True)
                                    ),
                                    models.Q(
                                        ("accepted_at__isnull", False),
                                        ("accepted_by__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="accounts_invitation_accepted",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TeamMembership",
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
                            "team",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="memberships",
                                to="accounts.team",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="memberships",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("role__in", ["captain", "member"])),
                                name="accounts_membership_role",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("left_at__isnull", True)),
                                fields=("team", "user"),
                                name="accounts_membership_once",
                            ),
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="team",
                    name="members",
                    field=models.ManyToManyField(
                        related_name="teams",
                        through="accounts.TeamMembership",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
    ]
