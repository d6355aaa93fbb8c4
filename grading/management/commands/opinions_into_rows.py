"""`manage.py opinions_into_rows PROTOCOL SUBMISSION ROWS OUT`: people's ratings into rows of a track."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.refusals import Refusal
from grading.models import RatingProtocol
from grading.services.ratings import opinions


class Command(BaseCommand):
    """Reads ratings and a file, writes a file; nothing changes in the database."""

    help = "Put the screened ratings of a closed rating protocol into rows of measurements."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the protocol, the rated submission, the rows and where the result goes."""
        parser.add_argument("protocol", help="the protocol's code")
        parser.add_argument("submission", help="the code of the submission that was rated")
        parser.add_argument("rows", type=Path, help="rows with utt_id, JSON Lines")
        parser.add_argument("out", type=Path, help="where the rows with ratings are written")
        parser.add_argument(
            "--field", help="the field that takes the list; else the one that the form goes into"
        )
        parser.add_argument("--unscreened", action="store_true", help="with what was voided")
        parser.add_argument(
            "--simulated", action="store_true", help="accept ratings that no person gave"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the rows; raises CommandError with the reason when that cannot be done."""
        protocol = RatingProtocol.objects.filter(code=options["protocol"]).first()
        if protocol is None:
            raise CommandError("There is no such rating protocol.")
        marks = self._marks(protocol, options)
        field = options["field"] or protocol.declared.row_field
        rows = [self._row(line, options["rows"]) for line in _lines(options["rows"])]
        filled = [
            {**row, field: marks[row["utt_id"]]} if row["utt_id"] in marks else row for row in rows
        ]
        options["out"].write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in filled), encoding="utf-8"
        )
        known = {row["utt_id"] for row in rows}
        used = sum(len(given) for utt_id, given in marks.items() if utt_id in known)
        self.stdout.write(f"{used} ratings in {len(known & marks.keys())} of {len(rows)} rows")

    def _marks(self, protocol: RatingProtocol, options: dict[str, Any]) -> dict[str, list[int]]:
        if opinions.are_simulated(protocol) and not options["simulated"]:
            raise CommandError("Some of these ratings are simulated; --simulated takes them.")
        try:
            return opinions.of_submission(
                protocol=protocol,
                submission_code=options["submission"],
                screened=not options["unscreened"],
            )
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        except LookupError:
            raise CommandError("That submission was not rated under this protocol.") from None

    @staticmethod
    def _row(line: str, path: Path) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("utt_id"), str):
            raise CommandError(f"{path}: a line is no row with an utt_id")
        return row


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: cannot be read ({type(error).__name__})") from error
