from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0006_rescoring"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="problem_counts",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
