"""Nodes created for content that no node covers; each is committed before content goes to it."""

from __future__ import annotations

from uuid import UUID

from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.errors import Archived, DepthExceeded, InvalidName
from engine.hierarchy.provisioning import Provisioning
from engine.ingest.assignment.topics import Topic
from engine.privacy.nodes import redacted_node
from engine.privacy.redact import Redactor


class TopicNodes:
    """Creates nodes for topics whose confidence is above `threshold`."""

    def __init__(self, provisioning: Provisioning, redactor: Redactor, threshold: float) -> None:
        self._provisioning, self._redactor, self._threshold = provisioning, redactor, threshold

    def wanted(self, principal: Principal, topic: Topic) -> bool:
        """Whether a node is created for it: its confidence is high enough, and the content is the user's own."""
        return principal.owns and topic.confidence >= self._threshold

    async def made(self, principal: Principal, topic: Topic) -> tuple[AssignableNode, bool] | None:
        """The node of a topic below its parent, and whether it is new: a concurrent request may have created it.

        None where it must not be created: a parent at layer 5 takes the content itself, which the provisioning logs; a name
        with personal data is refused, and so is an archived parent. Raises StoreUnavailable.
        """
        new = NewNode(topic.parent.node_id, topic.name, topic.node_type, topic.summary, topic.keywords)
        try:
            node = await self._provisioning.node(principal, redacted_node(new, self._redactor))
            if not node.created:
                await self._provisioning.require_unarchived(principal, node.node_id)
        except (DepthExceeded, InvalidName, Archived):
            return None
        return node_of(topic, node.node_id, node.schema_name), node.created


def node_of(topic: Topic, node_id: UUID, schema_name: str) -> AssignableNode:
    """The node that a topic would be, or is."""
    above = topic.parent
    path, place = (*above.path, topic.name), (*above.place, topic.name)
    return AssignableNode(
        node_id, schema_name, path, above.layer + 1, above.root_schema, topic.keywords, (), place, topic.summary
    )
