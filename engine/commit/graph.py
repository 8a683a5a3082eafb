"""The graph's part of a commit: all its changes in one transaction, in their order, or none; and a stored record as the graph is
to have it, made again from its rows, for records that the graph has lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import LiteralString
from uuid import UUID, uuid4

from engine.commit.changes import OF_KIND, GraphChange, Json, RecordRevised, RecordsEntered, is_change, parameters
from engine.domain.graph import DocumentFile, ManifestLine, RecordRevision, RecordSlice
from engine.errors import CommitWaits, Conflict, InvalidInput, StoreFailed
from engine.stores.neo4j import STORE, Complete, Neo4j
from engine.stores.statements import cypher, cypher_together

TOGETHER = tuple(kind for kind in OF_KIND.values() if kind.of_records)
"""What the commit of a record changes, in one statement. What changes some of these takes the same, with nothing for the others:
the graph plans a statement of this size for seconds."""
Restated = tuple[RecordsEntered | RecordRevised, ...]
"""The line of a record and, where it was ever changed, its changes; nothing of one that is not there."""


async def apply(neo4j: Neo4j, changes: Sequence[Json], *, partly: bool = False) -> None:
    """Applies stored changes; `partly`: those whose shells are there, too, where others are missing.

    Raises StoreUnavailable, CommitWaits where a shell is missing, StoreFailed for what is refused.
    """
    if not changes or not all(map(is_change, changes)):
        raise StoreFailed(STORE, "The changes of this commit are damaged, or a newer release wrote them.")

    def complete(rows: Sequence[list[object]]) -> bool:
        return partly or all(_applied(own) >= _wanted(change) for own, change in zip(rows, changes, strict=True))

    try:
        whole = await _written(neo4j, changes, complete)
    except (Conflict, InvalidInput) as error:
        # The content is accepted: an error of the graph is not one of the request.
        raise StoreFailed(STORE, f"The {STORE} refused this write; it is tried again. ({error.detail})") from error
    if not whole:
        raise CommitWaits(STORE)


async def _written(neo4j: Neo4j, changes: Sequence[Json], complete: Complete) -> bool:
    """Writes them: what a record's commit changes in one statement, anything else in a transaction."""
    kinds = [OF_KIND[change["kind"]] for change in changes]
    given = dict(zip(kinds, map(parameters, changes), strict=True))
    if len(changes) == 1 or kinds != [kind for kind in TOGETHER if kind in given]:
        statements = [(cypher(kind.statement), parameters(change)) for kind, change in zip(kinds, changes, strict=True)]
        return await neo4j.write_all(statements, complete)
    filled = [given.get(kind, {fields(kind)[0].name: []}) for kind in TOGETHER]
    [applied] = await neo4j.write(_together(TOGETHER), row=list, changes=filled)
    return complete([[one] for kind, one in zip(TOGETHER, applied, strict=True) if kind in given])


async def rehearse(neo4j: Neo4j, kinds: Sequence[type[GraphChange]], limit: float) -> None:
    """Has the graph plan what applies changes of these kinds, of a user who does not exist; nothing is written. A list has one
    entry: the graph plans again for another size, by powers of ten. Raises StoreUnavailable."""
    unknown = dict.fromkeys(("user_id", "parent_id"), str(uuid4()))
    changes = [{fields(kind)[0].name: [unknown] if kind.of_records else unknown} for kind in kinds]
    if len(kinds) == 1:
        await neo4j.rehearse(cypher(kinds[0].statement), changes[0], limit)
    else:
        await neo4j.rehearse(_together(kinds), {"changes": changes}, limit)


def _together(kinds: Sequence[type[GraphChange]]) -> LiteralString:
    return cypher_together(tuple((kind.statement, fields(kind)[0].name) for kind in kinds))


def _applied(rows: list[object]) -> int:
    """How many rows a statement applied: the id of each, or their number in one row."""
    return rows[0] if rows and isinstance(rows[0], int) else len(rows)


def _wanted(change: Json) -> int:
    [value] = parameters(change).values()
    return len(value) if isinstance(value, list) else 1


@dataclass(frozen=True, slots=True)
class RestatedSlice:
    """A slice of a record beside the record's own columns and the newest version of a document."""

    record_id: UUID
    commit_id: UUID
    content_type: str
    source_id: str
    privacy: str
    revision: int
    created_at: datetime
    file_id: UUID | None
    file_name: str | None
    items: int
    slice_id: UUID
    title: str
    occurred_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime
    known_to: datetime | None
    version: int | None
    version_file_id: UUID | None
    version_file_name: str | None


def restated(slices: Sequence[RestatedSlice], node_id: UUID, user_id: UUID) -> Restated:
    """The changes that enter a record again, from its slices as `record/restated` returns them."""
    if not slices:
        return ()
    own, *others = slices
    line = ManifestLine(
        record_id=own.record_id,
        user_id=user_id,
        node_id=node_id,
        commit_id=own.commit_id,
        title=own.title,
        content_type=own.content_type,
        source_id=own.source_id,
        file_id=own.file_id,
        file_name=own.file_name,
        occurred_at=own.occurred_at,
        items=own.items,
        privacy=own.privacy,
        known_from=own.created_at,
        valid_from=own.valid_from,
    )
    if own.revision == 1:
        return (RecordsEntered([line]),)
    document = None
    if own.version and own.version_file_id and own.version_file_name:
        document = DocumentFile(own.version, own.version_file_id, own.version_file_name)
    revision = RecordRevision(
        record_id=own.record_id,
        node_id=node_id,
        user_id=user_id,
        revision=own.revision,
        own=_slice(own) if own.known_to is None else None,
        closed=(),
        closed_at=own.known_to,
        added=[_slice(one) for one in others],
        items=own.items,
        document=document,
    )
    return RecordsEntered([line]), RecordRevised(revision)


def _slice(one: RestatedSlice) -> RecordSlice:
    return RecordSlice(
        slice_id=one.slice_id,
        title=one.title,
        occurred_at=one.occurred_at,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        known_from=one.known_from,
        known_to=one.known_to,
    )
