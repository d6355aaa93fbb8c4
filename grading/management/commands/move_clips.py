"""`manage.py move_clips SLUG DATASET POOL --reason WHY (--ids FILE | --all)`: move clips to another pool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.refusals import Refusal
from competition.enums import Pool
from competition.models import DatasetClip, DatasetVersion
from competition.services import pools


class Command(BaseCommand):
    """Leaving the held-out pool is for good and needs --for-good; each move is recorded with its reason."""

    help = "Move clips of a dataset to another pool: all of them or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take competition, dataset, pool, reason and which clips."""
        parser.add_argument("competition", help="the slug in the competition's address")
        parser.add_argument(
            "dataset", help="the dataset's slug; its newest version, or NAME:VERSION"
        )
        parser.add_argument("pool", choices=Pool.values)
        parser.add_argument("--reason", required=True, help="kept with each move")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--ids", type=Path, help="a file with one utt_id a line")
        which.add_argument("--all", action="store_true", help="every clip of the version")
        parser.add_argument(
            "--for-good", action="store_true", help="clips that are held out may be among them"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Move; raises CommandError with the reason when it is refused."""
        version = _version(options["competition"], options["dataset"])
        clips = _chosen(version, options["ids"])
        leaving = options["pool"] != Pool.HELD_OUT and any(
            clip.audio.pool == Pool.HELD_OUT for clip in clips
        )
        if leaving and not options["for_good"]:
            raise CommandError("Some of these clips are held out: leaving is --for-good.")
        try:
            moved = pools.move(
                actor=None,
                competition=version.dataset.competition,
                audio=[clip.audio for clip in clips],
                new=Pool(options["pool"]),
                reason=options["reason"],
                now=timezone.now(),
            )
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from refusal
        except OSError as error:
            raise CommandError(f"{error.filename or ''}: {error.strerror or error}") from error
        self.stdout.write(f"{moved} of {len(clips)} clips of {version} moved to {options['pool']}.")


def _version(slug: str, wanted: str) -> DatasetVersion:
    name, _, number = wanted.partition(":")
    rows = DatasetVersion.objects.filter(dataset__competition__slug=slug, dataset__slug=name)
    if number.isascii() and number.isdigit():
        rows = rows.filter(number=int(number))
    version = rows.select_related("dataset__competition").order_by("-number").first()
    if version is None:
        raise CommandError(f"There is no dataset {wanted} in {slug}.")
    return version


def _chosen(version: DatasetVersion, ids: Path | None) -> list[DatasetClip]:
    clips = {clip.utt_id: clip for clip in version.clips.select_related("audio").order_by("utt_id")}
    if ids is None:
        return list(clips.values())
    try:
        named = [line for line in ids.read_text("utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{ids} cannot be read as UTF-8: {error}") from error
    missing = [one for one in named if one not in clips]
    if missing:
        raise CommandError(f"{len(missing)} of the ids are not in {version}: {missing[0]} …")
    return [clips[one] for one in dict.fromkeys(named)]
