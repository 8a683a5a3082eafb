"""The installation that three stores form: marked at the first start, compared at every other, renewed while there are writes.

belongs   every store carries the id of this installation; another one is refused by name, or adopted by hand
fits      every store carries the newest generation; else writing stops and reads go on
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.errors import NeurigraphError, StoresDoNotBelong, StoreUnavailable
from engine.lifecycle.installation.marks import COLD, GRAPH, OBJECTS, REMEDY, Aged, Mark, Marks, Standing, aged
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, is_ours
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

INTERVAL = 10.0
"""Seconds between two looks whether there were writes to mark."""
CLOSING = 5.0
"""Seconds that the last mark may take."""
ADOPT = "Correct the address, or run `neurigraph mend --adopt` if this store is meant to belong here from now on."

log = logging.getLogger(__name__)


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
