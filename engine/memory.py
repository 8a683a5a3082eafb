"""One user's memory: every operation of the engine, bound to the principal who asks.

The databases decide what a principal may do. Here only the user may change a graph's structure, and a refused request
is logged in the audit log, in the same way whether the node exists or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

from engine.access.idempotency import Idempotency
from engine.domain.clock import NOW, Moment
from engine.domain.history import Conversation, History
from engine.domain.ingest import PLAIN, Terms
from engine.domain.names import is_blank
from engine.domain.node import MAX_LAYER, ChildNode, ContentType, NewNode, ProvisionedNode, Shell, TreeNode
from engine.domain.occasion import Occasion
from engine.domain.page import MOST
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, IngestReport, Skipped, TriggerType
from engine.domain.scope import INGESTED, USERS, MemoryScope, Origin, Privacy, SourceKind, check_privacy, check_scopes
from engine.domain.search import Anchor, SearchAnswer, SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.hierarchy.shells import MOST_ANCHORS, MOST_EDGES, EdgePlace, MetadataPage, RegisteredEdge
from engine.ingest.documents import note, occasion_document
from engine.ingest.drafts import Document
from engine.ingest.sources import Ingested, Pending
from engine.operations.asking import Parts
from engine.operations.conversations import Streamed
from engine.operations.documents import KeptDocuments
from engine.operations.events import Diary
from engine.operations.histories import take_in
from engine.operations.ingests import Ingesting
from engine.operations.placement import PlacedRecords
from engine.operations.proposals import Proposing
from engine.operations.replays import Replaying
from engine.operations.resources import Inputs
from engine.operations.revisions import LivingRecords
from engine.privacy.nodes import check_names, redacted_edge, redacted_node
from engine.privacy.redact import Redactor, redacted_scope, total
from engine.progress import Progress, Silent


class Memory(LivingRecords, PlacedRecords, Proposing, KeptDocuments, Inputs, Diary, Ingesting, Replaying, Streamed):
    """The memory of one user, as its principal may see it. Errors are those of `engine.errors`; missing and
    forbidden look the same."""

    def __init__(self, principal: Principal, parts: Parts, origin: Origin = INGESTED, terms: Terms = PLAIN) -> None:
        super().__init__(principal, parts)
        self.origin, self.terms = origin, terms

    def within(self, scope: MemoryScope = USERS, *, source: SourceKind = "ingested") -> Memory:
        """The same memory inside a thread or workflow: what it stores belongs there, what it searches is all of the user's
        and this. `source` says how what it stores came in. Raises InvalidInput; only the user works within a scope."""
        check_scopes(self.principal, [scope])
        return Memory(self.principal, self._parts, Origin(scope, source), self.terms)

    def on_terms(self, terms: Terms) -> Memory:
        """The same memory with terms for what it stores: the key of its session, limits of a write."""
        return Memory(self.principal, self._parts, self.origin, terms)

    # the hierarchy ---------------------------------------------------------------------------------------

    async def provision(self, new: NewNode, *, redacted: Counter[str] | None = None) -> ProvisionedNode:
        """A child node in all stores, or the sibling that already has the name. See `Provisioning.node`.

        What is replaced in its description is added to `redacted`; a name that holds some raises InvalidName.
        """
        new = redacted_node(new, self._parts.redactor, redacted)
        async with self._noting("provision", new.parent_id):
            return await self._parts.provisioning.node(self.principal, new)

    async def provision_path(self, names: Sequence[str]) -> ProvisionedNode | None:
        """The node at a path below the root, missing ones created, never below layer 5. See `Provisioning.path`."""
        check_names(names, self._parts.redactor)
        return await self._parts.provisioning.path(self.principal, names)

    async def provision_whole(self, path: Sequence[NewNode]) -> ProvisionedNode:
        """The node at the end of a path below the root, all that is missing on the way with it, or nothing at all: see
        `Provisioning.whole_path`."""
        path = [redacted_node(new, self._parts.redactor, None) for new in path]
        return await self._parts.provisioning.whole_path(self.principal, path)

    async def shell(self, node_id: UUID, moment: Moment = NOW) -> Shell:
        """The live shell of a node: identity, path, children, edges, manifest. Raises NotFound."""
        async with self._reading("shell", node_id):
            return await self._parts.shells.shell(self.principal, node_id, moment)

    async def children(
        self, node_id: UUID, moment: Moment = NOW, *, after: tuple[str, UUID] | None = None, limit: int = MOST
    ) -> tuple[ChildNode, ...]:
        """The children of a node by name, one page; `after` is the name and id of the last one before. Raises NotFound."""
        async with self._reading("shell", node_id):
            return await self._parts.shells.children(self.principal, node_id, moment, after=after, limit=limit)

    async def tree(self, moment: Moment = NOW, *, depth: int = MAX_LAYER) -> tuple[TreeNode, ...]:
        """All nodes of the graph down to a layer, parents first; for its user. Raises NotFound."""
        return await self._parts.shells.tree(self.principal, moment, depth)

    async def anchors(
        self, name: str, moment: Moment = NOW, *, skip: int = 0, limit: int = MOST_ANCHORS
    ) -> tuple[Anchor, ...]:
        """Every node of that name, with the path to each and its edges; one page after `skip` others."""
        return await self._parts.shells.anchors(self.principal, name, moment, skip=skip, limit=limit)

    async def edges(
        self, moment: Moment = NOW, *, after: EdgePlace | None = None, limit: int = MOST_EDGES
    ) -> tuple[RegisteredEdge, ...]:
        """The global edge registry by the names of the ends, one page; `after` is the `place` of the last edge before."""
        return await self._parts.shells.edges(self.principal, moment, after=after, limit=limit)

    async def relate(
        self, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str] | None = None
    ) -> tuple[UUID, bool]:
        """Registers a cross-node edge; its id, and whether it is new. Raises NotFound, InvalidInput."""
        properties = redacted_edge(edge_type, properties or {}, self._parts.redactor)
        async with self._noting("relate", source):
            return await self._parts.relations.relate(self.principal, source, target, edge_type, properties)

    async def metadata(
        self, node_id: UUID, *, limit: int = 50, cursor: str | None = None, moment: Moment = NOW
    ) -> MetadataPage:
        """Records of a node, newest first, files closed. Raises NotFound, InvalidInput."""
        async with self._reading("metadata", node_id):
            return await self._parts.shells.metadata(self.principal, node_id, limit=limit, cursor=cursor, moment=moment)

    # writing ---------------------------------------------------------------------------------------------

    async def remember(
        self,
        conversation: Conversation,
        *,
        node_id: UUID | None = None,
        trigger: TriggerType = "conversation_end",
        privacy: Privacy = "org",
        progress: Progress | None = None,
    ) -> IngestReport:
        """Stores what is not yet stored of a conversation, at the given node or where its content belongs.

        A persona names the node. What is `private` is read by the user alone, whatever was granted.
        """
        check_privacy(self.principal, "private" if conversation.holds_private else privacy)
        check_privacy(self.principal, privacy)
        origin = conversation.origin or self.origin
        pending = self._live(conversation, await self._node(node_id), privacy, origin)
        return await self._store([pending], trigger, progress or Silent())

    async def remember_text(
        self,
        title: str,
        text: str,
        *,
        source_id: str | None = None,
        node_id: UUID | None = None,
        content_type: ContentType | Literal["webhook"] = "other",
        privacy: Privacy = "org",
    ) -> IngestReport:
        """Stores one text (a note, a meeting, a document) as a record with its own file; `privacy` as in `remember`.

        Under the `source_id` of an earlier one it is its next version, see `engine.ingest.versions.revising`. What a webhook
        brought is an event.
        """
        check_privacy(self.principal, privacy)
        if is_blank(text):
            raise InvalidInput("There is no text to store.")
        document = note(source_id, title, text, content_type)
        pending = self._live(document, await self._node(node_id), privacy, self.origin)
        return await self._store([pending], "event_boundary", Silent())

    async def remember_occasion(
        self, occasion: Occasion, *, node_id: UUID | None = None, privacy: Privacy = "org"
    ) -> IngestReport:
        """Stores something that happened (a meeting, a call, a session, a milestone) as one record; `privacy` as in `remember`.

        One whose `source_id` is known is not stored again.
        """
        check_privacy(self.principal, privacy)
        pending = self._live(occasion_document(occasion), await self._node(node_id), privacy, self.origin)
        return await self._store([pending], "event_boundary", Silent())

    async def ingest(self, history: History, progress: Progress | None = None) -> IngestReport:
        """Stores a whole history: its nodes and edges, then its conversations and files, with progress.

        What is stored already is skipped, so an ingest that was ended may simply be started again.
        """
        return await take_in(self, history, progress or Silent(), self._parts.max_text_bytes)

    def _live(
        self, content: Conversation | Document, node: AssignableNode | None, privacy: Privacy, origin: Origin
    ) -> Pending:
        """Live input: it may create a node; without a time of its own it was said now."""
        return Pending(content, node, privacy, origin, creates=True, arrived=self._parts.clock.now())

    async def _node(self, node_id: UUID | None) -> AssignableNode | None:
        if node_id is None:
            if not self.principal.owns:
                raise InvalidInput("Only the user of a memory may store without naming a node.")
            return None
        async with self._noting("store", node_id):
            for node in await self.nodes():
                if node.node_id == node_id:
                    return node
            await self._parts.shells.writable_schema_of(self.principal, node_id)
            raise NotFound

    async def nodes(self) -> list[AssignableNode]:
        """The nodes that the principal may write to, the root first. Raises NotFound where there is none."""
        return await self._parts.ingest.nodes(self.principal)

    async def store(
        self, pending: Sequence[Pending], progress: Progress | None = None, refused: Sequence[Skipped] = ()
    ) -> IngestReport:
        """Stores conversations and documents that are placed already, or are to be; what is stored already is skipped.

        Waits some seconds for an unavailable store. One source that cannot be stored stops no other: it is reported,
        and noted in the failure log, as are `refused` ones.
        """
        many = self.on_terms(replace(self.terms, tolerant=True, refused=tuple(refused)))
        return await many._store(pending, "conversation_end", progress or Silent())

    async def _store(self, pending: Sequence[Pending], trigger: TriggerType, progress: Progress) -> IngestReport:
        for one in pending:
            check_scopes(self.principal, [one.origin.scope])
        node = pending[0].node if pending else None
        async with self._naming(node.node_id if node else None):
            done = await self._parts.ingest.store(self.principal, pending, progress, trigger, self.terms)
        return _report(self.principal.user_id, done)

    # reading ---------------------------------------------------------------------------------------------

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Navigates to the anchors, searches only there, opens nothing. See `retrieval.pipeline`."""
        scopes = {*request.scopes, self.origin.scope} - {USERS}
        named = tuple(redacted_scope(scope, self._parts.redactor) for scope in sorted(scopes, key=str))
        request = replace(request, scopes=named)
        return await self._parts.search.search(self.principal, request)

    async def touch(self, node_id: UUID, ids: Sequence[UUID] = ()) -> None:
        """Counts an access of a node and of these items and records of it; the counts are written some seconds later.

        Unknown ids are ignored. Raises NotFound for the node.
        """
        async with self._noting("touch", node_id):
            found = await self._parts.shells.readable(self.principal, node_id, ids)
        items = [one for one, is_item in found.items() if is_item]
        self._parts.touches.note(node_id, items=items, records=[one for one in found if one not in items])

    @property
    def redactor(self) -> Redactor:
        """Redaction of everything that this memory stores."""
        return self._parts.redactor

    @property
    def idempotency(self) -> Idempotency:
        """Answers of writes that came with an idempotency key."""
        return self._parts.idempotency


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
