"""The mark that the graph and the object store carry: of which installation they are, and of which generation."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.errors import NotFound
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.statements import cypher
from engine.stores.tier import OWN, Tier

KEY = f"{OWN}installation.json"
GRAPH, OBJECTS, COLD = "Neo4j", "the object store", "the cold object store"


@dataclass(frozen=True, slots=True)
class Mark:
    """A generation of an installation. `mark_id` distinguishes two histories that reached the same generation."""

    installation_id: UUID
    generation: int
    mark_id: UUID
    marked_at: datetime

    @property
    def plain(self) -> dict[str, Any]:
        """As JSON and the graph take it; `mark_of` is the way back."""
        return asdict(self) | {
            "installation_id": str(self.installation_id),
            "mark_id": str(self.mark_id),
            "marked_at": self.marked_at.isoformat(),
        }


def mark_of(plain: dict[str, Any]) -> Mark:
    """A mark from its plain form."""
    return Mark(
        UUID(plain["installation_id"]),
        int(plain["generation"]),
        UUID(plain["mark_id"]),
        datetime.fromisoformat(plain["marked_at"].replace("Z", "+00:00")),
    )


class Marks:
    """Reads and writes the marks of the graph and of each tier of the object store."""

    def __init__(self, neo4j: Neo4j, objects: ObjectStore) -> None:
        self._neo4j, self._objects = neo4j, objects

    @property
    def _tiers(self) -> dict[str, Tier]:
        return dict(zip((OBJECTS, COLD), self._objects.tiers, strict=False))

    async def read(self) -> dict[str, Mark | None]:
        """The mark of each store by the store's name; None where it carries none. Raises StoreUnavailable."""
        marks = await self._neo4j.read(cypher("schema/installation"), row=Mark)
        found: dict[str, Mark | None] = {GRAPH: marks[0] if marks else None}
        for name, tier in self._tiers.items():
            found[name] = await _read(tier)
        return found

    async def write(self, mark: Mark, stores: set[str] | None = None) -> None:
        """Gives these stores the mark, or all. Raises StoreUnavailable; it can be repeated."""
        if stores is None or GRAPH in stores:
            await self._neo4j.write(cypher("schema/installation_marked"), **mark.plain)
        for name, tier in self._tiers.items():
            if stores is None or name in stores:
                await tier.put(KEY, io.BytesIO(json.dumps(mark.plain).encode()))


async def _read(tier: Tier) -> Mark | None:
    try:
        return mark_of(json.loads(b"".join([block async for block in tier.read(KEY)])))
    except (NotFound, ValueError, KeyError):  # a damaged mark counts as none: the store is refused, or adopted by hand
        return None
