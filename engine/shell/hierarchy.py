"""nodes: node proposals for a memory without a hierarchy: propose, make, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.domain.proposal import Proposal, with_nodes
from engine.domain.scope import Origin
from engine.shell import session
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted, print_table

if TYPE_CHECKING:
    from engine.domain.history import History
    from engine.neurigraph import Engine


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    group = typer.Typer(no_args_is_help=True, help="Node proposals for records at the root: propose, make, undo.")
    group.command("propose")(propose)
    group.command("undo")(undo)
    app.add_typer(group, name="nodes")


def propose(
    context: typer.Context,
    user: Handle = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Make the nodes, and move the records that belong there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Propose nodes for the people and matters in the turns at the root. Nothing is made without --apply.

    A record is moved whole if most of its turns are about one node; a record about several stays at the root.
    """
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            proposal = await memory.proposals.propose()
            applied = await memory.proposals.make(proposal) if apply and proposal.nodes else None
        if as_json:
            print_json(here.out, {"proposal": proposal, "applied": applied})
            return
        print_proposal(here, proposal)
        if applied is not None:
            made, moved = counted(applied.nodes_created, "node"), counted(len(applied.moved), "record")
            here.out.print(f"{made} made, {moved} moved.", soft_wrap=True)
            if applied.moved:
                here.out.print(f"Undo the moves with: neurigraph nodes undo {applied.proposal_id}", soft_wrap=True)
        elif proposal.nodes:
            here.out.print("Nothing was made; --apply makes it.", soft_wrap=True)

    here.run(work())


def undo(
    context: typer.Context,
    proposal: Annotated[UUID, typer.Argument(metavar="PROPOSAL", help="Its id, as propose --apply printed it.")],
    user: Handle = None,
    as_json: AsJson = False,
) -> None:
    """Move back the records that a proposal moved, except those moved again since; its nodes stay."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            back = await memory.proposals.undo(proposal)
        if as_json:
            print_json(here.out, {"moved": back})
        else:
            here.out.print(f"{counted(len(back), 'record')} moved back.")

    here.run(work())


async def arranged(
    here: Session, engine: Engine, history: History, origin: Origin, *, make: bool, quiet: bool
) -> History:
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
    if not quiet:
        print_proposal(here, proposal)
        if proposal.nodes and not make:
            here.out.print("All of it goes to the root; --nodes auto makes these nodes.", soft_wrap=True)
    return with_nodes(history, proposal) if make else history


def print_proposal(here: Session, proposal: Proposal) -> None:
    """Prints the nodes of a proposal with the evidence for each."""
    rows = [
        (
            "  " * (len(node.path) - 1) + node.path[-1],
            node.node_type,
            str(node.turns),
            str(node.conversations),
            node.reason,
        )
        for node in proposal.nodes
    ]
    print_table(
        here, ("proposed node", "type", "turns", "conversations", "why"), rows, "Too few turns to propose nodes."
    )
