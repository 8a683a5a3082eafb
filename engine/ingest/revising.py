"""The next version of a document: what changed is embedded and stored, what stayed keeps its id and its vector.

    newest version → split → match by hash → describe → embed what is new → file → one transaction → graph

Everything is decided before the transaction from the newest version; the transaction refuses (Conflict) when that is no
longer the newest. The document stays where it is, whatever the new text would be assigned to: of one that spans several
nodes each part is renewed, and a new chunk goes to the part of the chunk before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from itertools import accumulate, pairwise
from typing import Any, Protocol
from uuid import UUID, uuid4, uuid5

from engine.domain.document import (
    Ending,
    Matched,
    NewVersion,
    RecordRenewal,
    Renewed,
    allotted,
    chunk_hash,
    matched,
    parted,
)
from engine.domain.principal import Principal
from engine.domain.record import (
    AssignableNode,
    EmbeddedRecord,
    ItemDraft,
    RecordDraft,
    Skipped,
    SourceAdvance,
    StoredRecord,
)
from engine.errors import EmbeddingsChanged, NodeOutdated, NotFound, VersionRefused
from engine.hierarchy.outbox import Commit
from engine.hierarchy.outdated import upgrade
from engine.ingest.cleaning import fingerprint
from engine.ingest.commit import RecordCommit, Row, StoredFile
from engine.ingest.derived import whole_fact
from engine.ingest.describe import describe
from engine.ingest.drafted import ChangedDocument, Stored
from engine.ingest.drafts import document_draft
from engine.ingest.limits import IngestLimits
from engine.ingest.passages import Passages
from engine.ingest.received import note_received
from engine.ingest.sessions import STORED_ALREADY
from engine.ingest.shared import part
from engine.ingest.splitting import chunks
from engine.ingest.versions import change_of, version_row
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Vectors
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text

NOT_HERE = "Its earlier version lies where nothing can be stored now."
ENDED = "It was ended by hand; a new version does not bring it back."
NARROWER = "Its earlier version is for more readers, or belongs elsewhere; a version belongs where its document does."


VersionNote = Callable[[Connection, UUID, Sequence[NewVersion], Sequence[UUID]], Awaitable[None]]
"""What whoever asked adds to the transaction: the version of each part, and the chunks that they end."""


class RecordRenewals(Protocol):
    """Renews the record of a document inside a transaction; see `engine.history.renewal`."""

    async def ending(self, connection: Connection, schema: str, items: Sequence[UUID]) -> list[Ending]:
        """The chunks that are to end, locked."""

    async def derived(self, connection: Connection, schema: str, record_id: UUID) -> tuple[list[Ending], list[Ending]]:
        """What was derived from the record, locked: what has words, and what holds a whole input."""

    async def renew(
        self, connection: Connection, principal: Principal, model: Model, renewal: RecordRenewal
    ) -> Renewed | None:
        """Slices and delta of the record; None, with nothing written, where it holds no longer."""

    async def supersede(
        self, connection: Connection, principal: Principal, renewal: RecordRenewal, items: Sequence[Ending], known: Any
    ) -> None:
        """Ends chunks, with their deltas."""


@dataclass(frozen=True, slots=True)
class _Work:
    """The version of one part on its way in: its draft with the ids of what stayed, which items are new, what is to end."""

    changed: ChangedDocument
    head: Row
    draft: RecordDraft
    match: Matched
    version: NewVersion
    commit_id: UUID

    @property
    def fresh(self) -> tuple[ItemDraft, ...]:
        """The items that were not there before."""
        return tuple(item for item, place in zip(self.draft.items, self.match.places, strict=True) if place is None)


class Revisions:
    """Stores new versions of documents."""

    def __init__(
        self, commit: RecordCommit, renewals: RecordRenewals, active: ActiveModel, limits: IngestLimits
    ) -> None:
        self.commit, self._renewals, self._active, self._limits = commit, renewals, active, limits
        self._postgres, self._outbox, self._reached = commit.postgres, commit.outbox, commit.reached

    async def store(
        self, principal: Principal, changed: ChangedDocument, nodes: Sequence[AssignableNode], note: VersionNote
    ) -> Stored | Skipped:
        """Stores the new version at the node of the document, all or nothing; `nodes` may be written to, `note` adds its part.

        Raises Conflict when another version came in meanwhile, StoreUnavailable, StoreFull, ProviderUnavailable.
        """
        known = changed.source.known
        if known and known["pending"]:
            await self._outbox.await_commit(known["commit_id"])
        parameters = {"user_id": principal.user_id, "source_id": changed.source.key}
        heads = await self._postgres.fetch(principal, sql_text("document_head"), parameters)
        there = {node.node_id: node for node in nodes}
        if not heads or any(head["node_id"] not in there for head in heads):
            return Skipped(changed.document.source_id, NOT_HERE)
        if heads[0]["content_hash"] == fingerprint(changed.document):  # somebody stored it meanwhile
            return Skipped(changed.document.source_id, STORED_ALREADY)
        parts = await asyncio.to_thread(self._parts, changed, heads, there)
        file = await self.commit.put(parts[0].draft)
        self._reached("objects_written")
        try:
            written = await self._written(principal, parts, file, note)
        except VersionRefused as refused:
            return Skipped(changed.document.source_id, refused.detail)
        self._reached("content_committed")
        for commit in written:
            await self._outbox.carry_out(principal, commit)
        return _stored(changed, parts)

    def _parts(
        self, changed: ChangedDocument, heads: Sequence[Row], nodes: Mapping[UUID, AssignableNode]
    ) -> list[_Work]:
        """Everything about the version that needs no vector, part by part, in the order of schemas, as writers lock them."""
        source, document = changed.source, changed.document
        whole = document_draft(
            source.session, document, chunks(document.text), nodes[heads[0]["node_id"]], source.trigger
        )
        hashes = [chunk_hash(item.section, item.content) for item in whole.items]
        before = [pair for head in heads for pair in zip(head["chunks"], parted(head["chunk_hashes"]), strict=True)]
        match = matched(before, hashes)
        owner = {chunk: number for number, head in enumerate(heads) for chunk in head["chunks"]}
        homes = allotted([None if place is None else owner[place] for place in match.places])
        works = []
        for number, head in enumerate(heads):
            own = [index for index, home in enumerate(homes) if home == number]
            draft = part(whole, head["document_id"], nodes[head["node_id"]], [whole.items[index] for index in own])
            gone = tuple(chunk for chunk in match.gone if owner[chunk] == number)
            mine = Matched(tuple(match.places[index] for index in own), gone)
            works.append(self._work(changed, head, draft, mine, [hashes[index] for index in own]))
        return sorted(works, key=lambda work: work.draft.node.schema_name)

    def _work(
        self, changed: ChangedDocument, head: Row, draft: RecordDraft, match: Matched, hashes: Sequence[bytes]
    ) -> _Work:
        source, number = changed.source, head["version"] + 1
        items = tuple(
            replace(item, item_id=place or uuid5(source.session, f"{number}:{item.position}"))
            for item, place in zip(draft.items, match.places, strict=True)
        )
        draft = replace(draft, items=items)
        draft = describe(draft, self._active.current.embedder.count_tokens, self._limits.summary_words)
        version = NewVersion(
            draft.record_id,
            number,
            source.key,
            draft.node.node_id,
            draft.title,
            fingerprint(changed.document),
            draft.file.file_id,
            draft.file.name,
            tuple((item.item_id, digest) for item, digest in zip(items, hashes, strict=True)),
            match.places.count(None),
            len(match.gone),
        )
        return _Work(changed, head, draft, match, version, uuid4())

    async def _written(
        self, principal: Principal, parts: Sequence[_Work], file: StoredFile, note: VersionNote
    ) -> list[Commit]:
        """The transaction; what the graph learns."""
        try:
            return await self._transaction(principal, parts, file, self._active.current, note)
        except EmbeddingsChanged:
            return await self._transaction(principal, parts, file, await self._active.follow(), note)
        except NodeOutdated:
            await upgrade(self._postgres, [work.draft.node.node_id for work in parts])
            return await self._transaction(principal, parts, file, self._active.current, note)

    async def _transaction(
        self, principal: Principal, parts: Sequence[_Work], file: StoredFile, model: Model, note: VersionNote
    ) -> list[Commit]:
        texts = [[*(item.embedded for item in work.fresh), work.draft.summary] for work in parts]
        vectors = await model.embed_documents([text for own in texts for text in own])
        starts = accumulate(map(len, texts), initial=0)
        nodes, version = [work.draft.node.node_id for work in parts], parts[0].version
        async with self._postgres.as_principal(principal) as connection:
            await connection.execute(sql_text("embeddings_required"), {"version": model.name})
            await connection.execute(sql_text("nodes_require_current"), {"nodes": nodes})
            commits = [
                await self._renewed(connection, principal, work, vectors[start:end], file, model)
                for work, (start, end) in zip(parts, pairwise(starts), strict=True)
            ]
            advance = SourceAdvance(version.source_id, version.version - 1, version.version, version.content_hash)
            await connection.execute(sql_text("source_advance"), asdict(advance) | {"commit_id": commits[0].commit_id})
            gone = [chunk for work in parts for chunk in work.match.gone]
            await note(connection, commits[0].commit_id, [work.version for work in parts], gone)
        return commits

    async def _renewed(
        self,
        connection: Connection,
        principal: Principal,
        work: _Work,
        vectors: Vectors,
        file: StoredFile,
        model: Model,
    ) -> Commit:
        """One part within the transaction; what the graph learns. Raises VersionRefused."""
        schema, record_id = work.draft.node.schema_name, work.draft.record_id
        cursor = await connection.execute(sql_in("record_kept", schema), {"record_id": record_id})
        kept = await cursor.fetchone()
        if kept is None:
            raise NotFound
        if _narrower(work.changed, kept):
            raise VersionRefused(NARROWER)
        ending = await self._renewals.ending(connection, schema, work.match.gone)
        derived, whole = await self._renewals.derived(connection, schema, record_id)
        renewal = _renewal(work, vectors[-1], [*ending, *derived, *whole])
        renewed = await self._renewals.renew(connection, principal, model, renewal)
        if renewed is None:
            raise VersionRefused(ENDED)
        draft = replace(work.draft, privacy=kept["privacy"])
        record = EmbeddedRecord(draft, vectors[-1], vectors[:-1])
        row = self.commit.record_row(record, file, work.commit_id, model) | {"now": renewed.known_at}
        await connection.execute(sql_in("manifest_insert", schema), row)
        await note_received(connection, principal, draft, row)
        await connection.execute(sql_in("record_version_set", schema), row | {"rows": list(renewed.rows)})
        await self._renewals.supersede(connection, principal, renewal, [*ending, *derived, *whole], renewed.known_at)
        passages = Passages(connection, work.draft, work.match, kept)
        inputs = [whole_fact(work.draft, f":{work.version.version}")] if work.draft.items else []
        items = (*work.fresh, *inputs)  # the vector of the whole is that of the summary, the last of all
        await passages.write(EmbeddedRecord(replace(draft, items=items), vectors[-1], vectors), model, renewed)
        await passages.count(work.fresh, [*ending, *derived])
        entry = version_row(principal, work.version, work.commit_id, renewed.known_at)
        await connection.execute(sql_text("document_version_insert"), entry)
        return await self._accepted(connection, principal, work, renewed)

    async def _accepted(self, connection: Connection, principal: Principal, work: _Work, renewed: Renewed) -> Commit:
        """The outbox row: what the graph learns of the version."""
        cursor = await connection.execute(sql_text("document_totals"), {"document_id": work.draft.record_id})
        totals = await cursor.fetchone()
        assert totals is not None  # an aggregate has one row
        document = {
            "version": work.version.version,
            "file_id": str(work.version.file_id),
            "file_name": work.version.file_name,
            **totals,
        }
        commit = Commit(work.commit_id, "record_revised", {"revision": renewed.graph | {"document": document}})
        await self._outbox.accept(connection, principal, commit)
        return commit


def _narrower(changed: ChangedDocument, kept: Row) -> bool:
    """Whether the new version is for fewer readers than the document, or of another thread."""
    asked = changed.source.asked
    scope = asked.origin.scope
    if (scope.kind, scope.scope_id) != (kept["scope"], kept["scope_id"]):
        return True
    return asked.privacy == "private" and kept["privacy"] != "private"


def _renewal(work: _Work, vector: Vectors, ending: Sequence[Ending]) -> RecordRenewal:
    draft = work.draft
    occurred = draft.occurred_at.astimezone(UTC).isoformat(timespec="microseconds") if draft.occurred_at else None
    fields = {
        "title": draft.title,
        "summary": draft.summary,
        "kw_entities": list(draft.keywords.entities),
        "kw_topics": list(draft.keywords.topics),
        "kw_dates": list(draft.keywords.dates),
        "kw_relationships": list(draft.keywords.relationships),
        **({"occurred_at": occurred} if occurred else {}),
    }
    known = (work.head["known_at"], *(item.known_from for item in ending))
    reason = f"version {work.version.version} of the document"
    return RecordRenewal(
        draft.node.node_id, draft.node.schema_name, draft.record_id, fields, vector, known, reason
    )  # fmt: skip


def _stored(changed: ChangedDocument, parts: Sequence[_Work]) -> Stored:
    records = tuple(
        StoredRecord(
            work.draft.record_id,
            work.draft.node.node_id,
            work.draft.node.path,
            work.draft.title,
            work.draft.file.file_id,
            work.version.added,
        )
        for work in parts
    )
    versions = tuple(change_of(work.version) for work in parts)
    return Stored(records, 0, 1, changed.source.cleaned.replaced(), (parts[0].version.source_id,), versions)
