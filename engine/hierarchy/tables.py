"""The tables of nodes: those of an earlier release, brought to the newest version before an engine serves, so that nothing else
knows others; and damaged ones, found when a statement failed, noted so that readiness and the doctor report them.

A page of upgrades is one transaction and each node is upgraded whole or not at all, so an interrupted upgrade goes on where
it ended. Damaged nodes are found in the catalog; where it shows nothing, each node is read by itself. A principal is shown
only nodes that it may read.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar
from uuid import UUID

from engine.domain.node import LeftOut
from engine.domain.principal import Principal
from engine.errors import MigrationError, StoreDamaged
from engine.progress import Progress, Silent, counted
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

T = TypeVar("T")

PAGE = 100
PAUSE, PATIENCE = 1.0, 60.0
"""Seconds until nodes that were in use are tried again, and for how long."""

log = logging.getLogger(__name__)


class Damage:
    """Finds and notes damaged nodes."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def found(
        self,
        principal: Principal,
        nodes: Sequence[UUID] | None,
        *,
        rows: bool = False,
        vector: str | None = None,
        version: str = "",
    ) -> tuple[LeftOut, ...]:
        """The damaged ones of these nodes (None: of all in the graph) that the principal may read, with the reason.

        `rows`: where the catalog finds nothing, each node is read, its vectors compared with `vector` of that version, as
        text. Raises StoreUnavailable, StoreDamaged where the store itself lacks a function.
        """
        compared = {"rows": rows, "query": vector, "version": version}
        parameters = {"user_id": principal.user_id, "nodes": None if nodes is None else list(nodes), **compared}
        found = tuple(await self._postgres.fetch(principal, sql_text("damage/nodes"), parameters, row=LeftOut))
        if found:
            await self._note(found)
        return found

    async def without(
        self, principal: Principal, nodes: Iterable[UUID], read: Callable[[list[UUID]], Awaitable[Sequence[T]]]
    ) -> Sequence[T]:
        """What is read at these nodes, without the damaged ones; nothing where it is not clear which these are."""
        asked = list(dict.fromkeys(nodes))
        try:
            return await read(asked) if asked else ()
        except StoreDamaged:
            damaged = {one.node_id for one in await self.found(principal, asked)}
        rest = [node for node in asked if node not in damaged]
        return await read(rest) if rest and damaged else ()

    async def known(self) -> int:
        """How many nodes are known to be damaged and still are. Raises StoreUnavailable."""
        return sum(await self._postgres.fetch_as_service(sql_text("damage/known"), row=int))

    async def _note(self, found: Sequence[LeftOut]) -> None:
        parameters = {"nodes": [one.node_id for one in found], "reasons": [one.reason for one in found]}
        await self._postgres.change_as_service(sql_text("damage/note"), parameters)


@dataclass(frozen=True, slots=True)
class UpgradeReport:
    """What an upgrade did: nodes upgraded, and nodes whose tables could not be, which are damaged."""

    upgraded: int
    damaged: int


@dataclass(frozen=True, slots=True)
class _Upgraded:
    node_id: UUID
    failure: str | None


class Upgrades:
    """Upgrades the tables of nodes, for the start of an engine."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def run(
        self, progress: Progress | None = None, *, page: int = PAGE, patience: float = PATIENCE
    ) -> UpgradeReport:
        """Upgrades all nodes. One that cannot be stays as it is, a finding of the doctor; the log says why.

        Raises MigrationError where another process uses a node for longer than `patience` seconds, StoreUnavailable; what was
        done stays.
        """
        left = await self.older()
        if not left:
            return UpgradeReport(0, 0)
        progress = progress or Silent()
        progress.start("upgrade", left, "nodes")
        end, upgraded, damaged = monotonic() + patience, 0, 0
        while left > damaged:
            done = await self._round(progress, page)
            upgraded, damaged, left = upgraded + done["upgraded"], done["damaged"], await self.older()
            if left > damaged and not done["upgraded"]:
                if monotonic() > end:
                    used = counted(left - damaged, "node")
                    raise MigrationError(f"Another process uses {used} of an older release. Stop it, and start again.")
                await asyncio.sleep(PAUSE)
        progress.finish("upgrade", f"{counted(upgraded, 'node')} upgraded")
        return UpgradeReport(upgraded, damaged)

    async def older(self) -> int:
        """How many nodes have tables of an older version. Raises StoreUnavailable."""
        [nodes] = await self._postgres.fetch_as_service(sql_text("node/older"), row=int)
        return nodes

    async def _round(self, progress: Progress, page: int) -> Counter[str]:
        """Tries each node once; how many were upgraded, and how many are damaged. Others are in use."""
        done: Counter[str] = Counter()
        after = UUID(int=0)
        while True:
            asked = {"after": after, "most": page}
            tried = await self._postgres.fetch_as_service(sql_text("node/upgrade"), asked, row=_Upgraded)
            for one in tried:
                done["upgraded"] += one.failure is None
                if one.failure:
                    done["damaged"] += 1
                    log.warning("the tables of node %s cannot be upgraded: %s", one.node_id, one.failure)
            progress.advance("upgrade", sum(one.failure is None for one in tried))
            if len(tried) < page:
                return done
            after = tried[-1].node_id
