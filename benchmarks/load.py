"""How much an installation on this machine bears: boards, mixed traffic, workers, the last second.

`python -m benchmarks.load` runs on PostgreSQL and Redis of its own (`--embedded`: on SQLite and
files), prints a table and keeps the figures in docs/evidence/<date>-<commit>-load.json, where parts
that are run one by one come together. `--only board,traffic` runs some parts; `--quick` is for
trying the script and keeps nothing; `--sizing` fills the table of docs/operations.md from the file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.asking import (  # noqa: E402
    NOT_MODIFIED,
    Ask,
    Traffic,
    as_person,
    by_token,
    page,
    send,
    share,
    with_poll,
)
from benchmarks.rig import (  # noqa: E402
    Peaks,
    cpu_seconds,
    finish,
    prepared,
    web_server,
    worker,
)
from benchmarks.rush import QUOTA, TEAMS, rush  # noqa: E402
from tests.security.served import Installation  # noqa: E402

RATE = 50
PROMISES = {"per_hour": 1_000, "board_ms": 100.0, "p95_ms": 300.0}
OPERATIONS = ROOT / "docs" / "operations.md"
MARKS = ("<!-- sizing:begin -->\n", "<!-- sizing:end -->")
HEAD = "| what | machine | measured | at commit |\n| --- | --- | --- | --- |\n"
Json = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """How much is done."""

    rows: int = 2_000
    each_worker: int = 20
    crowds: tuple[tuple[int, int], ...] = ((10, 100), (1_000, 10_000))
    looks: int = 40
    seconds: int = 60


QUICK = Sizes(rows=100, each_worker=2, crowds=((10, 30), (40, 120)), looks=5, seconds=5)


def workers(site: Installation, sizes: Sizes) -> list[Json]:
    """Return how fast one, two and four worker processes score files of the size."""
    return [scoring(site, number, sizes) for number in (1, 2, 4)]


def scoring(site: Installation, number: int, sizes: Sizes) -> Json:
    """Return the throughput of that many workers, from the first upload to the last score."""
    count = sizes.each_worker * number
    with ExitStack() as stack:
        processes = [stack.enter_context(worker(site, one)) for one in range(number)]
        site.ask("hand_in", str(2 * number))
        finish(site, "the first submissions of every worker to be scored", 120 + 30 * number)
        before, used = site.ask("progress")["scored"], sum(map(cpu_seconds, processes))
        watched = {f"worker-{at}": one for at, one in enumerate(processes)}
        peaks = stack.enter_context(Peaks(**watched))
        began = time.monotonic()
        site.ask("hand_in", str(count))
        finish(site, f"{count} submissions to be scored by {number} workers", 60 + 15 * count)
        seconds = time.monotonic() - began
        scored = site.ask("progress")["scored"] - before
        return {
            "workers": number,
            "rows": sizes.rows,
            "scored": scored,
            "seconds": seconds,
            "per_hour": 3600 * scored / seconds,
            "cpu_seconds_each": (sum(map(cpu_seconds, processes)) - used) / scored,
            "worker_mebibytes": max(peaks.mebibytes.values()),
        }


PAGES = {
    "page": page("{pages}/board/"),
    "page, last rows": page("{pages}/board/?page=last"),
    "page, sorted, official": page("{pages}/board/?sort=f1&rows=official&view=en"),
    "page of a member": as_person("{pages}/board/"),
    "page of an organizer": as_person("{pages}/board/", "organizer"),
    "open page asks again": page("{poll}"),
    "data.json": page("{pages}/data.json"),
    "CSV": page("{pages}/board.csv"),
    "JSON": page("{pages}/board.json"),
    "API": by_token("{api}/final/board/"),
}
TAGGED = ("open page asks again", "data.json", "API")


def board(site: Installation, sizes: Sizes) -> list[Json]:
    """Return what a board's pages cost at each size: queries, server time, processor time."""
    return [crowded(site, *size, sizes.looks) for size in sizes.crowds]


def crowded(site: Installation, entrants: int, submissions: int, looks: int) -> Json:
    """Return the cost with that many rows; the first look is the one after a rebuild."""
    made = site.ask("crowd", str(entrants), str(submissions))
    path = f"{site.world['pages']}/board/"
    looked = site.ask("look", path, "2")
    with web_server(site) as web, Peaks(web=web) as peaks:
        world, found = with_poll(site), {}
        for name, ask in PAGES.items():
            found[name] = _costs(site, web, ask(world, 0), looks)
            if name in TAGGED:
                found[f"{name}, 304"] = _costs(site, web, ask(world, 0), looks, tagged=True)
    return {
        "entrants": entrants,
        "submissions": made["submissions"],
        "rebuild_seconds": made["rebuild_seconds"],
        "queries": looked["queries"][-1],
        "pages": found,
        "web_mebibytes": peaks.mebibytes["web"],
    }


