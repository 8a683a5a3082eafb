"""A hierarchy for a memory that has none: proposed, shown, made, undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from engine.asking import Asking
from engine.domain.history import Conversation
from engine.domain.proposal import Applied, MovedTo, Proposal
from engine.errors import InvalidInput, InvalidName
from engine.privacy.nodes import check_names


class Proposing(Asking):
    """Proposals of nodes; for the user alone."""

    async def propose_nodes(self, conversations: Sequence[Conversation] | None = None) -> Proposal:
        """The hierarchy for what these conversations say; without any, for the turns that lie at the root. Nothing is made.

        Names that hold personal data which is redacted here are left out. Raises NotFound for anyone but the user.
        """
        proposals = self._parts.proposals
        if conversations is None:
            proposal = await proposals.for_stored(self.principal)
        else:
            proposal = await proposals.for_conversations(self.principal, conversations)
        return replace(proposal, nodes=tuple(node for node in proposal.nodes if self._may_be_named(node.path)))

    def _may_be_named(self, path: Sequence[str]) -> bool:
        try:
            check_names(path, self._parts.redactor)
        except InvalidName:
            return False
        return True

    async def make_proposed(self, proposal: Proposal) -> Applied:
        """Makes the nodes of a proposal, edited or not, and moves records from the root that belong to one of them.

        Repeating it makes nothing twice. Raises NotFound, InvalidName, InvalidInput for a node whose parent is not among them.
        """
        paths = {node.path for node in proposal.nodes}
        for node in proposal.nodes:
            check_names(node.path, self._parts.redactor)
            if not node.path or (len(node.path) > 1 and node.path[:-1] not in paths):
                raise InvalidInput("Parents come with their children in a proposal.")
        ordered = tuple(sorted(proposal.nodes, key=lambda node: len(node.path)))
        return await self._parts.proposals.make(self.principal, replace(proposal, nodes=ordered))

    async def undo_proposed(self, proposal_id: UUID) -> tuple[MovedTo, ...]:
        """Moves back to the root what the proposal moved and what was not moved again since. Its nodes stay. Raises NotFound."""
        return await self._parts.proposals.undo(self.principal, proposal_id)
