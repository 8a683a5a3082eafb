"""Nodes whose tables are damaged: found when a statement failed, noted so that readiness and the doctor report them.

Nothing here runs without such a failure. The damaged nodes are found in the catalog; where it shows nothing, each node is
read by itself. A principal is shown only nodes that it may read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar
from uuid import UUID

from engine.domain.node import LeftOut
from engine.domain.principal import Principal
from engine.errors import StoreDamaged
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

T = TypeVar("T")


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