def _costs(site: Installation, web: Any, ask: Ask, looks: int, *, tagged: bool = False) -> Json:
    """Return server time as the request log has it, and processor time of the web server."""
    first = send(site.port, ask)
    if tagged:
        ask = Ask(ask.path, {**ask.headers, "If-None-Match": first.etag})
    before, used = len(_served(site)), cpu_seconds(web)
    answers = [send(site.port, ask) for _ in range(looks)]
    statuses = {answer.status for answer in answers}
    if statuses != {NOT_MODIFIED if tagged else 200}:
        raise ValueError(f"{ask.path} was answered {statuses}: {answers[-1].body[:400]!r}")
    spent = _served(site)[before:]
    return {
        "first_ms": 0.0 if tagged else _served(site)[before - 1],
        "median_ms": statistics.median(spent),
        "p95_ms": share(spent, 0.95),
        "cpu_ms": 1000 * (cpu_seconds(web) - used) / looks,
        "bytes": len(answers[-1].body),
    }


def _served(site: Installation) -> list[float]:
    """Return the milliseconds of server time of every request so far, as the log has them."""
    lines = (line for line in site.log("web").splitlines() if '"request.done"' in line)
    return [json.loads(line)["milliseconds"] for line in lines]


def traffic(site: Installation, sizes: Sizes) -> Json:
    """Return latencies of mixed traffic while a worker scores beside the web server."""
    made = site.ask("crowd", *map(str, sizes.crowds[-1]))
    site.ask("hand_in", "10")
    with web_server(site) as web, worker(site) as working, Peaks(web=web, worker=working) as peaks:
        finish(site, "ten submissions of the team that asks", 120)
        world = {**with_poll(site), **site.ask("own")}
        Traffic(site.port, world, RATE // 5, 5).run()  # the first requests fill caches
        before, used = site.ask("progress")["scored"], cpu_seconds(web)
        found = Traffic(site.port, world, RATE, sizes.seconds).run()
        cpu = 1000 * (cpu_seconds(web) - used) / found["answered"]
        finish(site, "what was uploaded meanwhile to be scored", 300)
        scored = site.ask("progress")["scored"] - before
    crowd = {"submissions": made["submissions"], "seconds": sizes.seconds, "scored_beside": scored}
    return {**found, **crowd, "web_cpu_ms_each": cpu, "mebibytes": peaks.mebibytes}


PARTS: dict[str, tuple[Callable[[Installation, Sizes], Any], bool]] = {
    "board": (board, False),
    "traffic": (traffic, False),
    "workers": (workers, True),
    "rush": (lambda site, _: rush(site), False),
}
"""What is measured, and whether the challenge has as many rows as the sizes say, or a hundred."""


def run(names: Iterable[str], sizes: Sizes, *, served: bool) -> Json:
    """Return what was measured, part by part, each on an installation of its own."""
    result: Json = {}
    for name in names:
        measure, is_large = PARTS[name]
        print(f"== {name}", flush=True)
        with prepared(served, sizes.rows if is_large else 100) as site:
            result[name] = measure(site, sizes)
    return result


def verdicts(result: Json) -> list[str]:
    """Return the promises that do not hold."""
    broken = [f"rush: {one}" for one in result.get("rush", {}).get("broken", ())]
    if "workers" in result:
        best = max(one["per_hour"] for one in result["workers"])
        broken += _above("submissions an hour", -best, -PROMISES["per_hour"])
    if "board" in result:
        for name, cost in result["board"][-1]["pages"].items():
            broken += _above(f"ms for the board's {name}", cost["median_ms"], PROMISES["board_ms"])
        counts = {one["queries"] for one in result["board"]}
        broken += [f"queries grow: {sorted(counts)}"] if len(counts) > 1 else []
    if "traffic" in result:
        found = result["traffic"]
        broken += _above("ms, p95 of mixed traffic", found["p95_ms"], PROMISES["p95_ms"])
        broken += _above("requests not answered", found["planned"] - found["answered"], 0)
        broken += _above("answers that are no success", found["failed"], 0)
    return broken


def _above(what: str, value: float, bound: float) -> list[str]:
    return [f"{abs(value):.0f} {what}, promised {abs(bound):.0f}"] if value > bound else []


def table(result: Json) -> list[tuple[str, str]]:
    """Return what was measured in words, row by row."""
    rows = [
        (
            f"Track 1, {one['rows']:,} rows, {one['workers']} workers",
            (
                f"{one['per_hour']:,.0f} scored an hour; {one['cpu_seconds_each']:.2f} CPU s each; "
                f"worker at most {one['worker_mebibytes']:.0f} MiB"
            ),
        )
        for one in result.get("workers", ())
    ]
    for one in result.get("board", ()):
        rows += _board_rows(one)
    if "traffic" in result:
        rows.append(_traffic_row(result["traffic"]))
    if "rush" in result:
        found = result["rush"]
        answers = ", ".join(f"{said}: {count}" for said, count in found["answers"].items())
        rows.append(
            (
                f"{found['uploads']} uploads at the deadline, {TEAMS} teams with {QUOTA} left each",
                f"{answers}; slowest answer {found['slowest_answer_s']:.1f} s; kept {found['kept']}",
            )
        )
    return rows


def _board_rows(one: Json) -> list[tuple[str, str]]:
    where = f"board, {one['entrants']:,} entrants, {one['submissions']:,} submissions"
    rows = [
        (
            f"{where}: {name}",
            (
                f"{cost['median_ms']:.0f} ms (p95 {cost['p95_ms']:.0f}), "
                f"{cost['cpu_ms']:.0f} CPU ms, {cost['bytes'] / 1000:,.0f} kB"
            ),
        )
        for name, cost in one["pages"].items()
    ]
    whole = (
        f"{one['queries']} queries; rebuilt in {one['rebuild_seconds']:.1f} s; "
        f"web at most {one['web_mebibytes']:.0f} MiB"
    )
    return [(where, whole), *rows]


def _traffic_row(found: Json) -> tuple[str, str]:
    held = ", ".join(f"{name} {most:.0f}" for name, most in found["mebibytes"].items())
    return (
        f"{found['rate']} requests/s, board of {found['submissions']:,} submissions, a worker beside",
        (
            f"p95 {found['p95_ms']:.0f} ms (median {found['median_ms']:.0f}, p99 {found['p99_ms']:.0f}); "
            f"{found['web_cpu_ms_each']:.1f} CPU ms each; {found['scored_beside']} scored beside in "
            f"{found['seconds']} s; at most MiB: {held}"
        ),
    )


def described(now: datetime, *, served: bool) -> Json:
    """Return when, of which commit and on what something was measured."""
    command = ["git", "-c", "safe.directory=*", "describe", "--always", "--dirty"]
    named = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    python = platform.python_version()
    return {
        "date": f"{now:%Y-%m-%d}",
        "commit": named.stdout.strip(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {python}",
        "on": "PostgreSQL and Redis" if served else "SQLite and files",
    }


def keep(about: Json, found: Json, *, fill: bool) -> Json:
    """Add what was measured to the figures of the same day and commit; return them all."""
    suffix = "" if about["on"].startswith("PostgreSQL") else "-embedded"
    name = f"{about['date']}-{about['commit']}-load{suffix}.json"
    path = ROOT / "docs" / "evidence" / name
    earlier = json.loads(path.read_text()) if path.exists() else {}
    kept = {**earlier, **about, **found}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    print(f"\nkept: {path.relative_to(ROOT)}")
    if fill:
        fill_sizing(kept)
    return kept


def fill_sizing(kept: Json) -> None:
    """Write the rows into the sizing table; rows of other measurements stay."""
    text = OPERATIONS.read_text()
    before, rest = text.split(MARKS[0])
    old, after = rest.split(MARKS[1])
    measured = table(kept)
    names = {what for what, _ in measured}
    others = [row for row in old.splitlines()[2:] if row.split("|")[1].strip() not in names]
    rows = [
        f"| {what} | {kept['machine']}, {kept['on']} | {said} | {kept['commit']} |"
        for what, said in measured
    ]
    OPERATIONS.write_text(
        before
        + MARKS[0]
        + HEAD
        + "".join(f"{row}\n" for row in [*others, *rows])
        + MARKS[1]
        + after
    )


def show(kept: Json) -> None:
    """Print the table."""
    print(f"\n{kept['date']}, commit {kept['commit']}, {kept['machine']}, {kept['on']}")
    rows = table(kept)
    width = max(len(what) for what, _ in rows)
    for what, said in rows:
        print(f"{what:<{width}}  {said}")
    for kind, spent in sorted(kept.get("traffic", {}).get("by_kind_p95_ms", {}).items()):
        print(f"  {kind:<{width - 2}}  p95 {spent:.0f} ms")


def chosen(text: str) -> list[str]:
    """Return the parts that were named, in their order here."""
    names = re.split(r"[,\s]+", text.strip())
    unknown = set(names) - set(PARTS)
    if unknown:
        raise argparse.ArgumentTypeError(
            f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}"
        )
    return [name for name in PARTS if name in names]


def main() -> int:
    """Return 0 when every promise held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; nothing is kept")
    parser.add_argument("--embedded", action="store_true", help="on SQLite and files")
    parser.add_argument("--only", type=chosen, default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--sizing", action="store_true", help="fill docs/operations.md's table")
    given = parser.parse_args()
    served = not given.embedded
    found = run(given.only, QUICK if given.quick else Sizes(), served=served)
    about = described(datetime.now(UTC), served=served)
    if given.quick:
        show({**about, **found})
    else:
        show(keep(about, found, fill=given.sizing))
    broken = verdicts(found)
    print("\n".join(f"BROKEN: {one}" for one in broken) or "every promise held")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
