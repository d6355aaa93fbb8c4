from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="charged_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
