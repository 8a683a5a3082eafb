"""The mark that the graph and the object store carry: of which installation they are, and of which generation; and the comparison
of marks: which stores do not belong to Postgres, and which of them are older than the others.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
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
POSTGRES = "Postgres"
REMEDY = "Restore the stores from one backup, or run `neurigraph mend`."


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


@dataclass(frozen=True, slots=True)
class Standing:
    """The marks in Postgres: the mark that all stores have, and the one that they get next. `users`: whether it holds any."""

    installation_id: UUID
    generation: int
    mark_id: UUID
    next_generation: int
    next_mark_id: UUID
    marked_at: datetime
    stopped_because: str | None
    users: bool

    @property
    def next(self) -> tuple[int, UUID]:
        """The newest mark that Postgres knows of."""
        return self.next_generation, self.next_mark_id

    @property
    def known(self) -> set[tuple[int, UUID]]:
        """The marks that a store may carry: an advance that was cut off leaves either."""
        return {(self.generation, self.mark_id), self.next}


@dataclass(frozen=True, slots=True)
class Aged:
    """A store that is older than the others, in words."""

    store: str
    problem: str

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        return f"{self.store[0].upper()}{self.store[1:]} {self.problem}."


def aged(standing: Standing, marks: Mapping[str, Mark]) -> list[Aged]:
    """The stores that are older than the newest, or of another history; empty when all fit."""
    newest = max(standing.next_generation, *(mark.generation for mark in marks.values()))
    if standing.next_generation == newest:
        return [
            Aged(store, _problem(mark, newest))
            for store, mark in marks.items()
            if (mark.generation, mark.mark_id) not in standing.known
        ]
    own = Mark(standing.installation_id, standing.next_generation, standing.next_mark_id, standing.marked_at)
    # An advance that was cut off leaves two stores one generation apart.
    older = [(store, mark) for store, mark in marks.items() if mark.generation < newest - 1]
    return [Aged(store, _problem(mark, newest)) for store, mark in [(POSTGRES, own), *older]]


def _problem(mark: Mark, newest: int) -> str:
    if mark.generation == 0:
        return "was adopted and may lack what the other stores know"
    if mark.generation == newest:
        return (
            f"has a history of its own since generation {newest}: it was restored and written to apart from the others"
        )
    return (
        f"is older than the other stores: its generation is {mark.generation}, marked {mark.marked_at:%Y-%m-%d %H:%M:%S} UTC, "
        f"theirs {newest}; it was restored from a backup"
    )
