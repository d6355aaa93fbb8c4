"""`manage.py rescore propose|status|preview|switch|cancel COMPETITION TRACK PHASE`: correct a phase's scores."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.chain import instant
from accounts.refusals import Refusal
from competition.models import Phase
from grading.services import rescoring, rescoring_moves, rescoring_switch

ACTS = ("propose", "status", "preview", "switch", "cancel")
SHOWN = 50


class Command(BaseCommand):
    """Acts as the server itself; what it does stands in the audit log like everything else."""

    help = "Score a phase again under another recipe, look at who moves, and switch its board."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        for act in ACTS:
            self._add_place(acts.add_parser(act))
        propose, switch = acts.choices["propose"], acts.choices["switch"]
        propose.add_argument("--references", type=Path, help="JSON Lines; utterances may be gone")
        propose.add_argument("--definition", type=Path, help="YAML; gives the track's parameters")
        propose.add_argument("--reason", required=True, help="published once you switch")
        switch.add_argument("--to", required=True, help="the recipe's digest, at least 12 digits")
        switch.add_argument(
            "--accept-failure", action="append", default=[], metavar="SUBMISSION", dest="accepted"
        )
        acts.choices["preview"].add_argument("--rows", type=int, default=SHOWN)

    def handle(self, *args: Any, **options: Any) -> None:
        phase = _phase(options)
        try:
            getattr(self, f"_{options['act']}")(phase, options)
        except Refusal as refusal:
            faults = refusal.params.get("faults") or refusal.params.get("submissions") or ()
            listed = "".join(f"\n  {line}" for line in faults) if isinstance(faults, list) else ""
            raise CommandError(f"{refusal.message}{listed}") from refusal

    @staticmethod
    def _add_place(parser: ArgumentParser) -> None:
        for name in ("competition", "track", "phase"):
            parser.add_argument(name)

    def _propose(self, phase: Phase, options: dict[str, Any]) -> None:
        references, definition = options["references"], options["definition"]
        text = _read(definition).decode("utf-8", "surrogateescape") if definition else None
        made = rescoring.propose(
            actor=None,
            phase=phase,
            references=_read(references) if references else None,
            params=rescoring.params_of_definition(text=text, phase=phase) if text else None,
            reason=options["reason"],
            now=timezone.now(),
        )
        self.stdout.write(f"{made.recipe.digest} is proposed; workers score by it from now on.")

    def _status(self, phase: Phase, options: dict[str, Any]) -> None:
        open_one = rescoring.open_of(phase)
        figures = rescoring.progress(open_one)
        self.stdout.write(f"from      {open_one.replaced.digest}")
        self.stdout.write(f"to        {open_one.recipe.digest}")
        self.stdout.write(f"proposed  {instant(open_one.proposed_at)}  {open_one.reason}")
        for name, count in figures.as_json().items():
            self.stdout.write(f"{name:9} {count}")

    def _preview(self, phase: Phase, options: dict[str, Any]) -> None:
        found = rescoring_moves.preview(proposal=rescoring.open_of(phase), now=timezone.now())
        self.stdout.write(f"{found.moving} of {len(found.moves)} lines change")
        for move in found.moves[: options["rows"]]:
            self.stdout.write(f"  {_side(move.old)} -> {_side(move.new)}  {move.entrant.team.name}")
        if found.unfinished:
            self.stdout.write(f"{len(found.unfinished)} submissions have no result yet")
        for one in found.failed:
            team = one.submission.entrant.team.name
            self.stdout.write(f"failed: {one.submission.code} {one.failure_code}  {team}")

    def _switch(self, phase: Phase, options: dict[str, Any]) -> None:
        digest = rescoring.open_of(phase).recipe.digest
        given = options["to"].lower()
        if len(given) < 12 or not digest.startswith(given):  # noqa: PLR2004  enough to tell apart
            raise CommandError(f"Proposed is {digest}, not {given}. Nothing was changed.")
        made = rescoring_switch.switch(
            actor=None,
            phase=phase,
            digest=digest,
            accepted_failures=options["accepted"],
            now=timezone.now(),
        )
        self.stdout.write(f"{made.recipe.digest} is live and its board stands.")

    def _cancel(self, phase: Phase, options: dict[str, Any]) -> None:
        rescoring.cancel(actor=None, phase=phase, now=timezone.now())
        self.stdout.write("The correction is dropped; the board is as it was.")


def _phase(options: dict[str, Any]) -> Phase:
    phases = Phase.objects.select_related("track__competition", "references")
    try:
        return phases.get(
            track__competition__slug=options["competition"],
            track__slug=options["track"],
            slug=options["phase"],
        )
    except Phase.DoesNotExist:
        raise CommandError("There is no such phase.") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def _side(side: rescoring_moves.Side | None) -> str:
    if side is None:
        return f"{'–':>4} {'':>9} {'':>9}"
    place = "–" if side.place is None else str(side.place)
    score = "–" if side.score is None else f"{side.score:.4f}"
    span = "" if side.first is None else f"{side.first}–{side.last}"
    return f"{place:>4} {score:>9} {span:>9}"
