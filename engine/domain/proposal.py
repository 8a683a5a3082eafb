"""A hierarchy that is proposed for what a person said: the nodes, and why each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from engine.domain.history import History, NodePath, PlannedNode
from engine.domain.report import DeferredWork

MOST_NODES = 40
"""Nodes of one proposal."""


@dataclass(frozen=True, slots=True)
class ProposedNode:
    """A node that does not exist yet. `turns` and `conversations`: how many speak of it; `reason` in a few words."""

    path: NodePath
    node_type: str
    summary: str
    keywords: tuple[str, ...]
    aliases: tuple[str, ...]
    turns: int
    conversations: int
    reason: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Nodes, parents before children, for so many turns; `covered` of them speak of at least one node."""

    nodes: tuple[ProposedNode, ...]
    turns: int
    covered: int
    by: str = "rules"
    """`rules`, or the language model that proposed them."""
    left_out: tuple[DeferredWork, ...] = ()
    """What a limit or a silent service left out: the language model (`placements`), or matters (`embeddings`)."""


@dataclass(frozen=True, slots=True)
class MovedTo:
    """A record and the node that it was moved to."""

    record_id: UUID
    node_id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of a proposal: its id, by which it is undone; new nodes; records that were moved from the root."""

    proposal_id: UUID
    nodes_created: int
    moved: tuple[MovedTo, ...]


def with_nodes(history: History, proposal: Proposal) -> History:
    """The history with the proposed nodes, as if it had asked for them."""
    planned = tuple(
        PlannedNode(node.path, node.node_type, node.summary, node.keywords, node.aliases) for node in proposal.nodes
    )
    return replace(history, nodes=planned)
