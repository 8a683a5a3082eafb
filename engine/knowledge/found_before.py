"""What a model found in records that rules read again: it holds on for texts that are as the model read them.

The graph has it, so no answer of a model needs to be kept for it: mentions say by which names and where, evidence in which item.
A name is given to the reading where the rules miss it, or where it has a role; a relation where its item is as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from engine.domain.entity import MentionRole
from engine.domain.extraction import ModelReading, NamedByModel, StatedByModel
from engine.domain.forms import ItemSpan
from engine.domain.names import name_key
from engine.knowledge.model_names import WEIGHT
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher


@dataclass(frozen=True, slots=True)
class FoundMention:
    """An entity that a record mentions or mentioned: by which names (normal forms), and where (`item:start-end`)."""

    names: tuple[str, ...]
    kind: str
    role: MentionRole
    spans: tuple[ItemSpan, ...]


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation that a model stated in an item, with the names that the record uses of both ends."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    type: str
    item_id: UUID
    since: str | None
    until: str | None
    ended: bool


@dataclass(frozen=True, slots=True)
class FoundBefore:
    """What the graph says of a record. `modelled`: whether a model has read it: facts were read out of it, or a model relates its
    names."""

    record_id: UUID
    mentions: tuple[FoundMention, ...]
    relations: tuple[FoundRelation, ...]
    modelled: bool

    def reading(self, texts: Mapping[UUID, str], read: Collection[str]) -> ModelReading:
        """What of it still holds, as a model would say it. `texts`: those that are as they were stored first, by their items;
        `read`: normal forms of the names that the rules find in the record."""
        named = tuple(
            NamedByModel(one.names[0], one.kind, one.names[1:], one.role)
            for one in self.mentions
            if (one.role != "mention" or not set(one.names).issubset(read)) and _stands(one, texts)
        )
        there = {*read, *(name for one in named for name in (one.name, *one.also))}
        return ModelReading(named, tuple(self._stated(texts, there)))

    def _stated(self, texts: Mapping[UUID, str], there: Collection[str]) -> Iterator[StatedByModel]:
        for one in self.relations:
            source, target = (next((name for name in ends if name in there), "") for ends in (one.sources, one.targets))
            if one.item_id in texts and source and target:
                yield StatedByModel(source, one.type, target, one.item_id, one.since, one.until, one.ended)


async def found_before(neo4j: Neo4j, records: Iterable[UUID]) -> dict[UUID, FoundBefore]:
    """What the graph says of these records. Raises StoreUnavailable."""
    asked = {"records": [str(one) for one in records], "weight": WEIGHT}
    statement = cypher("lifecycle/records_reworded")
    found = await neo4j.read(statement, row=FoundBefore, **asked) if asked["records"] else []
    return {one.record_id: one for one in found}


def _stands(mention: FoundMention, texts: Mapping[UUID, str]) -> bool:
    """Whether a name of a mention still stands at one of its places."""
    for span in mention.spans:
        item, _, place = span.partition(":")
        start, _, end = place.partition("-")
        if name_key(texts.get(UUID(item), "")[int(start) : int(end)]) in mention.names:
            return True
    return False
