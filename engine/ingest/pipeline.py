"""The write path, read from top to bottom:

    trigger → assign → (summarize ∥ keywords ∥ embed) → commit

A history is taken in batches of some turns. Nothing is written before a batch's commit; while one batch is being
committed the next is embedded, so the encoder never waits for the stores. What a source has stored already is
skipped, so the same history twice changes nothing, and an ingest that was ended goes on where it was.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.history import Conversation, Turn
from engine.domain.principal import UserPrincipal
from engine.domain.record import (
    AssignableNode,
    EmbeddedRecord,
    RecordDraft,
    Skipped,
    SourceAdvance,
    StoredRecord,
    TriggerType,
)
from engine.errors import InvalidText, NotFound, TooLarge
from engine.ingest.assign import NodeVocabulary, assign
from engine.ingest.commit import RecordCommit
from engine.ingest.describe import centre, describe
from engine.ingest.drafts import Document, PlacedTurn, chunks, conversation_drafts, document_draft, source_key
from engine.progress import Progress
from engine.providers.embedder import Embedder
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text


@dataclass(frozen=True, slots=True)
class Drafted:
    """One source ready to be processed: its records so far, how far they move the source."""

    records: tuple[RecordDraft, ...]
    advance: SourceAdvance
    turns: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What one commit stored."""

    records: tuple[StoredRecord, ...]
    turns: int
    documents: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A conversation or document with the node it was given by hand, if any."""

    content: Conversation | Document
    node: AssignableNode | None = None


class Ingest:
    """The pipeline over the stores."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, embedder: Embedder, commit: RecordCommit, limits: IngestLimits
    ) -> None:
        self._postgres, self._neo4j, self._embedder = postgres, neo4j, embedder
        self._commit, self._limits = commit, limits

    async def nodes(self, principal: UserPrincipal, moment: Moment = NOW) -> list[AssignableNode]:
        """The nodes that content of this user can go to, the root first. Raises NotFound for an unknown user."""
        rows = await self._neo4j.read(
            cypher("node/of_user"), user_id=str(principal.user_id), as_of=moment.as_of, known_at=moment.known_at
        )
        if not rows:
            raise NotFound  # there is no such user: every other one has a root
        return [_assignable(row, rows[0]["schema_name"]) for row in rows]

    async def store(
        self,
        principal: UserPrincipal,
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
        stored: list[Stored] = []
        committing: asyncio.Task[Stored] | None = None
        try:
            async for batch in self._batches(principal, contents, vocabulary, trigger, skipped):
                records = await self._process([record for drafted in batch for record in drafted.records])
                if committing is not None:
                    stored.append(await committing)
                committing = asyncio.create_task(self._store(principal, batch, records, progress))
            if committing is not None:
                stored.append(await committing)
        finally:
            if committing is not None and not committing.done():
                await asyncio.wait([committing])  # a commit under way is never abandoned
        return stored, skipped

    # trigger → assign ------------------------------------------------------------------------------------

    async def _batches(
        self,
        principal: UserPrincipal,
        contents: Sequence[Pending],
        vocabulary: NodeVocabulary,
        trigger: TriggerType,
        skipped: list[Skipped],
    ) -> AsyncIterator[list[Drafted]]:
        """Drafts in batches of at least `batch_turns` items; a source that has nothing new is skipped."""
        batch: list[Drafted] = []
        for start in range(0, len(contents), 1000):
            page = contents[start : start + 1000]
            seen = await self._seen(principal, [_key(pending.content) for pending in page])
            for pending in page:
                drafted = await asyncio.to_thread(self._draft, principal, pending, seen, vocabulary, trigger)
                if isinstance(drafted, Skipped):
                    skipped.append(drafted)
                    continue
                batch.append(drafted)
                if sum(len(record.items) for entry in batch for record in entry.records) >= self._limits.batch_turns:
                    yield batch
                    batch = []
        if batch:
            yield batch

    async def _seen(self, principal: UserPrincipal, keys: list[str]) -> dict[str, dict[str, Any]]:
        rows = await self._postgres.fetch(principal, sql_text("sources_seen"), {"sources": keys})
        return {row["source_id"]: row for row in rows}

    def _draft(
        self,
        principal: UserPrincipal,
        pending: Pending,
        seen: dict[str, dict[str, Any]],
        vocabulary: NodeVocabulary,
        trigger: TriggerType,
    ) -> Drafted | Skipped:
        content = pending.content
        known = seen.get(_key(content))
        if isinstance(content, Document):
            return self._draft_document(principal.user_id, content, pending.node, known, vocabulary, trigger)
        return self._draft_conversation(principal.user_id, content, pending.node, known, vocabulary, trigger)

    def _draft_conversation(
        self,
        user_id: UUID,
        conversation: Conversation,
        node: AssignableNode | None,
        known: dict[str, Any] | None,
        vocabulary: NodeVocabulary,
        trigger: TriggerType,
    ) -> Drafted | Skipped:
        done = known["units"] if known else 0
        turns = conversation.turns
        if known and (done > len(turns) or turns_hash(turns[:done]) != known["content_hash"]):
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
        advance = SourceAdvance(source_key(conversation), done, len(turns), turns_hash(turns))
        return Drafted(tuple(conversation_drafts(user_id, conversation, placed, trigger)), advance, len(placed))

    def _draft_document(
        self,
        user_id: UUID,
        document: Document,
        node: AssignableNode | None,
        known: dict[str, Any] | None,
        vocabulary: NodeVocabulary,
        trigger: TriggerType,
    ) -> Drafted | Skipped:
        digest = hashlib.sha256(document.text.encode("utf-8")).digest()
        if known:
            same = known["content_hash"] == digest
            return Skipped(document.source_id, "Stored already." if same else "Stored already in an earlier version.")
        self._check(document.text, document.source_id)
        pieces = chunks(document.text)
        if node is None:
            votes = assign([piece.text for piece in pieces], vocabulary) if pieces else [vocabulary.nodes[0]]
            node = max(votes, key=lambda vote: (votes.count(vote), vote.layer)) if len(votes) < 500 else votes[0]
        draft = document_draft(user_id, document, pieces, node, trigger)
        return Drafted((draft,), SourceAdvance(document.source_id, 0, 1, digest), 0)

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

    async def _process(self, drafts: Sequence[RecordDraft]) -> list[EmbeddedRecord]:
        """Summary, keywords and vectors of the drafts; the vector of a record stands for its summary."""
        describing = asyncio.create_task(asyncio.to_thread(self._described, drafts))
        try:
            vectors = await self._embedder.embed_documents([item.embedded for draft in drafts for item in draft.items])
        finally:
            described = await describing
        starts = list(accumulate((len(draft.items) for draft in described), initial=0))
        parts = [vectors[start:end] for start, end in pairwise(starts)]
        return [EmbeddedRecord(draft, centre(draft, part), part) for draft, part in zip(described, parts, strict=True)]

    def _described(self, drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
        return [describe(draft, self._embedder.count_tokens, self._limits.summary_words) for draft in drafts]

    # commit ----------------------------------------------------------------------------------------------

    async def _store(
        self, principal: UserPrincipal, batch: Sequence[Drafted], records: Sequence[EmbeddedRecord], progress: Progress
    ) -> Stored:
        turns = sum(drafted.turns for drafted in batch)
        documents = sum(drafted.turns == 0 for drafted in batch)
        stored = await self._commit.commit(
            principal, records, [drafted.advance for drafted in batch], self._embedder.version
        )
        progress.advance("ingest", turns + documents)
        return Stored(tuple(stored), turns, documents)


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """What bounds the pipeline: items a batch, words a summary, bytes a text."""

    batch_turns: int
    summary_words: int
    max_text_bytes: int


def turns_hash(turns: Sequence[Turn]) -> bytes:
    """SHA-256 over speakers, texts and times, in order; tells whether stored turns are a beginning of these."""
    digest = hashlib.sha256()
    for turn in turns:
        for part in (turn.speaker, turn.text, turn.at.isoformat() if turn.at else ""):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _key(content: Conversation | Document) -> str:
    return source_key(content) if isinstance(content, Conversation) else content.source_id


def _assignable(row: dict[str, Any], root_schema: str) -> AssignableNode:
    return AssignableNode(
        UUID(row["node_id"]),
        row["schema_name"],
        tuple(row["path"]),
        row["layer"],
        root_schema,
        tuple(row["keywords"]),
        tuple(row["aliases"]),
    )
