from django.db import migrations, models


class Migration(migrations.Migration):
    """An evaluation may wait for marks that are not all there."""

    dependencies = [("grading", "0012_rating")]

    operations = [
        migrations.RemoveConstraint(model_name="evaluation", name="grading_evaluation_state"),
        migrations.AlterField(
            model_name="evaluation",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "waiting for marks"),
                    ("queued", "queued"),
                    ("running", "running"),
                    ("scored", "scored"),
                    ("failed", "failed"),
                    ("cancelled", "cancelled"),
                ],
                default="queued",
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        ["waiting", "queued", "running", "scored", "failed", "cancelled"],
                    )
                ),
                name="grading_evaluation_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "waiting"), _negated=True),
                    models.Q(("failure_code", ""), ("finished_at__isnull", True)),
                    _connector="OR",
                ),
                name="grading_evaluation_waiting",
            ),
        ),
    ]
