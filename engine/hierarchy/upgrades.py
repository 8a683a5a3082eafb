"""Node schemas of older versions, brought to the newest one in batches while they go on serving.

    outdated   the tables of the node are those of an earlier version: searched and written as before
    upgraded   they are of the newest version; each node is upgraded whole or not at all

A batch is one transaction, so an interrupted upgrade continues where it ended, and two concurrent ones share the work.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from engine.errors import NeurigraphError
from engine.progress import Progress, Silent, counted
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

BATCH = 100
PAUSE = 1.0
"""Seconds until nodes that were in use are tried again."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UpgradeReport:
    """What an upgrade did: nodes upgraded, nodes that are left because they were in use."""

    upgraded: int
    left: int


@dataclass(frozen=True, slots=True)
class _Batch:
    upgraded: int
    outdated: int


class Upgrades:
    """Upgrades the schemas of nodes; for the operator and the background."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def outdated(self) -> int:
        """How many nodes are still of an older version."""
        return (await self._batch(0)).outdated

    async def run(self, progress: Progress | None = None, *, batch: int = BATCH) -> UpgradeReport:
        """Upgrades until nothing is left, or only nodes that are in use. Raises StoreUnavailable; what was done stays."""
        progress = progress or Silent()
        upgraded, left = 0, await self.outdated()
        if not left:
            return UpgradeReport(0, 0)
        progress.start("upgrade", left, "nodes")
        while left:
            done = await self._batch(batch)
            upgraded, left = upgraded + done.upgraded, done.outdated
            progress.advance("upgrade", done.upgraded)
            if not done.upgraded:
                break
        progress.finish("upgrade", f"{counted(upgraded, 'node')} upgraded" + (f", {left:,} in use" if left else ""))
        return UpgradeReport(upgraded, left)

    async def run_quietly(self) -> None:
        """For the background: retries until every node is upgraded, also when nodes are in use or a store is down."""
        while True:
            try:
                if (await self.run()).left == 0:
                    return
            except NeurigraphError as error:
                log.warning("the upgrade of node schemas will try again: %s", error.detail)
            await asyncio.sleep(PAUSE)

    async def _batch(self, most: int) -> _Batch:
        parameters = {"nodes": None, "most": most}
        [done] = await self._postgres.fetch_as_service(sql_text("node/upgrade"), parameters, row=_Batch)
        return done
