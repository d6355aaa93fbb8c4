"""Reading `competition.yaml`: bytes in, a Definition or every fault with its line out. Pure."""

from __future__ import annotations

from competition.definition.faults import Fault
from competition.definition.schema import Catalog, Parsed, parse
from competition.definition.values import Definition, PhaseDefinition, TrackDefinition

__all__ = [
    "Catalog",
    "Definition",
    "Fault",
    "Parsed",
    "PhaseDefinition",
    "TrackDefinition",
    "parse",
]
