"""`draw`: the clips that a key picks from a pool, as the server drew them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grading.scoring import draws
from grading.scoring.cli import inputs
from grading.scoring.text.shown import show

if TYPE_CHECKING:
    import argparse

    from grading.scoring.cli.console import Console


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Draw from a manifest; return the exit code. Raises DrawRefused, InputError and OSError."""
    strata = tuple(arguments.strata.split(","))
    pool = inputs.read_pool(arguments.manifest, needs_language="language" in strata)
    drawn = draws.draw(pool, n=arguments.n, key=arguments.key, strata=strata)
    if console.as_json:
        console.result(as_json(drawn))
    else:
        _print(drawn, console)
    return 0


def as_json(drawn: draws.Drawn) -> dict[str, object]:
    """Return a draw for machines: the ids, the number of each tier, and every stratum's share."""
    return {
        "algorithm": draws.ALGORITHM,
        "version": draws.VERSION,
        "utt_ids": list(drawn.utt_ids),
        "counts": drawn.counts,
        "strata": [
            {
                **dict(zip(drawn.strata, share.stratum, strict=True)),
                "size": share.size,
                "count": share.count,
            }
            for share in drawn.shares
        ],
    }


def _print(drawn: draws.Drawn, console: Console) -> None:
    for utt_id in drawn.utt_ids:
        console.line(show(utt_id))
    console.line()
    rows = [
        [*(show(name, 40) for name in share.stratum), str(share.size), str(share.count)]
        for share in drawn.shares
    ]
    console.table([*drawn.strata, "in the pool", "drawn"], rows, left=len(drawn.strata))
