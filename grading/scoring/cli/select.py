"""`select` and `subset`: selections of data that anybody can make again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.scoring.cli import objects
from grading.scoring.cli.inputs import InputError
from grading.scoring.selections import frozen, subsets
from grading.scoring.selections.items import Item
from grading.scoring.text.shown import show

if TYPE_CHECKING:
    import argparse

    from grading.scoring.cli.console import Console

_IDS = ("utt_id", "id")


def add(commands: Any) -> None:
    """Add both commands to the parser."""
    parser = commands.add_parser("select", help="select items by hash, nearest to a target")
    _add_items(parser)
    parser.add_argument("--key", required=True, metavar="KEY", help="what is hashed before :id")
    parser.set_defaults(run=run_select)
    parser = commands.add_parser("subset", help="find the subset nearest to a target")
    _add_items(parser)
    parser.add_argument(
        "--cover",
        default="",
        metavar="FIELD,…",
        help="fields of which every value in the pool must be covered",
    )
    parser.set_defaults(run=run_subset)


def _add_items(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--items",
        type=Path,
        required=True,
        metavar="ITEMS.jsonl",
        help="the pool: rows with utt_id or id, and the fields that are named",
    )
    parser.add_argument(
        "--target", type=objects.amount, required=True, metavar="N", help="what to come nearest to"
    )
    parser.add_argument(
        "--weight",
        metavar="FIELD",
        help="the field that is added up, such as words or seconds (default: items are counted)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for machines")


def run_select(arguments: argparse.Namespace, console: Console) -> int:
    """Make a frozen selection; return the exit code. Raises SelectionRefused, InputError, OSError."""
    items = _read_items(arguments.items, arguments.weight, ())
    found = frozen.select(items, key=arguments.key, target=arguments.target)
    result = {"algorithm": frozen.ALGORITHM, "version": frozen.VERSION, "key": arguments.key}
    _print(found, {**result, **_as_json(found, arguments)}, console)
    return 0


def run_subset(arguments: argparse.Namespace, console: Console) -> int:
    """Find the nearest subset; return the exit code. Raises SelectionRefused, InputError, OSError."""
    fields = tuple(filter(None, arguments.cover.split(",")))
    items = _read_items(arguments.items, arguments.weight, fields)
    found = subsets.select_subset(items, target=arguments.target)
    result = {"algorithm": subsets.ALGORITHM, "version": subsets.VERSION, "cover": list(fields)}
    _print(found, {**result, **_as_json(found, arguments)}, console)
    return 0


def _as_json(
    found: frozen.Frozen | subsets.Subset, arguments: argparse.Namespace
) -> dict[str, object]:
    return {
        "target": objects.shown(arguments.target),
        "weight_field": arguments.weight,
        "ids": list(found.item_ids),
        "weight": objects.shown(found.weight),
        "distance": objects.shown(found.distance),
        "pool": found.pool,
    }


def _print(
    found: frozen.Frozen | subsets.Subset, result: dict[str, object], console: Console
) -> None:
    if console.as_json:
        console.result(result)
        return
    for item_id in found.item_ids:
        console.line(show(item_id))
    console.line()
    console.line(
        f"  {len(found.item_ids)} of {found.pool} items, together {result['weight']},"
        f" {result['distance']} from {result['target']}"
    )


def _read_items(path: Path, weight: str | None, cover: tuple[str, ...]) -> list[Item]:
    items = []
    for place, row in objects.read_objects(path, "utterances"):
        where = f"{path}: {place}"
        heavy = Fraction(1) if weight is None else objects.number_of(row, weight, where)
        groups = tuple(f"{name}={objects.text_of(row, (name,), where)}" for name in cover)
        items.append(Item(objects.text_of(row, _IDS, where), heavy, groups))
    if not items:
        raise InputError(f"{path}: there are no items")
    return items
