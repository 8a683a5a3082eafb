"""A hierarchy for a memory that has none: proposed, shown, made, undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from engine.domain.history import Conversation
from engine.domain.node import NewNode
from engine.domain.proposal import Applied, MovedTo, Proposal, ProposedNode
from engine.errors import InvalidInput, InvalidName
from engine.ingest.proposals import HierarchyProposals
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.privacy.redact import check_names, redacted_node


class Proposals(OfGraph, name="proposals"):
    """Proposals of nodes; for the user alone."""

    _proposals = Part(HierarchyProposals)

    @reads(owner, limited=False, spends=True)
    async def propose(self, conversations: Sequence[Conversation] | None = None) -> Proposal:
        """The hierarchy for what these conversations say; without any, for the turns that lie at the root. Nothing is made.

        What is private, or belongs to a thread or workflow (also to that of this memory), takes no part: names are not private.
        Only what is redacted already is embedded or given to a model. A node whose name holds something of the kind is left
        out, and so are such keywords and aliases. Raises NotFound for anyone but the user.
        """
        proposals, principal = self._proposals, self._principal
        if conversations is None:
            proposal = await proposals.for_stored(principal)
        else:
            proposal = await proposals.for_conversations(principal, conversations, self.caller.origin)
        nodes = (self._redacted(node) for node in proposal.nodes)
        return replace(proposal, nodes=tuple(node for node in nodes if node is not None))

    def _redacted(self, node: ProposedNode) -> ProposedNode | None:
        """The node as it may be made and shown; None where it, or one above it, may not be named so."""
        redactor = self.caller.redactor
        try:
            check_names(node.path, redactor)
            new = NewNode(self._principal.user_id, node.path[-1], "concept", node.summary, node.keywords, node.aliases)
            cleaned = redacted_node(new, redactor)
        except InvalidName:
            return None
        reason = redactor.text(node.reason)
        return replace(node, summary=cleaned.summary, keywords=cleaned.keywords, aliases=cleaned.aliases, reason=reason)

    @writes(owner, redacts={"proposal": redactions.proposal}, once=True, spends=True)
    async def make(self, proposal: Proposal) -> Applied:
        """Makes the nodes of a proposal, edited or not, and moves records from the root that belong to one of them.

        Repeating it makes nothing twice. Raises NotFound, InvalidName, InvalidInput for a node whose parent is not among them.
        """
        paths = {node.path for node in proposal.nodes}
        for node in proposal.nodes:
            if not node.path or (len(node.path) > 1 and node.path[:-1] not in paths):
                raise InvalidInput("Parents come with their children in a proposal.")
        ordered = tuple(sorted(proposal.nodes, key=lambda node: len(node.path)))
        proposals, own_id = self._proposals, self.caller.own_id
        return await proposals.make(self._principal, replace(proposal, nodes=ordered), own_id)

    @writes(owner)
    async def undo(self, proposal_id: UUID) -> tuple[MovedTo, ...]:
        """Moves back to the root what the proposal moved and what was not moved again since. Its nodes stay. Raises NotFound."""
        return await self._proposals.undo(self._principal, proposal_id)
