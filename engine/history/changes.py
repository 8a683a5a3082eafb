"""The entry point for all changes of stored content: dispatches each to the history of its kind."""

from __future__ import annotations

from engine.domain.delta import Change, Changed
from engine.domain.principal import Principal
from engine.errors import InvalidInput
from engine.hierarchy.shells import Shells
from engine.history.contents import TOLD, ContentHistory
from engine.history.edges import EdgeHistory
from engine.history.fields import checked
from engine.history.nodes import NodeHistory
from engine.knowledge.unread_records import UnreadRecords


class Changes:
    """Changes in a graph. `engine.domain.delta` defines their effects."""

    def __init__(
        self, shells: Shells, contents: ContentHistory, nodes: NodeHistory, edges: EdgeHistory, unread: UnreadRecords
    ) -> None:
        self._shells, self._contents, self._nodes, self._edges = shells, contents, nodes, edges
        self._unread = unread

    async def change(self, principal: Principal, change: Change) -> Changed:
        """Writes a change as a delta; nothing is overwritten.

        Raises NotFound, Conflict (a concurrent change), NameTaken, DepthExceeded, InvalidInput,
        ProviderUnavailable, StoreUnavailable; nothing is written then.
        """
        change = checked(change)
        if change.subject_kind == "node":
            return await self._nodes.change(principal, change)
        if change.subject_kind == "edge":
            return await self._edges.change(principal, change)
        if change.node_id is None:
            raise InvalidInput("A record or an item is changed at its node: name the node (`--node`, or `node_id`).")
        schema = await self._shells.writable_schema_of(principal, change.node_id)
        changed = await self._contents.change(principal, schema, change)
        if change.subject_kind == "item" and changed.changed and change.fields.keys() & TOLD:
            await self._unread.of_item(schema, change.subject_id)
        return changed
