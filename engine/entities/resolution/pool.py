"""The entities that the names of a batch may belong to: those of the graph, and those that the batch makes; found by
keys, without comparing all pairs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest

from engine.domain.names import name_key
from engine.entities.resolution.kin import kin_of
from engine.entities.resolution.name_likeness import NamedThing, full_forms, place_of, umlauts
from engine.entities.resolution.name_parts import parts_of
from engine.entities.resolution.namesakes import NO_CLUES, Clues
from engine.entities.resolution.romanized import bare_sound, free_key, sound, word_set


@lru_cache(maxsize=1 << 15)
def blocking_keys(name: str) -> frozenset[str]:
    """Two names that `name_likeness` can match share at least one of these, but for inflected forms outside of the lists."""
    parts = parts_of(name)
    keys = {f"=:{name_key(name)}"}
    for word, written in zip(parts.words, parts.written, strict=True):
        if len(word) > 1 and word not in _ordinary():
            keys |= {f"w:{word}", f"w:{umlauts(written)}", f"s:{sound(word, voiceless=True)}", f"b:{bare_sound(word)}"}
            keys |= {f"n:{full}" for full in full_forms(word)}
    if parts.acronym or len(parts.words) > 1:
        keys.add(f"a:{parts.acronym or ''.join(word[0] for word in parts.words)}")
    if parts.acronym and len(parts.words) > 1:
        keys.add(f"a:{''.join(word[0] for word in parts.words)}")
    if place_of(name) >= 0:
        keys.add(f"p:{place_of(name)}")
    if place_of(name, "renamed") >= 0:
        keys.add(f"r:{place_of(name, 'renamed')}")
    if kin := kin_of(name):
        keys.add(f"k:{kin.relation}")
    return frozenset(keys - {"s:", "b:", "w:"})


def _ordinary() -> frozenset[str]:
    return word_set("parts", "heads") | word_set("parts", "generic")


MOST_WEIGHED_OF_BATCH = 1000
"""Comparisons of texts for the names of one batch."""
MOST_COMPARED = 40
"""Candidates that one name is compared with; those of the same record and graph come first, then those that share most words."""


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
    corrected: bool = False
    clues: Clues = NO_CLUES

    def thing(self) -> NamedThing:
        return NamedThing(self.name, self.kind, tuple(sorted(self.aliases - {self.name})), self.texts)


@dataclass(slots=True)
class Pool:
    """The entities, found by the keys of their names."""

    batch: str = ""
    entities: dict[str, PooledEntity] = field(default_factory=dict)
    blocks: dict[str, set[str]] = field(default_factory=dict)
    verified: dict[str, str] = field(default_factory=dict)
    """The keys of entities by names and addresses that are theirs, as the user said."""
    weighed: int = 0
    """How many comparisons of texts were made."""

    def take(self, wanted: int) -> int:
        """How many of these comparisons of texts may be made; they count as made."""
        room = min(wanted, MOST_WEIGHED_OF_BATCH - self.weighed)
        self.weighed += room
        return room

    def add(self, entity: PooledEntity) -> None:
        self.entities[entity.key] = entity
        for name in (entity.name, *entity.aliases):
            self.index(entity.key, name)

    def index(self, key: str, name: str) -> None:
        for block in blocking_keys(name):
            self.blocks.setdefault(block, set()).add(key)

    def free_key(self, kind: str, name: str) -> str:
        return free_key(kind, name, self.entities, self.batch)

    def owner(self, name: str) -> PooledEntity | None:
        """Whose a name or an address is, as the user said."""
        return self.entities.get(self.verified.get(name_key(name), "")) if name else None

    def exact(self, name: str) -> list[PooledEntity]:
        return [self.entities[key] for key in sorted(self.blocks.get(f"=:{name_key(name)}", ()))]

    def candidates(self, name: str, record: str) -> list[PooledEntity]:
        shared = Counter(key for block in blocking_keys(name) for key in self.blocks.get(block, ()))
        found = (self.entities[key] for key in shared)
        return nsmallest(
            MOST_COMPARED, found, lambda one: (record not in one.records, not one.near, -shared[one.key], one.key)
        )
