"""Entities of records that were stored without them, that older rules read, or of which a text was changed by hand."""

from __future__ import annotations

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.derive.made import Made
from engine.knowledge.unread_records import UnreadRecords
from engine.stores.postgres import Postgres


class Entities:
    """Reads the records of a node that the graph says are unread."""

    def __init__(self, postgres: Postgres, unread: UnreadRecords) -> None:
        self._postgres, self._unread = postgres, unread

    async def page(self, node: DueNode) -> Made:
        # A change is noted before the graph has it. Asked first: what does not wait any more is seen there.
        waits = await due.commits_wait(self._postgres, node.user_id)
        read = await self._unread.of_node(node.user_id, node.node_id, node.after)
        if not read:
            return Made({}, waits=waits)
        async with self._postgres.as_service() as connection:
            await due.advance(connection, node, read[-1].record_id)
        return Made({"records": len(read), "mentions": sum(len(one.entities) for one in read)}, read[-1].record_id)
