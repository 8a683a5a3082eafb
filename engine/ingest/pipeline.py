"""The write path, read from top to bottom:

    clean → trigger → assign → extract → (summarize ∥ keywords ∥ embed) → commit

A history is taken in batches of some turns. Nothing is written before a batch's commit; while one batch is being
committed the next is embedded, so the encoder never waits for the stores. What a source has stored already is
skipped, so the same history twice changes nothing, and an ingest that was ended goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from engine.domain.clock import NOW, Moment
from engine.domain.history import Conversation
from engine.domain.ingest import PLAIN, Terms
from engine.domain.principal import Principal
from engine.domain.record import (
    AssignableNode,
    Privacy,
    Skipped,
    SourceAdvance,
    TriggerType,
)
from engine.errors import InvalidInput, NotFound
from engine.ingest.assign import NodeVocabulary, assign
from engine.ingest.cleaning import cleaned, fingerprint, key_of
from engine.ingest.continuing import new_turns
from engine.ingest.drafted import Aside, ChangedDocument, Drafted, Pending, Source
from engine.ingest.drafts import Document, PlacedTurn, conversation_drafts, document_draft
from engine.ingest.failures import FailureLog
from engine.ingest.limits import IngestLimits, check_text
from engine.ingest.processing import Processing
from engine.ingest.revising import Revisions
from engine.ingest.splitting import chunks
from engine.ingest.storing import Ingested, Storing, failed
from engine.ingest.versions import first_version
from engine.privacy.redact import Redactor
from engine.privacy.scopes import redacted_origin
from engine.progress import Progress
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text


class Ingest:
    """The pipeline over the stores."""

    def __init__(
        self,
        postgres: Postgres,
        neo4j: Neo4j,
        processing: Processing,
        revisions: Revisions,
        limits: IngestLimits,
        redactor: Redactor,
    ) -> None:
        self._postgres, self._neo4j, self.processing = postgres, neo4j, processing
        self.commit, self.revisions, self._limits, self._redactor = revisions.commit, revisions, limits, redactor
        self.sessions, self.failures = self.commit.sessions, FailureLog(postgres, self.commit.clock)

    @property
    def active(self) -> ActiveModel:
        """The embeddings that are written with."""
        return self.processing.active

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
        terms: Terms = PLAIN,
    ) -> Ingested:
        """Runs the pipeline over conversations and documents, in order; what was stored, what was not, what was left for later.

        Raises StoreUnavailable, StoreFull; everything committed before stays, and a second call goes on from there.
        """
        return await Storing(self, principal, terms, progress).run(contents, trigger)

    # clean → trigger → assign ----------------------------------------------------------------------------

    async def batches(
        self,
        principal: Principal,
        contents: Sequence[Pending],
        trigger: TriggerType,
        aside: Aside,
        tolerant: bool,
    ) -> AsyncIterator[list[Drafted]]:
        """Drafts in batches of at least `batch_turns` items; a source that has nothing new is skipped, where it is `tolerant`
        also one that cannot be drafted."""
        vocabulary = NodeVocabulary(await self.nodes(principal))
        batch: list[Drafted] = []
        for start in range(0, len(contents), 1000):
            page = contents[start : start + 1000]
            seen = await self._seen(
                principal, [principal.own_key(key_of(pending.content, self._redactor)) for pending in page]
            )
            for pending in page:
                try:
                    drafted = await asyncio.to_thread(self._draft, principal, pending, seen, vocabulary, trigger)
                except InvalidInput as error:
                    if not tolerant:
                        raise
                    drafted = failed(self._redactor.identifier(pending.content.source_id), error, "draft")
                if isinstance(drafted, Skipped):
                    aside.skipped.append(drafted)
                    continue
                if isinstance(drafted, ChangedDocument):
                    aside.changed.append(drafted)
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
        session = uuid5(principal.user_id, key)
        source = Source(key, session, clean, seen.get(key), pending.node, trigger, pending.piece)
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
        new = new_turns(source.key, source.cleaned, source.known, source.piece)
        if isinstance(new, Skipped):
            return new
        turns = conversation.turns
        for place in range(new.start, len(turns)):
            self._check(turns[place].text, f"turn {new.before + place} of {conversation.source_id}")
        nodes = [source.node] * len(turns) if source.node else assign([turn.text for turn in turns], vocabulary)
        placed = [
            PlacedTurn(new.before + place, turns[place], turns[place - 1].text if place else new.previous, nodes[place])
            for place in range(new.start, len(turns))
        ]
        drafts = conversation_drafts(source.session, conversation, placed, source.trigger)
        return Drafted(tuple(drafts), new.advance, len(placed), source.cleaned.replaced(new.start))

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
        check_text(text, where, self._limits.max_text_bytes)


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
