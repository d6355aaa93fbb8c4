"""`manage.py load_dataset SLUG NAME ROWS FOLDER --pool POOL`: load a version of a dataset.

FOLDER is one of this machine, or `bucket:PREFIX` of the server's own bucket.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from competition.enums import Pool
from competition.models import Competition, DatasetVersion
from competition.services import brought, datasets
from competition.services.datasets import Loading
from competition.services.errors import DatasetInvalid


class Command(BaseCommand):
    """Rows are JSON Lines with utt_id, language, tier, audio (a path below the folder), maybe text."""

    help = "Load clips into a pool of a competition; the same rows and audio again change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take competition, name, rows, folder, pool and title."""
        parser.add_argument("competition", help="the slug in the competition's address")
        parser.add_argument("name", help="the dataset's slug")
        parser.add_argument("rows", type=Path, help="JSON Lines")
        parser.add_argument(
            "folder", help="where the audio lies: a folder, or bucket:PREFIX of the server's bucket"
        )
        parser.add_argument("--pool", choices=Pool.values, required=True)
        parser.add_argument("--title", default="", help="shown to people; default: the name")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load; raises CommandError with every fault when it is refused."""
        competition = Competition.objects.filter(slug=options["competition"]).first()
        if competition is None:
            raise CommandError(f"There is no competition {options['competition']}; load it first.")
        try:
            version = _load(competition, options)
        except DatasetInvalid as refusal:
            raise CommandError(_told(options["rows"], refusal)) from refusal
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from refusal
        except OSError as error:
            raise CommandError(f"{error.filename or ''}: {error.strerror or error}") from error
        self.stdout.write(f"{version}: {version.clip_count} clips, manifest {version.sha256}")


def _load(competition: Competition, options: dict[str, Any]) -> DatasetVersion:
    rows = options["rows"].read_bytes()
    with brought.folder_of(str(options["folder"]), rows) as folder:
        loading = Loading(
            slug=options["name"],
            title=options["title"] or options["name"],
            rows=rows,
            folder=folder,
            pool=Pool(options["pool"]),
        )
        return datasets.load(
            actor=None, competition=competition, loading=loading, now=timezone.now()
        )


def _told(rows: Path, refusal: DatasetInvalid) -> str:
    faults: Any = refusal.params["faults"]
    lines = [f"  {f'line {fault.line}: ' if fault.line else ''}{fault.message}" for fault in faults]
    return "\n".join([f"{rows}: {refusal.message}", *lines])
