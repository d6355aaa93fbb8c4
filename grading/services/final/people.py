"""What people gave the systems of a selection, as the final board counts it."""

from __future__ import annotations

from dataclasses import dataclass

from grading.enums import RatingForm
from grading.models import FinalSelection, RatingProtocol
from grading.scoring import bootstrap
from grading.scoring.rating.final import Plan
from grading.scoring.rating.panel import Rating
from grading.services.ratings import places, results


@dataclass(frozen=True, slots=True)
class People:
    """The ratings that count and the plan they belong to; without a protocol there are none.

    `settings_digest` is the hash under which the protocol's numbers are frozen; `simulated` are the
    pseudonyms of those raters who are no persons.
    """

    ratings: tuple[Rating, ...] = ()
    plan: Plan = Plan({})  # noqa: RUF009  frozen
    protocol: str = ""
    state: str = ""
    settings_digest: str = ""
    draws: int = bootstrap.REPLICATES
    simulated: frozenset[str] = frozenset()


def of_selection(selection: FinalSelection) -> People:
    """Return what counts now; only the form with all five marks makes a final score."""
    protocol = RatingProtocol.objects.filter(selection=selection, form=RatingForm.NVV).first()
    if protocol is None:
        return People()
    settings = places.settings_of(protocol)
    return People(
        ratings=tuple(results.ratings(protocol=protocol)),
        plan=Plan(protocol.rated_utterances, needed=settings.least, wanted=settings.wanted),
        protocol=protocol.code,
        state=protocol.state,
        settings_digest=results.settings_digest(protocol),
        draws=settings.draws,
        simulated=frozenset(
            protocol.raters.filter(is_simulated=True).values_list("pseudonym", flat=True)
        ),
    )
