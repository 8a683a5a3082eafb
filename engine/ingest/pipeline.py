"""The write path, read from top to bottom:

    clean → trigger → assign → (read by a model ∥ embed) → (summarize ∥ keywords ∥ embed what was read) → commit

A history is taken in batches of some turns. Nothing is written before a batch's commit; while one batch is being
committed the next is embedded, so the encoder never waits for the stores. The stored part of a source is skipped,
so a repeated history changes nothing, and an interrupted ingest continues where it ended.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from engine.domain.clock import NOW
from engine.domain.history import Conversation
from engine.domain.ingest import PLAIN, Terms
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, Skipped, TriggerType
from engine.domain.scope import Origin, Privacy
from engine.errors import Archived, CommitSetAside, InvalidInput, NotFound
from engine.ingest.assignment.placing import Assigner, Placed
from engine.ingest.assignment.vocabulary import NodeVocabulary
from engine.ingest.cleaning import cleaned, key_of
from engine.ingest.failures import FailureLog
from engine.ingest.fresh import FreshDocument, FreshTurns, fresh
from engine.ingest.limits import IngestLimits
from engine.ingest.processing import Processing
from engine.ingest.sources import ChangedDocument, Drafted, Pending, Run, Source
from engine.ingest.storing import Ingested, Storing, failed
from engine.ingest.versions.revising import Revisions
from engine.privacy.redact import Redactor
from engine.privacy.scopes import redacted_origin
from engine.progress import Progress
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text
from engine.turns import computed

PAGE = 1000
"""Sources that are looked up at once."""

Seen = dict[str, dict[str, Any]]


class Ingest:
    """The pipeline over the stores."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        postgres: Postgres,
        neo4j: Neo4j,
        processing: Processing,
        revisions: Revisions,
        limits: IngestLimits,
        redactor: Redactor,
        assigner: Assigner,
    ) -> None:
        self._postgres, self._neo4j, self.processing, self._assigner = postgres, neo4j, processing, assigner
        self.commit, self.revisions, self._limits, self._redactor = revisions.commit, revisions, limits, redactor
        self.sessions, self.failures = self.commit.sessions, FailureLog(postgres, self.commit.clock)

    @property
    def active(self) -> ActiveModel:
        """The embeddings that are written with."""
        return self.processing.active

    async def nodes(self, principal: Principal) -> list[AssignableNode]:
        """The nodes that the principal may write to, the root first. Raises NotFound where there is none, Archived."""
        rows = await self._neo4j.read(
            cypher("node/of_user"), **principal.parameters, **NOW.graph_parameters(self.commit.clock.now())
        )
        if not rows:
            raise NotFound  # no such user, or nothing there that the principal may write to
        nodes = [_assignable(row) for row in rows if not row["archived"]]
        if not nodes:
            raise Archived
        return nodes

    async def store(
        self,
        principal: Principal,
        contents: Sequence[Pending],
        progress: Progress,
        trigger: TriggerType = "conversation_end",
        terms: Terms = PLAIN,
    ) -> Ingested:
        """Runs the pipeline over conversations and documents, in order. Returns what was stored, skipped and left for later.

        Raises StoreUnavailable, StoreFull; earlier commits stay, and a second call continues after them.
        """
        return await Storing(self, principal, terms, progress).run(contents, trigger)

    # clean → trigger → assign ----------------------------------------------------------------------------

    async def batches(
        self, principal: Principal, contents: Sequence[Pending], run: Run
    ) -> AsyncIterator[list[Drafted]]:
        """Drafts in batches. A source with nothing new is skipped; in a tolerant run also a source that cannot be drafted."""
        vocabulary = NodeVocabulary(await self.nodes(principal))
        async for new in self._fresh(principal, contents, run):
            places = [one.unplaced for one in new]
            placed, vocabulary = await self._assigner.place(principal, places, vocabulary, run.allowance)
            yield await computed(_drafts, new, placed)

    async def _fresh(
        self, principal: Principal, contents: Sequence[Pending], run: Run
    ) -> AsyncIterator[list[FreshTurns | FreshDocument]]:
        """The new parts of the sources, at least `batch_turns` turns and passages at a time."""
        new: list[FreshTurns | FreshDocument] = []
        for start in range(0, len(contents), PAGE):
            page = contents[start : start + PAGE]
            seen = await self._seen(
                principal, [principal.own_key(key_of(pending.content, self._redactor)) for pending in page]
            )
            for pending in page:
                one = await self._new_or_aside(principal, pending, seen, run)
                new += [one] if one else []
                if sum(one.units for one in new) >= self._limits.batch_turns:
                    yield new
                    new = []
        if new:
            yield new

    async def _new_or_aside(
        self, principal: Principal, pending: Pending, seen: Seen, run: Run
    ) -> FreshTurns | FreshDocument | None:
        """The new part of a source; None where it is skipped."""
        try:
            new = await computed(self._new, principal, pending, seen, run.trigger)
        except (InvalidInput, CommitSetAside) as error:
            if not run.tolerant:
                raise
            new = failed(self._redactor.identifier(pending.content.source_id), error, "draft")
        if isinstance(new, Skipped):
            run.skipped.append(new)
            return None
        if isinstance(new, ChangedDocument):
            run.changed.append(new)
            return None
        return new

    async def _seen(self, principal: Principal, keys: list[str]) -> Seen:
        rows = await self._postgres.fetch(principal, sql_text("ingest/sources_seen"), {"sources": keys})
        return {row["source_id"]: row for row in rows}

    def _new(
        self, principal: Principal, pending: Pending, seen: Seen, trigger: TriggerType
    ) -> FreshTurns | FreshDocument | ChangedDocument | Skipped:
        clean = cleaned(pending.content, self._redactor)
        if isinstance(clean, Skipped):
            return clean
        key = principal.own_key(key_of(pending.content, self._redactor))
        origin = redacted_origin(pending.origin, self._redactor)
        asked = replace(pending, origin=origin, privacy=_privacy(pending, origin))
        known = seen.get(key)
        if known and known["set_aside"]:  # neither stored nor free
            raise CommitSetAside(known["commit_id"])
        source = Source(key, uuid5(principal.user_id, key), clean, known, asked, trigger)
        return fresh(source, self._limits.max_text_bytes)


def _privacy(pending: Pending, origin: Origin) -> Privacy:
    """Scoped content is private, and so is a conversation marked as private, also where the request says otherwise."""
    marked = isinstance(pending.content, Conversation) and pending.content.privacy == "private"
    return "private" if marked or origin.scope.narrow else pending.privacy


def _drafts(new: Sequence[FreshTurns | FreshDocument], placed: Sequence[Placed]) -> list[Drafted]:
    return [one.drafted(where) for one, where in zip(new, placed, strict=True)]


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
        row["summary"] or "",
    )
