"""nodes: node proposals for a memory without a hierarchy: propose, make, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.domain.ingest import Limits
from engine.domain.proposal import Proposal, with_nodes
from engine.domain.scope import Origin
from engine.progress import counted
from engine.shell.options import Handle, Milliseconds, ModelCalls, Tokens
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import print_table

if TYPE_CHECKING:
    from engine.domain.history import History
    from engine.neurigraph import Engine

nodes = Commands("nodes", "Node proposals for records at the root: propose, make, undo.")


@nodes.async_command("propose", as_json=True)
async def propose(
    here: Session,
    user: Handle = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Make the nodes, and move the records that belong there.")
    ] = False,
    milliseconds: Milliseconds = None,
    tokens: Tokens = None,
    model_calls: ModelCalls = None,
) -> None:
    """Propose nodes for the people and matters in the turns at the root. Nothing is made without --apply.

    A record is moved whole if most of its turns are about one node; a record about several stays at the root.
    """
    async with here.memory(user, Limits(milliseconds, tokens, model_calls)) as memory:
        proposal = await memory.proposals.propose()
        applied = await memory.proposals.make(proposal) if apply and proposal.nodes else None
    if here.as_json:
        return print_json(here.out, {"proposal": proposal, "applied": applied})
    print_proposal(here, proposal)
    if applied is not None:
        made, moved = counted(applied.nodes_created, "node"), counted(len(applied.moved), "record")
        here.line(f"{made} made, {moved} moved.")
        if applied.moved:
            here.line(f"Undo the moves with: neurigraph nodes undo {applied.proposal_id}")
    elif proposal.nodes:
        here.line("Nothing was made; --apply makes it.")


@nodes.async_command("undo", as_json=True)
async def undo(
    here: Session,
    proposal: Annotated[UUID, typer.Argument(metavar="PROPOSAL", help="Its id, as propose --apply printed it.")],
    user: Handle = None,
) -> None:
    """Move back the records that a proposal moved, except those moved again since; its nodes stay."""
    async with here.memory(user) as memory:
        back = await memory.proposals.undo(proposal)
    here.answer({"moved": back}, f"{counted(len(back), 'record')} moved back.")


async def arranged(here: Session, engine: Engine, history: History, origin: Origin, *, make: bool) -> History:
    """The history with proposed nodes, if it has none and its user has none; without `make` they are only shown.

    `origin`: the default origin of conversations.
    """
    if history.nodes or not history.conversations or any(one.node for one in history.conversations):
        return history
    user = await engine.workspace.users.create(history.handle, history.display_name)
    memory = engine.memory(user.user_id).within(origin.scope, source=origin.source)
    if len(await memory.nodes.writable()) > 1:
        return history
    proposal = await memory.proposals.propose(history.conversations)
    if not here.as_json:
        print_proposal(here, proposal)
        if proposal.nodes and not make:
            here.line("All of it goes to the root; --nodes auto makes these nodes.")
    return with_nodes(history, proposal) if make else history


def print_proposal(here: Session, proposal: Proposal) -> None:
    """Prints the nodes of a proposal with the evidence for each."""
    rows = [
        ("  " * (len(node.path) - 1) + node.path[-1], node.node_type, node.turns, node.conversations, node.reason)
        for node in proposal.nodes
    ]
    columns = ("proposed node", "type", "turns", "conversations", "why")
    print_table(here, columns, rows, "Too few turns to propose nodes.")
    for left in proposal.left_out:
        without = "by rules, without the model" if left.what == "placements" else "people only, without matters"
        here.line(f"{without}: {left.reason}", style="yellow")
