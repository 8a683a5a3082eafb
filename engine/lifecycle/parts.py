"""Files that lie at several nodes, for readers other than the user: the passages of one node, rendered as a text.

The file's own bytes hold what lies at the other nodes, so they are opened for the user alone. Nothing is restored for a part,
and it never sleeps; neither size nor hash of the file is shown.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import IO
from uuid import UUID

from engine.domain.file_state import FileStatus
from engine.domain.names import shown_name
from engine.domain.principal import Principal
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text

PAGE = 500
MEDIA_TYPE = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file of which a reader gets the passages at one node."""

    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str

    @property
    def status(self) -> FileStatus:
        """Always active: it is rendered when it is asked for."""
        return FileStatus(self.node_id, self.file_id, "active", None, None, by_hand=False, failure=None)


@dataclass(frozen=True, slots=True)
class _Found(PartFile):
    title: str


@dataclass(frozen=True, slots=True)
class _Passage:
    place: int
    section: str
    content: str


class Parts:
    """Finds and renders parts of files."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def find(self, principal: Principal, node_id: UUID, schema: str, file_id: UUID) -> PartFile | None:
        """The file where the principal may see a part of it; None where it may see all of it or nothing."""
        parameters = {"node_id": node_id, "file_id": file_id}
        found = await self._postgres.fetch(principal, sql_in("document/part_file", schema), parameters, row=_Found)
        return replace(found[0], name=shown_name(found[0].name, found[0].title)) if found else None

    async def render(self, principal: Principal, part: PartFile, target: IO[bytes]) -> int:
        """Writes the part to `target`; its first line states that it is one. Returns its size in bytes."""
        size = target.write(f"[Part of {part.name}: only the passages that lie at this node.]\n".encode())
        headings = ""
        async for passage in self._passages(principal, part):
            heading = f"\n# {passage.section}\n" if passage.section != headings and passage.section else ""
            headings = passage.section
            size += target.write(f"{heading}\n{passage.content}\n".encode("utf-8", "replace"))
        return size

    async def _passages(self, principal: Principal, part: PartFile) -> AsyncIterator[_Passage]:
        after = 0
        while True:
            parameters = {"node_id": part.node_id, "file_id": part.file_id, "after": after, "limit": PAGE}
            page = await self._postgres.fetch(principal, sql_text("document/part_passages"), parameters, row=_Passage)
            for passage in page:
                yield passage
            if len(page) < PAGE:
                return
            after = page[-1].place
