"""One user's memory: every operation of the engine, bound to the principal who asks.

What a principal may do, the databases decide. Here only the user is let shape a graph, and a request that finds
nothing at a node is noted in the audit log, in the same way whether there is something or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from uuid import UUID, uuid4

from engine.access.grants import Grants
from engine.access.idempotency import Idempotency
from engine.domain.clock import NOW, Moment
from engine.domain.file_state import FileStatus
from engine.domain.history import Conversation, History, NodePath
from engine.domain.node import NewNode, ProvisionedNode, Shell
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, ContentType, FileDraft, IngestReport, Privacy, Skipped, TriggerType
from engine.domain.search import Anchor, SearchAnswer, SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.hierarchy.provisioning import Provisioning
from engine.hierarchy.shells import MetadataPage, RegisteredEdge, Shells
from engine.ingest.documents import read_document
from engine.ingest.drafts import Document
from engine.ingest.pipeline import Ingest, Pending, Stored
from engine.lifecycle.dormancy import Dormancy
from engine.lifecycle.file_log import FileLog
from engine.lifecycle.rehydrate import OpenedFile, Rehydration
from engine.progress import Progress, Silent
from engine.retrieval.pipeline import Search

REFUSAL_S = 0.05
"""A refusal is told after this time, or a multiple of it; unpadded, denied and missing differ by some 0.1 ms."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory works with; wired in `bootstrap`."""

    provisioning: Provisioning
    shells: Shells
    ingest: Ingest
    search: Search
    rehydration: Rehydration
    dormancy: Dormancy
    file_log: FileLog
    idempotency: Idempotency
    grants: Grants
    max_text_bytes: int


