"""Sources into the pipeline: what writes of records and ingests of many sources have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from engine.domain.ingest import Terms
from engine.domain.record import AssignableNode, IngestReport, TriggerType
from engine.domain.scope import check_scopes
from engine.errors import InvalidInput, NotFound
from engine.ingest.sources import Ingested, Pending
from engine.operations.caller import Caller
from engine.privacy.redact import total
from engine.progress import Progress


async def stored(
    caller: Caller, pending: Sequence[Pending], trigger: TriggerType, progress: Progress, terms: Terms | None = None
) -> IngestReport:
    """Runs the pipeline over these sources. The caller's key is that of the session."""
    for one in pending:
        check_scopes(caller.principal, [one.origin.scope])
    terms = terms or caller.terms
    terms = replace(terms, key=caller.key or terms.key)
    node = pending[0].node if pending else None
    async with caller.naming(node.node_id if node else None):
        done = await caller.parts.ingest.store(caller.principal, pending, progress, trigger, terms)
    return _report(caller.principal.user_id, done)


async def named_node(caller: Caller, node_id: UUID | None) -> AssignableNode | None:
    """The node that a writer names; None lets the content decide. Raises NotFound, Archived, InvalidInput."""
    if node_id is None:
        if not caller.principal.owns:
            raise InvalidInput("Only the user of a memory may store without naming a node.")
        return None
    for node in await caller.parts.ingest.nodes(caller.principal):
        if node.node_id == node_id:
            return node
    await caller.parts.shells.writable_schema_of(caller.principal, node_id)
    raise NotFound


def _report(user_id: UUID, done: Ingested) -> IngestReport:
    records = tuple(record for commit in done.stored for record in commit.records)
    return IngestReport(
        user_id=user_id,
        turns=sum(commit.turns for commit in done.stored),
        files=sum(commit.documents for commit in done.stored),
        items=sum(record.items for record in records),
        records=records,
        nodes_created=len({record.node_id for record in records if record.node_created}),
        edges_created=0,
        skipped=done.skipped,
        redacted=dict(total(commit.redacted for commit in done.stored)),
        extraction=done.extraction,
        session_id=done.session_id,
        embeddings_pending=sum(record.embedding_pending for record in records),
        readings_pending=sum(record.reading_pending for record in records),
        left_out=done.left_out,
        documents=tuple(version for commit in done.stored for version in commit.versions),
    )
