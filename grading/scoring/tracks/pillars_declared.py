"""What tracks have in common whose score is a mean over languages of functions of added-up tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from grading.scoring import bootstrap
from grading.scoring.tracks import pillars_strata
from grading.scoring.tracks.assembled import Composing, OfItems, require_same
from grading.scoring.tracks.base import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grading.scoring.tracks.base import Difference
    from grading.scoring.tracks.pillars_strata import ScoreOf, Strata
    from grading.scoring.tracks.pillars_tables import ItemTallies


class StratifiedComposing(Composing, Protocol):
    """The module that makes such a score, of tallies and of resampled sums alike."""

    def points(self, languages: Mapping[str, Mapping[str, Any]], params: Any) -> dict[str, float]:
        """Return what each part brings to the score, in points."""
        ...

    def strata(self, tallies: Any, params: Any) -> Strata | None:
        """Return what is resampled of each language, None where the score is withheld."""
        ...

    def score_of(self, params: Any) -> ScoreOf:
        """Return what makes a language's score of resampled sums."""
        ...


class Stratified(OfItems):
    """Points, intervals, replicates and comparisons of such a track, from its strata."""

    __slots__ = ()
    composing: StratifiedComposing

    def points(self, languages: Mapping[str, Mapping[str, Any]], params: Any) -> dict[str, float]:
        """Return what each part brings to the score, in points."""
        return self.composing.points(languages, params)

    def interval(
        self, tallies: Any, params: Any, *, seed: int, replicates: int = bootstrap.REPLICATES
    ) -> dict[str, Interval]:
        """Return the 95 % interval of `final` and of each language, or the reason for none."""
        strata = self.composing.strata(tallies, params)
        if strata is None:
            composed = self.compose(tallies, params)
            reasons = {name: part["withheld_reason"] for name, part in composed.languages.items()}
            return pillars_strata.withheld(reasons, composed.withheld_reason)
        score_of = self.composing.score_of(params)
        return pillars_strata.intervals(strata, score_of, seed=seed, replicates=replicates)

    def replicates(
        self, tallies: Any, params: Any, *, seed: int, replicates: int = bootstrap.REPLICATES
    ) -> bootstrap.Floats | None:
        """Return the score of every replicate, None where the score is withheld."""
        strata = self.composing.strata(tallies, params)
        if strata is None:
            return None
        score_of = self.composing.score_of(params)
        parts = pillars_strata.resample([strata], score_of, seed=seed, replicates=replicates)
        return pillars_strata.final(parts, 0).scores

    def paired(
        self,
        leader: Any,
        others: Sequence[Any],
        params: Any,
        *,
        seed: int,
        replicates: int = bootstrap.REPLICATES,
    ) -> list[Difference]:
        """Compare others with the leader on the same draws of the same items. Raises ClipsDiffer."""
        systems = [leader, *others]
        require_same(systems, _ids, "scored on different items")
        return pillars_strata.differences(
            [self.compose(one, params).score for one in systems],
            [self.composing.strata(one, params) for one in systems],
            self.composing.score_of(params),
            seed=seed,
            replicates=replicates,
        )


def _ids(tallies: ItemTallies[Any]) -> list[tuple[str, str]]:
    return [(item.utt_id, item.language) for item in tallies.items]