class Memory:
    """The memory of one user, as its principal may see it. Errors are those of `engine.errors`; missing and
    forbidden look the same."""

    def __init__(self, principal: Principal, parts: Parts) -> None:
        self.principal = principal
        self._parts = parts

    # who asks --------------------------------------------------------------------------------------------

    async def require(self) -> None:
        """Raises NotFound unless the principal is at home here: a user in the own graph, a persona in its owner's."""
        await self._parts.shells.schema_of(self.principal, self.principal.principal_id)

    @asynccontextmanager
    async def _noting(self, operation: str, node_id: UUID) -> AsyncIterator[None]:
        """Notes a refusal, and tells it at a round time: that a policy had to be asked must not show on a clock."""
        started = monotonic()
        try:
            yield
        except NotFound:
            await self._parts.grants.refused(self.principal, node_id, operation)
            await asyncio.sleep(REFUSAL_S - (monotonic() - started) % REFUSAL_S)
            raise

    @property
    def grants(self) -> Grants:
        """The rights that the user of this graph gave, and their log."""
        return self._parts.grants

    # the hierarchy ---------------------------------------------------------------------------------------

    async def provision(self, new: NewNode) -> ProvisionedNode:
        """A child node in all stores, or the sibling that already has the name. See `Provisioning.node`."""
        async with self._noting("provision", new.parent_id):
            return await self._parts.provisioning.node(self.principal, new)

    async def provision_path(self, names: Sequence[str]) -> ProvisionedNode | None:
        """The node at a path below the root, missing ones created, never below layer 5. See `Provisioning.path`."""
        return await self._parts.provisioning.path(self.principal, names)

    async def shell(self, node_id: UUID, moment: Moment = NOW) -> Shell:
        """The live shell of a node: identity, path, children, edges, manifest. Raises NotFound."""
        async with self._noting("shell", node_id):
            return await self._parts.shells.shell(self.principal, node_id, moment)

    async def anchors(self, name: str, moment: Moment = NOW) -> tuple[Anchor, ...]:
        """Every node of that name, with the path to each and its edges."""
        return await self._parts.shells.anchors(self.principal, name, moment)

    async def edges(self, moment: Moment = NOW) -> tuple[RegisteredEdge, ...]:
        """The global edge registry."""
        return await self._parts.shells.edges(self.principal, moment)

    async def relate(
        self, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str] | None = None
    ) -> tuple[UUID, bool]:
        """Registers a cross-node edge; its id, and whether it is new. Raises NotFound, InvalidInput."""
        async with self._noting("relate", source):
            return await self._parts.shells.relate(self.principal, source, target, edge_type, properties or {})

    async def metadata(
        self, node_id: UUID, *, limit: int = 50, cursor: str | None = None, moment: Moment = NOW
    ) -> MetadataPage:
        """Records of a node, newest first, files closed. Raises NotFound, InvalidInput."""
        async with self._noting("metadata", node_id):
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

        A persona says where. What is `private` is never read by anyone but the user, whatever was granted.
        """
        self._check_private(privacy)
        pending = Pending(conversation, await self._node(node_id), privacy)
        return await self._store([pending], trigger, progress or Silent())

    async def remember_text(
        self,
        title: str,
        text: str,
        *,
        source_id: str | None = None,
        node_id: UUID | None = None,
        content_type: ContentType = "other",
        privacy: Privacy = "org",
    ) -> IngestReport:
        """Stores one text (a note, a meeting, a document) as a record with its own file; `privacy` as in `remember`."""
        self._check_private(privacy)
        if not text.strip():
            raise InvalidInput("There is no text to store.")
        source = f"text:{source_id or uuid4()}"[:500]
        try:
            content = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InvalidInput(f"The text is not valid Unicode (character {error.start}).") from error
        file = FileDraft(uuid4(), "text.txt", "document", "text/plain", content)
        document = Document(source, title or text[:80], text, None, content_type, file)
        return await self._store([Pending(document, await self._node(node_id), privacy)], "event_boundary", Silent())

    def _check_private(self, privacy: Privacy) -> None:
        if privacy not in ("org", "private"):
            raise InvalidInput("What is stored is org or private.")
        if privacy == "private" and not self.principal.owns:
            raise InvalidInput("Only the user of a memory stores what is private.")

    async def ingest(self, history: History, progress: Progress | None = None) -> IngestReport:
        """Stores a whole history: its nodes and edges, then its conversations and files, with progress.

        What is stored already is skipped, so an ingest that was ended may simply be started again.
        """
        progress = progress or Silent()
        places, created = await self._plan_nodes(history, progress)
        edges = await self._plan_edges(history, places)
        pending: list[Pending] = [
            Pending(conversation, places.get(conversation.node) if conversation.node else None)
            for conversation in history.conversations
        ]
        for file in history.files:
            document = await read_document(file, max_text_bytes=self._parts.max_text_bytes)
            pending.append(Pending(document, places.get(file.node) if file.node else None))
        progress.start("ingest", sum(len(c.turns) for c in history.conversations) + len(history.files), "turns")
        report = await self._store(pending, "conversation_end", progress)
        progress.finish("ingest", f"{report.turns} turns and {report.files} files into {len(report.records)} records")
        return replace(report, nodes_created=created, edges_created=edges)

    async def _plan_nodes(self, history: History, progress: Progress) -> tuple[dict[NodePath, AssignableNode], int]:
        """Provisions what the history asks for; every node by its path below the root, and how many are new."""
        ids: dict[NodePath, UUID] = {(): self.principal.user_id}
        created = 0
        wanted = len(history.nodes)
        if wanted:
            progress.start("nodes", wanted, "nodes")
        for planned in history.nodes:
            parent = ids[planned.path[:-1]]
            node = await self.provision(
                NewNode(
                    parent,
                    planned.path[-1],
                    "persona" if planned.node_type == "persona" else "concept",
                    planned.summary,
                    planned.keywords,
                    planned.aliases,
                )
            )
            ids[planned.path] = node.node_id
            created += node.created
            progress.advance("nodes")
        if wanted:
            progress.finish("nodes", f"{created} created")
        named = {conversation.node for conversation in history.conversations} | {file.node for file in history.files}
        for path in sorted(path for path in named if path):
            if path not in ids:
                deepest = await self.provision_path(path)
                ids[path] = deepest.node_id if deepest else self.principal.user_id
        by_id = {node.node_id: node for node in await self._parts.ingest.nodes(self.principal)}
        return {path: by_id[node_id] for path, node_id in ids.items() if node_id in by_id}, created

    async def _plan_edges(self, history: History, places: Mapping[NodePath, AssignableNode]) -> int:
        created = 0
        for edge in history.edges:
            ends = places[edge.source].node_id, places[edge.target].node_id
            created += (await self.relate(*ends, edge.edge_type, edge.properties))[1]
        return created

    async def _node(self, node_id: UUID | None) -> AssignableNode | None:
        if node_id is None:
            if not self.principal.owns:
                raise InvalidInput("Whoever is not the user of a memory says at which node to store.")
            return None
        async with self._noting("store", node_id):
            for node in await self._parts.ingest.nodes(self.principal):
                if node.node_id == node_id:
                    return node
            raise NotFound

    async def _store(self, pending: Sequence[Pending], trigger: TriggerType, progress: Progress) -> IngestReport:
        stored, skipped = await self._parts.ingest.store(self.principal, pending, progress, trigger)
        return _report(self.principal.user_id, stored, skipped)

    # reading ---------------------------------------------------------------------------------------------

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Navigates to the anchors, searches only there, opens nothing. See `retrieval.pipeline`."""
        return await self._parts.search.search(self.principal, request)

    @asynccontextmanager
    async def open_file(
        self, node_id: UUID, file_id: UUID, *, wait_s: float | None = None
    ) -> AsyncIterator[OpenedFile]:
        """Phase two: this one file, restored and verified. See `Rehydration.opened`."""
        async with AsyncExitStack() as opening:
            async with self._noting("file", node_id):  # not around the reader, whose own errors are none of ours
                opened = self._parts.rehydration.opened(self.principal, node_id, file_id, wait_s)
                file = await opening.enter_async_context(opened)
            yield file

    async def read_file(self, node_id: UUID, file_id: UUID) -> bytes:
        """The whole content of a file; for files that fit in memory."""
        async with self.open_file(node_id, file_id) as file:
            return await asyncio.to_thread(file.content.read)

    async def file_state(self, node_id: UUID, file_id: UUID) -> FileStatus:
        """Whether a file sleeps, is awake, or is being restored; wakes nothing. Raises NotFound."""
        async with self._noting("file state", node_id):
            return await self._parts.rehydration.status(self.principal, node_id, file_id)

    async def wake(self, node_id: UUID, file_id: UUID, *, wait_s: float | None = None) -> FileStatus:
        """Wakes a file and keeps it awake, see `Rehydration.wake`."""
        async with self._noting("wake", node_id):
            return await self._parts.rehydration.wake(self.principal, node_id, file_id, wait_s)

    async def sleep(self, node_id: UUID, file_id: UUID) -> FileStatus:
        """Puts a file to sleep, see `Dormancy.sleep`."""
        async with self._noting("sleep", node_id):
            return await self._parts.dormancy.sleep(self.principal, node_id, file_id)

    @property
    def file_log(self) -> FileLog:
        """The log of the states of files, and what in it needs a look."""
        return self._parts.file_log

    @property
    def idempotency(self) -> Idempotency:
        """Answers of writes that came with an idempotency key."""
        return self._parts.idempotency


def _report(user_id: UUID, stored: Sequence[Stored], skipped: Sequence[Skipped]) -> IngestReport:
    records = tuple(record for commit in stored for record in commit.records)
    turns = sum(commit.turns for commit in stored)
    files = sum(commit.documents for commit in stored)
    return IngestReport(user_id, turns, files, sum(record.items for record in records), records, 0, 0, tuple(skipped))
