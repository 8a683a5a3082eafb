"""The write path, read from top to bottom:

    clean → trigger → assign → (summarize ∥ keywords ∥ embed) → commit

A history is taken in batches of some turns. Nothing is written before a batch's commit; while one batch is being
committed the next is embedded, so the encoder never waits for the stores. What a source has stored already is
skipped, so the same history twice changes nothing, and an ingest that was ended goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any
from uuid import UUID, uuid5

from engine.domain.clock import NOW, Moment
from engine.domain.history import Conversation
from engine.domain.principal import Principal
from engine.domain.record import (
    AssignableNode,
    EmbeddedRecord,
    Privacy,
    RecordDraft,
    Skipped,
    SourceAdvance,
    TriggerType,
)
from engine.errors import EmbeddingsChanged, InvalidText, NotFound, TooLarge
from engine.ingest.assign import NodeVocabulary, assign
from engine.ingest.cleaning import cleaned, fingerprint, key_of
from engine.ingest.describe import centre, describe
from engine.ingest.drafted import ChangedDocument, Drafted, Pending, Source, Stored
from engine.ingest.drafts import Document, PlacedTurn, conversation_drafts, document_draft
from engine.ingest.limits import IngestLimits
from engine.ingest.revising import Revisions
from engine.ingest.splitting import chunks
from engine.ingest.versions import change_of, first_version
from engine.privacy.redact import Redactor, total
from engine.privacy.scopes import redacted_origin
from engine.progress import Progress
from engine.providers.active import ActiveModel, Model
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text


class Ingest:
    """The pipeline over the stores."""

    def __init__(
        self,
        postgres: Postgres,
        neo4j: Neo4j,
        active: ActiveModel,
        revisions: Revisions,
        limits: IngestLimits,
        redactor: Redactor,
    ) -> None:
        self._postgres, self._neo4j, self._active = postgres, neo4j, active
        self._commit, self._limits, self._redactor = revisions.commit, limits, redactor
        self._revisions = revisions

    async def nodes(self, principal: Principal, moment: Moment = NOW) -> list[AssignableNode]:
        """The nodes that the principal may write to, the root first. Raises NotFound where there is none."""
        rows = await self._neo4j.read(
            cypher("node/of_user"), **principal.parameters, as_of=moment.as_of, known_at=moment.known_at
        )
        if not rows:
            raise NotFound  # no such user, or nothing there that the principal may write to
        return [_assignable(row) for row in rows]

    async def store(
        self,
        principal: Principal,
        contents: Sequence[Pending],
        progress: Progress,
        trigger: TriggerType = "conversation_end",
    ) -> tuple[list[Stored], list[Skipped]]:
        """Runs the pipeline over conversations and documents, in order; what was stored and what was not.

        Raises StoreUnavailable, StoreFull, ProviderUnavailable; everything committed before stays, and a second
        call goes on from there.
        """
        vocabulary = NodeVocabulary(await self.nodes(principal))
        skipped: list[Skipped] = []
        changed: list[ChangedDocument] = []
        stored: list[Stored] = []
        committing: asyncio.Task[Stored] | None = None
        try:
            async for batch in self._batches(principal, contents, vocabulary, trigger, skipped, changed):
                model = self._active.current
                records = await self._process(model, [record for drafted in batch for record in drafted.records])
                if committing is not None:
                    stored.append(await committing)
                committing = asyncio.create_task(self._store(principal, batch, model, records, progress))
            if committing is not None:
                stored.append(await committing)
        finally:
            if committing is not None and not committing.done():
                await asyncio.wait([committing])  # a commit under way is never abandoned
        for one in changed:
            outcome = await self._revisions.store(principal, one, vocabulary.nodes)
            if isinstance(outcome, Skipped):
                skipped.append(outcome)
            else:
                stored.append(outcome)
                progress.advance("ingest", 1)
        return stored, skipped

    # clean → trigger → assign ----------------------------------------------------------------------------

    async def _batches(
        self,
        principal: Principal,
        contents: Sequence[Pending],
        vocabulary: NodeVocabulary,
        trigger: TriggerType,
        skipped: list[Skipped],
        changed: list[ChangedDocument],
    ) -> AsyncIterator[list[Drafted]]:
        """Drafts in batches of at least `batch_turns` items; a source that has nothing new is skipped."""
        batch: list[Drafted] = []
        for start in range(0, len(contents), 1000):
            page = contents[start : start + 1000]
            seen = await self._seen(
                principal, [principal.own_key(key_of(pending.content, self._redactor)) for pending in page]
            )
            for pending in page:
                drafted = await asyncio.to_thread(self._draft, principal, pending, seen, vocabulary, trigger)
                if isinstance(drafted, Skipped):
                    skipped.append(drafted)
                    continue
                if isinstance(drafted, ChangedDocument):
                    changed.append(drafted)
                    continue
                batch.append(drafted)
                if sum(len(record.items) for entry in batch for record in entry.records) >= self._limits.batch_turns:
                    yield batch
                    batch = []
        if batch:
            yield batch

    async def _seen(self, principal: Principal, keys: list[str]) -> dict[str, dict[str, Any]]:
        rows = await self._postgres.fetch(principal, sql_text("sources_seen"), {"sources": keys})
        return {row["source_id"]: row for row in rows}

    def _draft(
        self,
        principal: Principal,
        pending: Pending,
        seen: dict[str, dict[str, Any]],
        vocabulary: NodeVocabulary,
        trigger: TriggerType,
    ) -> Drafted | ChangedDocument | Skipped:
        clean = cleaned(pending.content, self._redactor)
        if isinstance(clean, Skipped):
            return clean
        key = principal.own_key(key_of(pending.content, self._redactor))
        origin = redacted_origin(pending.origin, self._redactor)
        privacy: Privacy = "private" if origin.scope.narrow else pending.privacy
        source = Source(key, uuid5(principal.user_id, key), clean, seen.get(key), pending.node, trigger)
        if isinstance(clean.content, Document):
            if source.known and not clean.knows(source.known["content_hash"], 1):
                self._check(clean.content.text, clean.content.source_id)
                return ChangedDocument(source, clean.content, privacy, origin)
            drafted = self._draft_document(source, clean.content, vocabulary)
        else:
            drafted = self._draft_conversation(source, clean.content, vocabulary)
        if isinstance(drafted, Skipped):
            return drafted
        records = tuple(replace(record, privacy=privacy, origin=origin) for record in drafted.records)
        return replace(drafted, records=records)

    def _draft_conversation(
        self, source: Source, conversation: Conversation, vocabulary: NodeVocabulary
    ) -> Drafted | Skipped:
        known, node = source.known, source.node
        done = known["units"] if known else 0
        turns = conversation.turns
        if known and (done > len(turns) or not source.cleaned.knows(known["content_hash"], done)):
            return Skipped(
                conversation.source_id, "Its stored turns were changed at the source; stored turns stay as they are."
            )
        if done == len(turns):
            return Skipped(conversation.source_id, "Stored already." if turns else "It has no turns.")
        for number, turn in enumerate(turns[done:], done):
            self._check(turn.text, f"turn {number} of {conversation.source_id}")
        nodes = [node] * len(turns) if node else assign([turn.text for turn in turns], vocabulary)
        placed = [
            PlacedTurn(number, turns[number], turns[number - 1].text if number else None, nodes[number])
            for number in range(done, len(turns))
        ]
        advance = SourceAdvance(source.key, done, len(turns), fingerprint(conversation))
        drafts = conversation_drafts(source.session, conversation, placed, source.trigger)
        return Drafted(tuple(drafts), advance, len(placed), source.cleaned.replaced(done))

    def _draft_document(self, source: Source, document: Document, vocabulary: NodeVocabulary) -> Drafted | Skipped:
        known, node = source.known, source.node
        if known:
            return Skipped(document.source_id, "Stored already.")
        self._check(document.text, document.source_id)
        pieces = chunks(document.text)
        if node is None:
            votes = assign([piece.text for piece in pieces], vocabulary) if pieces else [vocabulary.nodes[0]]
            node = max(votes, key=lambda vote: (votes.count(vote), vote.layer)) if len(votes) < 500 else votes[0]
        draft = document_draft(source.session, document, pieces, node, source.trigger)
        advance = SourceAdvance(source.key, 0, 1, fingerprint(document))
        return Drafted((draft,), advance, 0, source.cleaned.replaced(), (first_version(draft, advance),))

    def _check(self, text: str, where: str) -> None:
        if "\x00" in text:
            raise InvalidText(f"The text holds a NUL character ({where}).")
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise InvalidText(f"The text is not valid Unicode ({where}, character {error.start}).") from error
        if size > self._limits.max_text_bytes:
            raise TooLarge(f"{where} has {size} bytes; at most {self._limits.max_text_bytes} are taken in.")

    # summarize ∥ keywords ∥ embed ------------------------------------------------------------------------

    async def _process(self, model: Model, drafts: Sequence[RecordDraft]) -> list[EmbeddedRecord]:
        """Summary, keywords and vectors of the drafts; the vector of a record stands for its summary."""
        describing = asyncio.create_task(asyncio.to_thread(self._described, model, drafts))
        try:
            vectors = await model.embed_documents([item.embedded for draft in drafts for item in draft.items])
        finally:
            described = await describing
        starts = list(accumulate((len(draft.items) for draft in described), initial=0))
        parts = [vectors[start:end] for start, end in pairwise(starts)]
        return [EmbeddedRecord(draft, centre(draft, part), part) for draft, part in zip(described, parts, strict=True)]

    def _described(self, model: Model, drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
        return [describe(draft, model.embedder.count_tokens, self._limits.summary_words) for draft in drafts]

    # commit ----------------------------------------------------------------------------------------------

    async def _store(
        self,
        principal: Principal,
        batch: Sequence[Drafted],
        model: Model,
        records: Sequence[EmbeddedRecord],
        progress: Progress,
    ) -> Stored:
        turns = sum(drafted.turns for drafted in batch)
        documents = sum(drafted.turns == 0 for drafted in batch)
        advances = [drafted.advance for drafted in batch]
        versions = [version for drafted in batch for version in drafted.versions]
        try:
            stored = await self._commit.commit(principal, records, advances, model, versions)
        except EmbeddingsChanged:
            records = await self._process(model := await self._active.follow(), [record.draft for record in records])
            stored = await self._commit.commit(principal, records, advances, model, versions)
        progress.advance("ingest", turns + documents)
        redacted = total(drafted.redacted for drafted in batch)
        return Stored(tuple(stored), turns, documents, redacted, tuple(change_of(version) for version in versions))


def _assignable(row: dict[str, Any]) -> AssignableNode:
    return AssignableNode(
        UUID(row["node_id"]),
        row["schema_name"],
        tuple(row["path"]),
        row["layer"],
        row["root_schema"],
        tuple(row["keywords"]),
        tuple(row["aliases"]),
        tuple(row["place"]),
    )
