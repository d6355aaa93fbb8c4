import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("competition", "0007_packs_and_trust"),
    ]

    operations = [
        migrations.CreateModel(
            name="PackAddressee",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PhaseDraw",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
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
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(("clips__in", ["listed", "drawn"])),
                name="competition_phase_clips",
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
        migrations.AddConstraint(
            model_name="packaddressee",
            constraint=models.UniqueConstraint(
                fields=("pack", "entrant"), name="competition_pack_addressee_once"
            ),
        ),
    ]
