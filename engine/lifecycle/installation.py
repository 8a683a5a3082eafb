"""The installation that three stores form: marked at the first start, compared at every other, renewed while there are writes.

belongs   every store carries the id of this installation; another one is refused by name, or adopted by hand
fits      every store carries the newest generation; else writing stops and reads go on

The mark that the graph and the object store carry says of which installation they are, and of which generation. Marks are
compared with what Postgres has: which stores do not belong to it, and which of them are older than the others.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.errors import NeurigraphError, NotFound, StoresDoNotBelong, StoreUnavailable
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, is_ours
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text
from engine.stores.tier import OWN, Tier

KEY = f"{OWN}installation.json"
GRAPH, OBJECTS, COLD = "Neo4j", "the object store", "the cold object store"
POSTGRES = "Postgres"
REMEDY = "Restore the stores from one backup, or run `neurigraph mend`."

INTERVAL = 10.0
"""Seconds between two looks whether there were writes to mark."""
CLOSING = 5.0
"""Seconds that the last mark may take."""
ADOPT = "Correct the address, or run `neurigraph mend --adopt` if this store is meant to belong here from now on."

log = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True)
class _Tail:
    subject_id: str
    done_at: datetime


class Installation:
    """The marks of the stores; for the service and the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, clock: Clock) -> None:
        self._postgres, self._neo4j, self._objects, self._clock = postgres, neo4j, objects, clock
        self._marks = Marks(neo4j, objects)
        self.stopped_at_start: str | None = None
        """Why writing was stopped when the engine was opened."""

    async def begin(self, *, adopt: bool = False) -> None:
        """At start: marks new stores, refuses foreign ones, stops writing where one is older than the others.

        `adopt`: foreign and unmarked stores get this installation's mark, their age unknown. Raises StoresDoNotBelong,
        StoreUnavailable.
        """
        async with self.alone():
            standing, marks = await self._standing(), await self._marks.read()
            if adopt:
                await self._adopt(standing, marks)
            elif standing is None:
                await self._check_new(marks)
                await self._change("installation/insert", **_fresh())
            else:
                await self._check_owner(standing, marks)
            standing = await self._known()
            if standing.generation == 0 and not standing.stopped_because:
                await self._finish(standing)
            self.stopped_at_start = await self._stop_or_go(await self._known())

    async def stopped(self) -> str | None:
        """Why writing is stopped; None when it is not. Raises StoreUnavailable."""
        standing = await self._standing()
        return standing.stopped_because if standing else None

    async def older(self) -> list[Aged]:
        """The stores that are older than the others. Raises StoreUnavailable."""
        async with self.alone():
            standing = await self._known()
            marks = await self._marks.read()
            found = aged(standing, {name: mark for name, mark in marks.items() if mark})
            found += [Aged(name, "carries no mark of this installation") for name, mark in marks.items() if not mark]
            return found or await self._lost_tail()

    async def advance(self, *, always: bool = False) -> bool:
        """Gives all stores the next mark if there were writes since the last; returns whether it did. Raises StoreUnavailable."""
        if not always and not any(await self._postgres.fetch_as_service(sql_text("installation/due"), row=bool)):
            return False
        async with self.alone():
            standing = await self._known()
            if standing.stopped_because:
                return False
            if standing.next_generation == standing.generation:  # else one that was cut off is finished
                await self._change("installation/next", generation=standing.generation + 1, mark_id=uuid4())
            await self._finish(await self._known())
        return True

    async def keep_marking(self) -> None:
        """For the background: advances as long as it runs; a store that is down is retried in the next round."""
        while True:
            await asyncio.sleep(INTERVAL)
            await self.advance_quietly()

    async def advance_quietly(self) -> None:
        """One advance that may fail: at the end of an engine, or in the background."""
        try:
            async with asyncio.timeout(CLOSING):
                await self.advance()
        except (NeurigraphError, TimeoutError) as error:
            log.warning("the stores will be marked later: %s", error)

    async def lift(self) -> int:
        """Gives all stores a generation above all that they carry, and lets writing go on; the generation."""
        async with self.alone():
            standing, marks = await self._known(), await self._marks.read()
            newest = max(standing.next_generation, *(mark.generation for mark in marks.values() if mark))
            await self._change("installation/next", generation=newest + 1, mark_id=uuid4())
            await self._finish(await self._known(), lifted=True)
        return newest + 1

    # Postgres ------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """No other process compares or writes marks meanwhile."""
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("installation/lock"))
            yield

    async def _standing(self) -> Standing | None:
        found = await self._postgres.fetch_as_service(sql_text("installation/read"), row=Standing)
        return found[0] if found else None

    async def _known(self) -> Standing:
        standing = await self._standing()
        if standing is None:
            raise StoreUnavailable("metadata store", "Its mark was removed while the engine ran; restart the engine.")
        return standing

    async def _change(self, name: str, **parameters: Any) -> None:
        await self._postgres.change_as_service(sql_text(name), parameters)

    # first start, and stores that do not belong ----------------------------------------------------------------

    async def _check_new(self, marks: Mapping[str, Mark | None]) -> None:
        """Postgres has no mark: the other stores must have none either, and hold nothing where Postgres holds nothing."""
        for name, mark in marks.items():
            if mark:
                raise StoresDoNotBelong(
                    f"{name[0].upper()}{name[1:]} belongs to installation {mark.installation_id}, Postgres to none. {ADOPT}"
                )
        if any(await self._postgres.fetch_as_service(sql_text("installation/users"), row=bool)):
            return  # stores of a version without marks
        for name in marks:
            if await self._holds_something(name):
                raise StoresDoNotBelong(f"{name[0].upper()}{name[1:]} holds data, Postgres is empty. {ADOPT}")

    async def _check_owner(self, standing: Standing, marks: Mapping[str, Mark | None]) -> None:
        for name, mark in marks.items():
            if mark and mark.installation_id != standing.installation_id:
                raise StoresDoNotBelong(
                    f"{name[0].upper()}{name[1:]} belongs to installation {mark.installation_id}, "
                    f"Postgres to {standing.installation_id}. {ADOPT}"
                )
        if standing.generation == 0:
            return  # the first start was cut off; it is finished now
        for name in [name for name, mark in marks.items() if not mark]:
            if (standing.users and name != COLD) or await self._holds_something(name):
                raise StoresDoNotBelong(
                    f"{name[0].upper()}{name[1:]} carries no mark of installation {standing.installation_id}, to which Postgres "
                    f"belongs: it is empty, or another one. {ADOPT}"
                )
            mark = Mark(standing.installation_id, standing.generation, standing.mark_id, standing.marked_at)
            await self._marks.write(mark, {name})

    async def _holds_something(self, name: str) -> bool:
        if name == GRAPH:
            return bool(await self._neo4j.read(cypher("schema/any_shell")))
        tier = self._objects.tiers[0 if name == OBJECTS else 1]
        async for entry in tier.listing(""):
            if is_ours(entry.key):
                return True
        return False

    async def _adopt(self, standing: Standing | None, marks: Mapping[str, Mark | None]) -> None:
        if standing is None:
            await self._change("installation/insert", **_fresh())
            standing = await self._known()
            marks = dict.fromkeys(marks)
        foreign = {name for name, mark in marks.items() if not mark or mark.installation_id != standing.installation_id}
        if foreign:
            await self._change("installation/stop", reason=f"Adopted: {', '.join(sorted(foreign))}. {REMEDY}")
            await self._marks.write(Mark(standing.installation_id, 0, uuid4(), self._clock.now()), foreign)

    # generations -----------------------------------------------------------------------------------------------

    async def _finish(self, standing: Standing, *, lifted: bool = False) -> None:
        """Writes the next mark to all stores; the next advance finishes an interrupted one."""
        await self._marks.write(Mark(standing.installation_id, *standing.next, self._clock.now()))
        await self._change("installation/finish", lifted=lifted)

    async def _stop_or_go(self, standing: Standing) -> str | None:
        """Stops writing where a store is older than the others, and says why; else writing goes on."""
        marks = {name: mark for name, mark in (await self._marks.read()).items() if mark}
        found = aged(standing, marks) or await self._lost_tail()
        if not found:
            if standing.stopped_because:
                log.warning("the stores fit again; writing goes on")
                await self._change("installation/stop", reason=None)
            return None
        reason = f"Writing is stopped: {' '.join(one.sentence for one in found)} {REMEDY}"
        log.error(reason)
        await self._change("installation/stop", reason=reason)
        return reason

    async def _lost_tail(self) -> list[Aged]:
        """The graph, where it lacks the newest commit that was finished after the last mark: a crash came before the next one."""
        for last in await self._postgres.fetch_as_service(sql_text("installation/tail"), row=_Tail):
            if not any(await self._neo4j.read(cypher("doctor/known"), row=bool, subject_id=last.subject_id)):
                problem = f"is older than Postgres: it lacks what was written {last.done_at:%Y-%m-%d %H:%M:%S} UTC"
                return [Aged(GRAPH, problem)]
        return []


def _fresh() -> dict[str, UUID | int]:
    return {"installation_id": uuid4(), "mark_id": uuid4(), "next_generation": 1, "next_mark_id": uuid4()}
