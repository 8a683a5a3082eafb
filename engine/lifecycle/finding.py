"""What the doctor finds: one thing that does not fit, what mends it, and whether that loses something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

Store = Literal["postgres", "neo4j", "objects"]
Fixable = Literal[
    "definition-lost",
    "tables-damaged",
    "shell-missing",
    "shell-wrong",
    "manifest-lost",
    "record-wrong",
    "counts-off",
    "vector-lost",
    "deltas-lost",
    "source-lost",
    "entry-lost",
    "knowledge-off",
]
"""Damage that `doctor --fix` mends without losing anything, in the order in which it is mended."""
Acceptable = Literal[
    "tables-lost", "records-gone", "items-gone", "text-changed", "file-lost", "source-lost", "entry-lost"
]
"""Damage that takes a backup; `doctor --accept` settles it where there is none."""

FIXABLE: tuple[Fixable, ...] = get_args(Fixable)
ACCEPTABLE: tuple[Acceptable, ...] = get_args(Acceptable)
FIX = "`neurigraph doctor --fix`"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not fit. `subject` names it, `remedy` says what mends it; `kind` and `node_id` are what the remedies
    take (of a knowledge graph that of its user), `files` those that are lost or damaged."""

    severity: Literal["error", "warning"]
    store: Store
    subject: str
    problem: str
    remedy: str
    kind: str = ""
    node_id: UUID | None = None
    files: tuple[UUID, ...] = ()


def accepting(kind: Acceptable, node_id: UUID, loss: str, *, deep: bool = False) -> str:
    """The remedy of damage that takes a backup. `deep`: it is found only where files are read."""
    accept = f"`neurigraph doctor {'--deep ' if deep else ''}--accept {kind} {node_id}`"
    return f"restore a backup; without one, {accept} settles it: {loss}"
