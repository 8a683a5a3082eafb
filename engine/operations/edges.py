"""The edges between nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.node import CreatedEdge, EdgePlace, RegisteredEdge
from engine.hierarchy.shells import MOST_EDGES, Shells
from engine.history.edges import EdgeHistory
from engine.operations import redactions
from engine.operations.caller import members, readers
from engine.operations.declaring import OfGraph, Redaction, reads, writes
from engine.operations.parts import Part

_TEXTS: Mapping[str, Redaction] = {"edge_type": redactions.name, "properties": redactions.properties}


class Edges(OfGraph, name="edges"):
    """Cross-node edges. They are changed and ended by `history.change`."""

    _edges = Part(EdgeHistory)
    _shells = Part(Shells)

    @reads(readers)
    async def list(
        self, moment: Moment = NOW, *, after: EdgePlace | None = None, limit: int = MOST_EDGES
    ) -> tuple[RegisteredEdge, ...]:
        """All edges by the names of the ends, one page; `after` is the `place` of the last edge before."""
        return await self._shells.edges(self._principal, moment, after=after, limit=limit)

    @writes(members, redacts=_TEXTS, at="source", refusal="relate", once=True)
    async def make(
        self, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str] | None = None
    ) -> CreatedEdge:
        """Makes an edge, or returns the one of that type between these nodes, which holds again if it had ended. Raises
        NotFound, InvalidInput."""
        edges, given = self._edges, properties or {}
        return await edges.make(self._principal, source, target, edge_type, given, self.caller.key)
