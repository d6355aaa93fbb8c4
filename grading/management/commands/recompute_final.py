"""`manage.py recompute_final COMPETITION TRACK PHASE`: the newest snapshot of a final board, from scratch."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from grading.enums import FinalCheckOutcome
from grading.models import FinalBoard, FinalRanking
from grading.services.final import rankings, recomputing
from grading.services.final.recomputing import Compared


class Command(BaseCommand):
    """Reads only: nothing is written. Ends with 1 when a digit differs."""

    help = "Compute a final board again from stored marks and ratings and compare every digit."

    def add_arguments(self, parser: CommandParser) -> None:
        for name in ("competition", "track", "phase"):
            parser.add_argument(name)

    def handle(self, *args: Any, **options: Any) -> None:
        ranking = _newest(options)
        compared = recomputing.compare(ranking)
        self.stdout.write(f"snapshot  {ranking.number}")
        self.stdout.write(f"stored    {ranking.digest}")
        self.stdout.write(f"again     {compared.found}")
        self.stdout.write(_told(compared))
        if compared.outcome == FinalCheckOutcome.DIFFERS:
            raise CommandError("The digits are not the same.")


def _newest(options: dict[str, Any]) -> FinalRanking:
    boards = FinalBoard.objects.select_related("phase").filter(
        phase__track__competition__slug=options["competition"],
        phase__track__slug=options["track"],
        phase__slug=options["phase"],
    )
    board = boards.first()
    ranking = None if board is None else rankings.newest(board)
    if ranking is None:
        raise CommandError("There is no snapshot of a final board.")
    return ranking


def _told(compared: Compared) -> str:
    if compared.outcome == FinalCheckOutcome.SAME:
        return "every digit is the same"
    if compared.outcome == FinalCheckOutcome.OUTDATED:
        return "marks have changed since; the next snapshot is due"
    return "differs: " + ", ".join(compared.differences)
