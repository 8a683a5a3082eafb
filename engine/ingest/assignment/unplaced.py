"""Content on its way to a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.record import AssignableNode


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Content of which it is to be said where it goes: turns or passages in order. What lies before `start` is stored already
    and only context. `node` was given by hand; `may_create` says whether nodes may be created for it."""

    title: str
    texts: Sequence[str]
    speakers: Sequence[str] = ()
    """Who said each text; nobody for passages."""
    start: int = 0
    node: AssignableNode | None = None
    may_create: bool = False
    whole: bool = False
    """A document, whose passages belong together unless much speaks for parting them."""
    embedded: Sequence[str] = ()
    """What each text from `start` on is embedded as; nothing is asked of it where the node was given."""
