"""The answer to a write that is repeated under its key: what its first attempt stored, whose answer was lost, comes back with
its ids. The session of the key knows the commits, and they know the records.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from engine.domain.document import DocumentChange
from engine.domain.principal import Principal
from engine.domain.report import STORED_ALREADY, IngestReport, StoredRecord
from engine.ingest.pipeline import Ingest
from engine.stores.statements import sql_text


@dataclass(frozen=True, slots=True)
class _Stored:
    source_id: str
    turns: int
    record_id: UUID
    node_id: UUID
    title: str
    file_id: UUID
    items: int
    confidence: float
    node_created: bool
    version: int | None
    kept: int
    added: int
    superseded: int

    def record(self, path: tuple[str, ...]) -> StoredRecord:
        made = {"confidence": self.confidence, "node_created": self.node_created}
        return StoredRecord(self.record_id, self.node_id, path, self.title, self.file_id, self.items, **made)  # type: ignore[arg-type]

    @property
    def documents(self) -> tuple[DocumentChange, ...]:
        """The version that it was stored as; none of what is no document."""
        if self.version is None:
            return ()
        counts = (self.kept, self.added, self.superseded)
        return (DocumentChange(self.record_id, self.node_id, self.version, self.file_id, *counts),)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier attempts of a request stored. `turns`: of each source, none of a document."""

    records: tuple[StoredRecord, ...]
    turns: Mapping[str, int]
    documents: tuple[DocumentChange, ...]


async def stored_earlier(
    ingest: Ingest, principal: Principal, session_id: UUID, now: Collection[StoredRecord]
) -> Earlier:
    """What was stored in this session beside the records of `now`; nothing once its commits are no longer kept."""
    asked, there = {"user_id": principal.user_id, "session_id": session_id}, {one.record_id for one in now}
    found = await ingest.commit.postgres.fetch_as_service(sql_text("ingest/stored"), asked, row=_Stored)
    rows = [one for one in found if one.record_id not in there]
    paths = {node.node_id: node.path for node in await ingest.nodes(principal)} if rows else {}
    records = tuple(one.record(paths.get(one.node_id, ())) for one in rows)
    documents = tuple(version for one in rows for version in one.documents)
    return Earlier(records, {one.source_id: one.turns for one in rows}, documents)


def was_stored(report: IngestReport) -> bool:
    """Whether some of it was stored before: perhaps by an earlier attempt of the same request."""
    return any(one.reason == STORED_ALREADY for one in report.skipped)


def with_earlier(report: IngestReport, earlier: Earlier) -> IngestReport:
    """The report with what earlier attempts stored, in place of the word that it is stored already."""
    records = (*earlier.records, *report.records)
    return replace(
        report,
        turns=report.turns + sum(earlier.turns.values()),
        files=report.files + sum(not turns for turns in earlier.turns.values()),
        items=report.items + sum(one.items for one in earlier.records),
        records=records,
        nodes_created=len({record.node_id for record in records if record.node_created}),
        documents=(*earlier.documents, *report.documents),
        skipped=tuple(
            one for one in report.skipped if one.reason != STORED_ALREADY or one.source_id not in earlier.turns
        ),
    )
