"""Reads the texts that mention the entities of a user, and derives what they mean. Bounded; for the service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from engine.communities.clustering import vector_of
from engine.communities.descriptions import Meaning, ReadItem, meanings
from engine.communities.graph_read import UserGraph
from engine.providers.active import Model
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

LEAST_MENTIONS, MOST_ENTITIES, MOST_ITEMS, MOST_IN_ALL = 3, 300, 60, 5000
"""Mentions that an entity needs; entities of a user, those with most mentions; the newest texts of each, and of all."""
PAGE = 500


@dataclass(frozen=True, slots=True)
class _Item:
    item_id: UUID
    content: str
    vector: bytes


class MeaningReads:
    """Derives meanings of entities."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def found(self, user_id: UUID, graph: UserGraph, model: Model) -> list[Meaning]:
        """The meanings of a user's entities that are mentioned often enough. Raises StoreUnavailable."""
        often = [one for one in graph.entities.values() if one.mentions >= LEAST_MENTIONS][:MOST_ENTITIES]
        nodes: dict[str, UUID] = {}
        mentioned: dict[str, list[str]] = {}
        for one in often:
            newest = list(dict(_items(graph, one.entity_id)).items())[:MOST_ITEMS]
            wanted = [(item, node) for item, node in newest if item in nodes or len(nodes) < MOST_IN_ALL]
            nodes.update(wanted)
            mentioned[one.entity_id] = [item for item, _ in reversed(wanted)]
        items = await self._read(user_id, nodes, model)
        return await computed(meanings, mentioned, {one.entity_id: one.name for one in often}, items)

    async def _read(self, user_id: UUID, nodes: dict[str, UUID], model: Model) -> dict[str, ReadItem]:
        read: dict[str, ReadItem] = {}
        version = {"column": model.version.column, "version": model.name}
        wanted = list(nodes.items())
        for start in range(0, len(wanted), PAGE):
            page = wanted[start : start + PAGE]
            asked = {"items": [UUID(item) for item, _ in page], "nodes": [node for _, node in page]}
            parameters = {"user_id": user_id, **version, **asked}
            for one in await self._postgres.fetch_as_service(sql_text("community/items"), parameters, row=_Item):
                read[str(one.item_id)] = ReadItem(str(one.item_id), one.content, vector_of(one.vector))
        return read


def _items(graph: UserGraph, entity_id: str) -> Iterator[tuple[str, UUID]]:
    """The items that mention an entity with their nodes, those of the newest records first; not those that it only speaks."""
    for record in graph.records_of.get(entity_id, ()):
        for one in record.mentioned:
            if one.entity_id == entity_id and one.role != "author":
                for span in one.spans:
                    yield span.partition(":")[0], record.node_id
