"""What makes a derived thing node by node, and what it says of each page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from engine.commit.rows.due import DueNode

Counts = Mapping[str, int]
"""What a run made, by name; part of the report of a job."""


@dataclass(frozen=True, slots=True)
class Made:
    """One page: what was made, and how far the node is. Without `after` nothing is left of the node, and it is struck off, unless
    it `waits`: some of it could not be made yet."""

    counts: Counts
    after: UUID | None = None
    waits: bool = False


class Maker(Protocol):
    """Makes one derived thing."""

    async def page(self, node: DueNode) -> Made | None:
        """The next page of a node, committed together with how far the node is; it may be made twice, at once or half.
        None: nothing of this kind can be made now."""
        ...
