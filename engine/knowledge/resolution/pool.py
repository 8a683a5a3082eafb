"""The entities that the names of a batch may belong to: those of the graph, and those that the batch makes."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.domain.names import name_key
from engine.knowledge.resolution.blocking import blocking_keys
from engine.knowledge.resolution.keys import free_key
from engine.knowledge.resolution.likeness import NamedThing

MOST_COMPARED = 40
"""Candidates that one name is compared with; those of the same record and graph come first."""


@dataclass(slots=True)
class PooledEntity:
    """An entity as the names of the batch change it."""

    key: str
    name: str
    kind: str
    aliases: set[str]
    texts: tuple[str, ...]
    near: bool
    records: set[str]
    new: bool

    def thing(self) -> NamedThing:
        return NamedThing(self.name, self.kind, tuple(sorted(self.aliases - {self.name})), self.texts)


@dataclass(slots=True)
class Pool:
    """The entities, found by the keys of their names."""

    batch: str = ""
    entities: dict[str, PooledEntity] = field(default_factory=dict)
    blocks: dict[str, set[str]] = field(default_factory=dict)

    def add(self, entity: PooledEntity) -> None:
        self.entities[entity.key] = entity
        for name in (entity.name, *entity.aliases):
            self.index(entity.key, name)

    def index(self, key: str, name: str) -> None:
        for block in blocking_keys(name):
            self.blocks.setdefault(block, set()).add(key)

    def free_key(self, kind: str, name: str) -> str:
        return free_key(kind, name, self.entities, self.batch)

    def exact(self, name: str) -> list[PooledEntity]:
        return [self.entities[key] for key in sorted(self.blocks.get(f"=:{name_key(name)}", ()))]

    def candidates(self, name: str, record: str) -> list[PooledEntity]:
        found = {key for block in blocking_keys(name) for key in self.blocks.get(block, ())}
        ranked = sorted(
            (self.entities[key] for key in found), key=lambda one: (record not in one.records, not one.near, one.key)
        )
        return ranked[:MOST_COMPARED]
