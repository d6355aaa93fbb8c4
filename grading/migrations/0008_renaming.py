import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def drop_trigger(apps, schema_editor):
    """Drop the trigger that holds names fast; the one that does not is made after migrating."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "DROP TRIGGER IF EXISTS plaudit_keep_grading_submission_update ON grading_submission"
        )


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("grading", "0007_problem_counts"),
    ]

    operations = [
        migrations.CreateModel(
            name="Renaming",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("old_system", models.CharField(max_length=80)),
                ("new_system", models.CharField(max_length=80)),
                ("old_note", models.CharField(blank=True, max_length=500)),
                ("new_note", models.CharField(blank=True, max_length=500)),
                ("at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="renamings",
                        to="grading.submission",
                    ),
                ),
            ],
            options={"ordering": ["at", "pk"]},
        ),
        migrations.RunPython(drop_trigger, migrations.RunPython.noop),
    ]
