"""The nodes of a graph: their shells, what lies at them, the edges between them; grants on them, who could see a node, and the
access log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from engine.access.access_log import AccessLog
from engine.access.grants import GraphGrants
from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change, Changed
from engine.domain.grant import (
    LITTLE_CONFIDENCE,
    AccessEntry,
    GivenGrant,
    Grant,
    GrantPreview,
    NewGrant,
    RevokedGrant,
    Viewer,
)
from engine.domain.node import (
    MAX_LAYER,
    Anchor,
    ChildNode,
    CreatedEdge,
    EdgePlace,
    MetadataPage,
    NewNode,
    ProvisionedNode,
    RecordDay,
    RegisteredEdge,
    Shell,
    TreeNode,
)
from engine.domain.read_limits import MOST
from engine.domain.record import AssignableNode
from engine.hierarchy.provisioning import Provisioning
from engine.hierarchy.shells import MOST_ANCHORS, MOST_EDGES, Shells
from engine.history.changes import Changes
from engine.history.edges import EdgeHistory
from engine.ingest.pipeline import Ingest
from engine.operations import redactions
from engine.operations.caller import Part, members, owner, readers
from engine.operations.declaring import OfGraph, Redaction, reads, writes
from engine.retrieval.touches import Touches

_TEXTS: Mapping[str, Redaction] = {"edge_type": redactions.name, "properties": redactions.properties}


class Nodes(OfGraph, name="nodes"):
    """Only the user changes the structure of a graph."""

    _changes = Part(Changes)
    _ingest = Part(Ingest)
    _provisioning = Part(Provisioning)
    _shells = Part(Shells)
    _touches = Part(Touches)

    @writes(members, redacts={"new": redactions.node}, at="new.parent_id", refusal="provision", once=True, spends=True)
    async def provision(self, new: NewNode) -> ProvisionedNode:
        """A child node in all stores, or the sibling that already has the name. See `Provisioning.node`.

        A name that holds personal data raises InvalidName.
        """
        return await self._provisioning.node(self._principal, new, self.caller.own_id(new))

    @writes(members, redacts={"names": redactions.names}, spends=True)
    async def provision_path(self, names: Sequence[str]) -> ProvisionedNode | None:
        """The node at a path below the root, missing ones created, never below layer 5. See `Provisioning.path`."""
        return await self._provisioning.path(self._principal, names)

    @writes(members, redacts={"path": redactions.nodes}, spends=True)
    async def provision_whole(self, path: Sequence[NewNode]) -> ProvisionedNode:
        """The node at the end of a path below the root, all that is missing on the way with it, or nothing at all: see
        `Provisioning.whole_path`."""
        return await self._provisioning.whole_path(self._principal, path)

    @reads(readers, at="node_id", refusal="shell")
    async def shell(self, node_id: UUID, moment: Moment = NOW) -> Shell:
        """The live shell of a node: identity, path, children, edges, manifest. Counts as a read of it. Raises
        NotFound."""
        shell = await self._shells.shell(self._principal, node_id, moment)
        self._touches.note(node_id)
        return shell

    @reads(readers, at="node_id", refusal="shell")
    async def children(
        self, node_id: UUID, moment: Moment = NOW, *, after: tuple[str, UUID] | None = None, limit: int = MOST
    ) -> tuple[ChildNode, ...]:
        """The children of a node by name, one page; `after` is the name and id of the last one before. Raises NotFound."""
        return await self._shells.children(self._principal, node_id, moment, after=after, limit=limit)

    @reads(owner)
    async def tree(self, moment: Moment = NOW, *, depth: int = MAX_LAYER) -> tuple[TreeNode, ...]:
        """All nodes of the graph down to a layer, parents first. Raises NotFound."""
        return await self._shells.tree(self._principal, moment, depth)

    @reads(owner)
    async def timeline(self, *, skip: int = 0, limit: int = MOST) -> tuple[RecordDay, ...]:
        """On which days the records of the graph happened, node by node, undated ones first; one page after `skip` others."""
        return await self._shells.timeline(self._principal, skip=skip, limit=limit)

    @reads(readers)
    async def anchors(
        self, name: str, moment: Moment = NOW, *, skip: int = 0, limit: int = MOST_ANCHORS
    ) -> tuple[Anchor, ...]:
        """Every node of that name, with the path to each and its edges; one page after `skip` others."""
        return await self._shells.anchors(self._principal, name, moment, skip=skip, limit=limit)

    @reads(readers, at="node_id", refusal="metadata")
    async def metadata(
        self, node_id: UUID, *, limit: int = 50, cursor: str | None = None, moment: Moment = NOW
    ) -> MetadataPage:
        """Records of a node, newest first, files closed. Raises NotFound, InvalidInput."""
        return await self._shells.metadata(self._principal, node_id, limit=limit, cursor=cursor, moment=moment)

    @reads(readers)
    async def writable(self) -> list[AssignableNode]:
        """The nodes that the principal may write to, the root first. Raises NotFound where there is none, Archived."""
        return await self._ingest.nodes(self._principal)

    @reads(readers, at="node_id", refusal="touch")
    async def touch(self, node_id: UUID, ids: Sequence[UUID] = ()) -> None:
        """Counts an access of a node and of these items and records of it; the counts are written some seconds later.

        Raises NotFound for the node or one of the ids; then nothing is counted.
        """
        found = await self._shells.readable(self._principal, node_id, ids)
        items = [one for one, is_item in found.items() if is_item]
        self._touches.note(node_id, items=items, records=[one for one in found if one not in items])

    @writes(members, redacts={"reason": redactions.note}, at="node_id", refusal="change", spends=True)
    async def archive(self, node_id: UUID, *, reason: str = "") -> Changed:
        """Archives a node with all below it: not searched, without new content, still there for the past. The root archives
        its user."""
        change = Change("node", node_id, {"archived": True}, reason=reason)
        return await self._changes.change(self._principal, change)

    @writes(members, redacts={"reason": redactions.note}, at="node_id", refusal="change", spends=True)
    async def unarchive(self, node_id: UUID, *, reason: str = "") -> Changed:
        """Takes an archived node back; what lies below another archived node stays archived."""
        change = Change("node", node_id, {"archived": False}, reason=reason)
        return await self._changes.change(self._principal, change)


class Edges(OfGraph, name="edges"):
    """Cross-node edges. They are changed and ended by `history.change`."""

    _edges = Part(EdgeHistory)
    _shells = Part(Shells)

    @reads(readers)
    async def list(
        self, moment: Moment = NOW, *, after: EdgePlace | None = None, limit: int = MOST_EDGES
    ) -> tuple[RegisteredEdge, ...]:
        """All edges by the names of the ends, one page; `after` is the `place` of the last edge before."""
        return await self._shells.edges(self._principal, moment, after=after, limit=limit)

    @writes(members, redacts=_TEXTS, at="source", refusal="relate", once=True)
    async def make(
        self, source: UUID, target: UUID, edge_type: str, properties: Mapping[str, str] | None = None
    ) -> CreatedEdge:
        """Makes an edge, or returns the one of that type between these nodes, which holds again if it had ended. Raises
        NotFound, InvalidInput."""
        edges, given = self._edges, properties or {}
        return await edges.make(self._principal, source, target, edge_type, given, self.caller.key)


class Grants(OfGraph, name="grants"):
    """Rights of personas and integrations on single nodes; for the user of the graph alone. See `engine.access.grants`."""

    _grants = Part(GraphGrants)
    _log = Part(AccessLog)

    @writes(owner, redacts={"new": redactions.grant}, once=True)
    async def give(self, new: NewGrant) -> GivenGrant:
        """Creates a grant, or returns an equal one. Raises NotFound (node, subject), InvalidInput, StoreUnavailable."""
        return await self._grants.give(self._principal, new, self.caller.own_id(new))

    @reads(owner)
    async def preview(self, node_id: UUID, *, depth: int = 0, below: float = LITTLE_CONFIDENCE) -> GrantPreview:
        """What a grant on the node would open. Raises NotFound, InvalidInput."""
        return await self._grants.preview(self._principal, node_id, depth=depth, below=below)

    @writes(owner)
    async def revoke(self, grant_id: UUID) -> RevokedGrant:
        """Revokes a grant, in force when this returns. Raises NotFound."""
        return RevokedGrant(grant_id, await self._grants.revoke(self._principal, grant_id))

    @reads(owner)
    async def list(
        self, *, node_id: UUID | None = None, ended: bool = False, after: UUID | None = None, limit: int = 100
    ) -> tuple[Grant, ...]:
        """Grants by id, of one node if asked, with those that ended if asked; one page."""
        return await self._grants.listing(self._principal, node_id=node_id, ended=ended, after=after, limit=limit)

    @reads(owner)
    async def audience(self, node_id: UUID, at: datetime | None = None) -> tuple[Viewer, ...]:
        """The principals that could see the node at that time (None: now). Raises NotFound."""
        return await self._grants.audience(self._principal, node_id, at)

    @reads(owner)
    async def log(self, *, before: int | None = None, limit: int = 100) -> tuple[AccessEntry, ...]:
        """The access log, newest first, one page; `before` is the last entry_id of the page before."""
        return await self._log.page(self._principal, before=before, limit=limit)
