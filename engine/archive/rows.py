"""Rows of a user as lines of JSON, page by page. The owner's are read as the owner; a few tables that no request may read are
read by the service, for the owner alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from engine.archive.catalogue import RowMember
from engine.domain.principal import Principal
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_of, sql_text

NODES = 200
FILES = 500
NO_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class _Row:
    line: str
    place: str


@dataclass(frozen=True, slots=True)
class NodePlace:
    """A node, and the schema with its tables."""

    node_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class ArchivedObject:
    """Where the bytes of a file lie."""

    file_id: UUID
    record_id: UUID
    node_id: UUID
    object_key: str
    packed: bool
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines as they stand in a member, each with its end."""

    content: bytes
    number: int


class TableColumns:
    """The columns of tables, each asked for once."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._known: dict[str, tuple[str, ...]] = {}

    async def of(self, member: RowMember) -> tuple[str, ...]:
        """All columns of a member's table that are stored, in their order."""
        place = f"{'template' if member.of_nodes else 'engine'}.{member.table}"
        if place not in self._known:
            found = await self._postgres.fetch_as_service(sql_text("archive/columns"), {"place": place}, row=str)
            self._known[place] = tuple(found)
        return self._known[place]


class ArchiveRows:
    """The rows that a principal may read in the graph of a user."""

    def __init__(self, postgres: Postgres, principal: Principal) -> None:
        self._postgres, self._principal = postgres, principal

    @cached_property
    def columns(self) -> TableColumns:
        return TableColumns(self._postgres)

    async def nodes(self) -> AsyncIterator[NodePlace]:
        """The nodes that the principal may read, by their ids."""
        after = NO_ID
        while True:
            asked = {"user_id": self._principal.user_id, "after": after, "limit": NODES}
            page = await self._postgres.fetch(self._principal, sql_text("archive/nodes"), asked, row=NodePlace)
            for node in page:
                yield node
            if len(page) < NODES:
                return
            after = page[-1].node_id

    async def member(self, member: RowMember, *, computed: bool = False) -> AsyncIterator[Lines]:
        """The lines of a member; `computed`: those of its columns that are computed from the others."""
        columns = await self.columns.of(member)
        elsewhere = (*member.left, *member.apart)
        shown = [*member.key, *member.apart] if computed else [one for one in columns if one not in elsewhere]
        async for lines in self.lines(member, shown):
            yield lines

    async def lines(self, member: RowMember, shown: Sequence[str]) -> AsyncIterator[Lines]:
        """The lines of a member with these columns alone."""
        if member.of_nodes:
            async for node in self.nodes():
                asked = {"node_id": node.node_id}
                async for lines in self._pages(member, "archive/rows_of_node", node.schema_name, shown, asked):
                    yield lines
            return
        asked = {"user_id": self._principal.user_id}
        async for lines in self._pages(member, f"archive/rows_of_{member.whose}", "engine", shown, asked):
            yield lines

    async def of_part(
        self, member: RowMember, shown: Sequence[str], node: NodePlace | None, ids: Sequence[str] | None
    ) -> AsyncIterator[Lines]:
        """The lines of a member that belong to what has these ids; in the tables of one node also all of them."""
        if node is None:
            asked: dict[str, Any] = {"user_id": self._principal.user_id, "ids": ids}
            pages = self._pages(member, "archive/rows_of_part", "engine", shown, asked)
        elif ids is None:
            pages = self._pages(member, "archive/rows_of_node", node.schema_name, shown, {"node_id": node.node_id})
        else:
            asked = {"node_id": node.node_id, "ids": ids}
            pages = self._pages(member, "archive/rows_of_node_part", node.schema_name, shown, asked)
        async for lines in pages:
            yield lines

    async def _pages(
        self, member: RowMember, name: str, schema: str, shown: Sequence[str], asked: Mapping[str, Any]
    ) -> AsyncIterator[Lines]:
        statement = sql_of(
            name, schema=schema, table=member.table, columns=shown, key=member.key, part=member.part or member.key
        )
        after: str | None = None
        while True:
            parameters = {**asked, "after": after, "limit": member.page}
            if member.by == "service":
                rows = await self._postgres.fetch_as_service(statement, parameters, row=_Row)
            else:
                rows = await self._postgres.fetch(self._principal, statement, parameters, row=_Row)
            if rows:
                yield Lines("".join(f"{row.line}\n" for row in rows).encode(), len(rows))
                after = rows[-1].place
            if len(rows) < member.page:
                return

    async def objects(self) -> AsyncIterator[ArchivedObject]:
        """Where the bytes of the files lie that the principal may read; one may come twice."""
        async for node in self.nodes():
            async for one in self._objects(
                sql_in("archive/files_of_node", node.schema_name), {"node_id": node.node_id}
            ):
                yield one
        if self._principal.owns:
            async for one in self._objects(sql_text("archive/inputs"), {"user_id": self._principal.user_id}):
                yield one

    async def _objects(self, statement: Any, asked: Mapping[str, Any]) -> AsyncIterator[ArchivedObject]:
        after = NO_ID
        while True:
            parameters = {**asked, "after": after, "limit": FILES}
            page = await self._postgres.fetch(self._principal, statement, parameters, row=ArchivedObject)
            for one in page:
                yield one
            if len(page) < FILES:
                return
            after = page[-1].file_id
