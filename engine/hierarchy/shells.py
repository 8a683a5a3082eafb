"""Reads of shells, anchors, edges and node metadata. They need no file.

Archived nodes take no writes: that is checked before a change of their contents, their edges or their place. New records and
children are refused by the database itself, with their commit (engine.refuse_archived).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.clock import NOW, Clock, Moment
from engine.domain.names import clean_name, name_key, shown_name
from engine.domain.node import (
    Anchor,
    ChildNode,
    EdgePlace,
    MetadataPage,
    RecordDay,
    RecordMetadata,
    RegisteredEdge,
    Shell,
    TreeNode,
)
from engine.domain.principal import Principal
from engine.domain.read_limits import MOST, check_page
from engine.errors import Archived, InvalidInput, NotFound
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_in, sql_text

MANIFEST_LINES = 50
MOST_EDGES = 1000
MOST_TOUCHED = 1000
MOST_ANCHORS = 200
MOST_NODES = 10_000
FIRST = ("", "")
"""Before the first child: no name is empty."""


async def require_unarchived(postgres: Postgres, principal: Principal, *nodes: UUID) -> None:
    """Raises Archived where one of the nodes is archived, of those that the principal may read."""
    [archived] = await postgres.fetch(principal, sql_text("node/archived"), {"nodes": list(nodes)}, row=bool)
    if archived:
        raise Archived


@dataclass(frozen=True, slots=True)
class _Touchable:
    id: UUID
    is_item: bool


class Shells:
    """Reads of the live layers; `engine.operations.nodes` and `edges` say what each call returns."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, clock: Clock) -> None:
        self._postgres, self._neo4j, self._clock = postgres, neo4j, clock

    async def shell(self, principal: Principal, node_id: UUID, moment: Moment = NOW) -> Shell:
        shell = await self._shell(principal, node_id, moment, MANIFEST_LINES)
        named = (replace(one, file_name=shown_name(one.file_name, one.title)) for one in shell.manifest)
        return replace(shell, manifest=tuple(named))

    async def children(
        self, principal: Principal, node_id: UUID, moment: Moment, *, after: tuple[str, UUID] | None, limit: int
    ) -> tuple[ChildNode, ...]:
        check_page(limit)
        last = FIRST if after is None else (after[0], str(after[1]))
        return (await self._shell(principal, node_id, moment, 0, limit, last)).children

    async def tree(self, principal: Principal, moment: Moment, depth: int) -> tuple[TreeNode, ...]:
        """All nodes of the user's graph down to a layer, parents first, at most 10,000. Raises NotFound for anyone else."""
        known = self._known(principal, moment)
        nodes = await self._neo4j.read(cypher("node/tree"), row=TreeNode, **known, depth=depth, limit=MOST_NODES)
        if not nodes:
            raise NotFound
        return tuple(nodes)

    async def timeline(self, principal: Principal, *, skip: int, limit: int) -> tuple[RecordDay, ...]:
        check_page(limit)
        page = {"skip": skip, "limit": limit}
        return tuple(await self._neo4j.read(cypher("node/timeline"), row=RecordDay, **principal.parameters, **page))

    async def _shell(
        self,
        principal: Principal,
        node_id: UUID,
        moment: Moment,
        entries: int,
        children: int = MOST,
        after: tuple[str, str] = FIRST,
    ) -> Shell:
        parameters = {"node_id": str(node_id), "entries": entries, "children": children, "children_after": list(after)}
        known = self._known(principal, moment)
        return only(await self._neo4j.read(cypher("node/shell"), row=Shell, **known, **parameters))

    async def anchors(
        self, principal: Principal, name: str, moment: Moment = NOW, *, skip: int = 0, limit: int = MOST_ANCHORS
    ) -> tuple[Anchor, ...]:
        check_page(limit)
        parameters = {"key": name_key(clean_name(name)), "skip": skip, "limit": limit}
        known = self._known(principal, moment)
        return tuple(await self._neo4j.read(cypher("node/anchors_by_name"), row=Anchor, **known, **parameters))

    async def edges(
        self, principal: Principal, moment: Moment = NOW, *, after: EdgePlace | None = None, limit: int = MOST_EDGES
    ) -> tuple[RegisteredEdge, ...]:
        check_page(limit, MOST_EDGES)
        last = [str(part) for part in after] if after else [""] * 4
        known = self._known(principal, moment)
        edges = await self._neo4j.read(cypher("edge/of_user"), row=RegisteredEdge, **known, limit=limit, after=last)
        return tuple(edges)

    async def metadata(
        self, principal: Principal, node_id: UUID, *, limit: int, cursor: str | None, moment: Moment = NOW
    ) -> MetadataPage:
        check_page(limit)
        before_time, before_id = _decoded(cursor)
        schema = await self.schema_of(principal, node_id, moment)
        page = {"node_id": node_id, "before_time": before_time, "before_id": before_id, "limit": limit + 1}
        page |= moment.parameters(self._clock.now())
        found = await self._postgres.fetch(principal, sql_in("record/page", schema), page, row=RecordMetadata)
        records = tuple(replace(one, file_name=shown_name(one.file_name, one.title)) for one in found[:limit])
        last = records[-1] if len(found) > limit else None
        return MetadataPage(records, _encoded(last.created_at, last.record_id) if last else None)

    async def readable(self, principal: Principal, node_id: UUID, ids: Sequence[UUID]) -> dict[UUID, bool]:
        """Which of these ids are items (True) and records (False) of the node.

        Raises NotFound, also for an id that the principal may not read there; InvalidInput for more ids than one page has.
        """
        if len(ids) > MOST_TOUCHED:
            raise InvalidInput(f"At most {MOST_TOUCHED} ids are touched at once.")
        schema = await self.schema_of(principal, node_id)
        touchable = sql_in("search/touchable", schema)
        found = await self._postgres.fetch(principal, touchable, {"ids": list(ids)}, row=_Touchable)
        if {one.id for one in found} != set(ids):
            raise NotFound
        return {one.id: one.is_item for one in found}

    async def schema_of(self, principal: Principal, node_id: UUID, moment: Moment = NOW) -> str:
        """The schema of a node that the principal may read as of the moment. Raises NotFound."""
        parameters = {"node_id": node_id, "user_id": principal.user_id, "earliest": moment.earliest}
        return only(await self._postgres.fetch(principal, sql_text("node/schema"), parameters, row=str))

    async def writable_schema_of(self, principal: Principal, node_id: UUID) -> str:
        """The same of a node that takes writes; raises Archived, too."""
        schema = await self.schema_of(principal, node_id)
        await self.require_unarchived(principal, node_id)
        return schema

    async def require_unarchived(self, principal: Principal, node_id: UUID) -> None:
        await require_unarchived(self._postgres, principal, node_id)

    def _known(self, principal: Principal, moment: Moment) -> dict[str, Any]:
        """The parameters that say for whom, and as of when, the graph is read."""
        return {**principal.parameters, **moment.graph_parameters(self._clock.now())}


def _encoded(created_at: datetime, record_id: UUID) -> str:
    return base64.urlsafe_b64encode(json.dumps([created_at.isoformat(), str(record_id)]).encode()).decode()


def _decoded(cursor: str | None) -> tuple[datetime | None, UUID | None]:
    if cursor is None:
        return None, None
    try:
        created_at, record_id = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        return datetime.fromisoformat(created_at), UUID(record_id)
    except (ValueError, TypeError, binascii.Error, AttributeError) as error:
        raise InvalidInput("The cursor is invalid.") from error
