"""Content on its way to a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.record import AssignableNode


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Content to be assigned: turns or passages in order. Those before `start` are stored already and are only context.
    `node` was given by hand; `may_create`: whether nodes may be created for it."""

    title: str
    texts: Sequence[str]
    speakers: Sequence[str] = ()
    """The speaker of each text; empty for passages."""
    start: int = 0
    node: AssignableNode | None = None
    may_create: bool = False
    whole: bool = False
    """A document, whose passages belong together unless much speaks for parting them."""
    embedded: Sequence[str] = ()
    """The text to embed for each text from `start` on; not used where the node was given."""
