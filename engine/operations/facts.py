"""The facts of a memory, with what was known before and what does not agree."""

from __future__ import annotations

from uuid import UUID

from engine.domain.attribute import Attribute
from engine.domain.fact import Fact, FactFilter
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, reads

EVERY = FactFilter()


class Facts(OfGraph, name="facts"):
    """Facts that a model found, in chains; for the user of the graph alone."""

    @reads(owner)
    async def list(self, wanted: FactFilter = EVERY) -> tuple[Fact, ...]:
        """Live facts, or those asked for, one page. Raises InvalidInput."""
        return await self._parts.facts.page(self._principal, wanted)

    @reads(owner)
    async def chain(self, fact_id: UUID) -> tuple[Fact, ...]:
        """A fact with those before and after it, the newest first. Raises NotFound."""
        return await self._parts.facts.chain(self._principal, fact_id)

    @reads(owner)
    async def attributes(self, *, after: str = "", limit: int = 100) -> tuple[Attribute, ...]:
        """The attributes of which live facts speak, by their keys, one page; `after`: the key of the last one before.
        Facts within threads and workflows are left out. Raises InvalidInput."""
        return await self._parts.facts.attributes(self._principal, after, limit)
