"""The tables of nodes of an earlier release, brought to the newest version before an engine serves; nothing else knows others.

A page is one transaction and each node is upgraded whole or not at all, so an interrupted upgrade goes on where it ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from engine.errors import MigrationError
from engine.progress import Progress, Silent, counted
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

PAGE = 100
PAUSE, PATIENCE = 1.0, 60.0
"""Seconds until nodes that were in use are tried again, and for how long."""

log = logging.getLogger(__name__)


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
