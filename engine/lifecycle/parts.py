"""Files that are rendered as a text: those that lie at several nodes, for readers other than the user, with the passages of one
node; and those of which a turn or a passage was changed or ended by hand, for everybody, with what holds now.

The first's own bytes hold what lies at the other nodes, so they are opened for the user alone; the second's hold what was
corrected, or deleted. Nothing is restored for a rendered file, and it never sleeps; neither size nor hash of the file is shown.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from engine.domain.file_state import FileStatus
from engine.domain.names import shown_name
from engine.domain.principal import Principal
from engine.domain.shown import ShownPassage, changed, rendered
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text

PAGE = 500
MEDIA_TYPE = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file of which a reader gets the passages at one node, or what holds of them."""

    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str
    shown: tuple[ShownPassage, ...] = ()
    """What holds and what does not, where a passage was changed by hand; without them the passages of the node."""

    @property
    def status(self) -> FileStatus:
        """Always active: it is rendered when it is asked for."""
        return FileStatus(self.node_id, self.file_id, "active", None, None, by_hand=False, failure=None)


@dataclass(frozen=True, slots=True)
class _Found:
    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class _Passage:
    place: int
    section: str
    content: str


class FileParts:
    """Finds and renders parts of files."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def find(self, principal: Principal, node_id: UUID, schema: str, file_id: UUID) -> PartFile | None:
        """The file where the principal may see a part of it; None where it may see all of it or nothing."""
        parameters = {"node_id": node_id, "file_id": file_id}
        found = await self._postgres.fetch(principal, sql_in("document/part_file", schema), parameters, row=_Found)
        if not found:
            return None
        one = found[0]
        return PartFile(one.node_id, one.file_id, one.record_id, shown_name(one.name, one.title))

    async def reworded(self, principal: Principal, record_id: UUID, node_id: UUID) -> tuple[ShownPassage, ...]:
        """What the input of a record, with the other parts of a document, says now; nothing where that is what came in."""
        parameters = {"record_id": record_id, "node_id": node_id, "parts": True, "now": None}
        found = await self._postgres.fetch(principal, sql_text("record/passages"), parameters, row=ShownPassage)
        return tuple(found) if changed(found) else ()

    async def render(self, principal: Principal, part: PartFile, target: IO[bytes]) -> int:
        """Writes the part to `target`; its first line states what it is. Returns its size in bytes."""
        if part.shown:
            return target.write(rendered(part.shown).encode("utf-8", "replace"))
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
