"""A document that spans several concepts: a record at each of their nodes, with the passages of its concept, and one file.

The file's bytes are stored once. Each record's node has a line in its manifest that points at them, marked as a part: the user
opens the whole file, others the passages of the record (`engine.lifecycle.parts`). Each node's line sleeps and wakes by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

from engine.domain.record import AssignableNode, ItemDraft, RecordDraft


def shared(draft: RecordDraft, nodes: Sequence[AssignableNode]) -> list[RecordDraft]:
    """The record of a whole document as one for each node of its items; nodes in the order of their first item.

    `nodes`: the node of each item. Ids and positions of items are those in the whole document.
    """
    by_node: dict[UUID, tuple[AssignableNode, list[ItemDraft]]] = {}
    for item, node in zip(draft.items, nodes, strict=True):
        by_node.setdefault(node.node_id, (node, []))[1].append(item)
    return [part(draft, uuid4(), node, items) for node, items in by_node.values()]


def part(draft: RecordDraft, record_id: UUID, node: AssignableNode, items: Sequence[ItemDraft]) -> RecordDraft:
    """The record of those items of a whole document."""
    text = draft.text if len(items) == len(draft.items) else "\n\n".join(item.content for item in items)
    return replace(draft, record_id=record_id, node=node, items=tuple(items), text=text)
