"""`methodology`: how the score is made, from the code that makes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from grading.scoring import registry
from grading.scoring.cli import inputs

if TYPE_CHECKING:
    import argparse

    from grading.scoring.cli.console import Console


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the sections of a track's methodology; return the exit code."""
    track = registry.get(arguments.track)
    sections = track.methodology(inputs.read_params(track, arguments.params, arguments.labels))
    if console.as_json:
        console.result([asdict(section) for section in sections])
        return 0
    console.line(f"{track.name} {track.version}")
    for section in sections:
        console.line()
        console.line(console.color(section.title, "strong"))
        for paragraph in section.paragraphs:
            console.wrapped(paragraph, "  ")
        if section.formula:
            console.line(f"    {section.formula}")
        if section.examples:
            console.table(["example", "gives"], section.examples, left=2)
    return 0
