"""Runs derivations: the loop over the nodes that wait, the derivations of a job one after the other, and versions that rose.

    due nodes, page by page → one page of a node made, with how far it is → next page, or struck off → next node

A node at which it fails keeps the reason and is tried again by the next run; the others are made. Where a store or a service
does not answer, the run of this derivation ends, and the others of the job go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.derive.derivation import ByItself, ByNode, Counts, Derivation, Maker
from engine.derive.means import Means
from engine.errors import (
    CommitWaits,
    EmbeddingsChanged,
    NeurigraphError,
    ProviderUnavailable,
    StoreUnavailable,
)
from engine.stores.postgres import Postgres

log = logging.getLogger(__name__)

SILENT = (StoreUnavailable, ProviderUnavailable, EmbeddingsChanged)


class Derivations:
    """Makes what is due, for the service."""

    def __init__(self, catalogue: Sequence[Derivation], means: Means) -> None:
        self.catalogue, self.means = catalogue, means

    async def run(self, name: str) -> Counts:
        """One run of one derivation, with what waits after it. Raises what its services raise; what was made stays."""
        [derivation] = [one for one in self.catalogue if one.name == name]
        if isinstance(derivation.made, ByItself):
            counts = await derivation.made.run(self.means)
        else:
            counts = await _Nodes(self.means, derivation.name, derivation.made).run()
        return Counter({**counts, "waiting": await self.waiting(name)})

    async def of_job(self, job: str) -> Counts:
        """One run of each derivation of a job; where there are several, each with its counts under its name: `chains_entered`.
        One that fails does not stop the others; its failure is raised after them."""
        counts, failures = dict[str, int](), list[NeurigraphError]()
        names = [one.name for one in self.catalogue if one.job == job]
        for name in names:
            own = f"{name}_" if len(names) > 1 else ""
            try:
                counts |= {f"{own}{what}": count for what, count in (await self.run(name)).items()}
            except NeurigraphError as error:
                log.warning("What is derived as %s is made later: %s", name, error.detail)
                failures.append(error)
        if failures:
            raise failures[0]
        return counts

    async def waiting(self, name: str) -> int:
        """For how many nodes or records something is due. Raises StoreUnavailable."""
        return sum(one.waiting for one in await due.waiting(self.means.postgres) if one.derivation == name)


class _Nodes:
    """One run over the nodes for which a derivation is due."""

    def __init__(self, means: Means, name: str, made: ByNode) -> None:
        self._postgres, self._name, self._made = means.postgres, name, made
        self._maker: Maker = made.maker(means)
        self._ends = monotonic() + made.seconds
        self._counts = Counter[str]()

    async def run(self) -> Counts:
        async for node in due.due_nodes(self._postgres, self._name):
            try:
                if not await self._node(node):
                    break
            except NeurigraphError as error:
                await due.failed(self._postgres, node, error.detail)
                if isinstance(error, SILENT) and not isinstance(error, CommitWaits):
                    raise
                self._counts["failed"] += 1
        return self._counts

    async def _node(self, node: DueNode) -> bool:
        """All pages of a node, as far as the time lasts; whether there is time for another node."""
        while True:
            started = monotonic()
            made = await self._maker.page(node)
            if made is None:
                return False
            self._counts.update(made.counts)
            if made.after is None:
                break
            node = replace(node, after=made.after)
            await asyncio.sleep((monotonic() - started) * (1 / self._made.duty - 1))
            if monotonic() > self._ends:
                return False
        if not made.waits:
            async with self._postgres.as_service() as connection:
                self._counts["settled"] += await due.settle(connection, node)
                await due.note_needing(connection, node)
        return monotonic() < self._ends


async def raised(postgres: Postgres, catalogue: Sequence[Derivation]) -> None:
    """Notes all nodes for what has a higher version than the stores know, and keeps that version; in one step."""
    versions = {one.name: one.version for one in catalogue}
    needs = [" ".join(one.needs) for one in catalogue]
    await due.raised(postgres, versions, needs, [one.name for one in catalogue if isinstance(one.made, ByNode)])
