"""retract, retractions: sources that are withdrawn, and brought back."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.read_limits import MOST
from engine.domain.retraction import Retraction, RetractionKind, RetractionPreview, RetractionSubject
from engine.progress import counted
from engine.shell.options import Handle, Reason
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, print_table

commands = Commands()
retractions = Commands("retractions", "Sources that were withdrawn.")
_NAMES = ("retraction", "what", "id", "state", "records", "facts ended", "hold again", "when", "why")
_SHOWN = 20


@commands.async_command("retract", as_json=True)
async def retract(
    here: Session,
    kind: Annotated[RetractionKind, typer.Argument(metavar="KIND", help="record, document, source or fact.")],
    subject: Annotated[str, typer.Argument(metavar="ID", help="Its id; of a source the one that was given for it.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would end, and change nothing.")] = False,
    user: Handle = None,
    reason: Reason = "",
) -> None:
    """Withdraw a source with all that it alone supports; `retractions undo` brings it back."""
    named = RetractionSubject(kind, subject)
    async with here.memory(user) as memory:
        if dry_run:
            _show(here, await memory.retractions.preview(named, limit=MOST))
            return
        done = await memory.retractions.retract(named, reason)
    told = f"Withdrawn: {_told(done)}. Undo it with: neurigraph retractions undo {done.retraction_id}"
    here.answer(done, told)


@retractions.async_command("list", as_json=True)
async def listing(here: Session, user: Handle = None) -> None:
    """List the newest 500 retractions."""
    async with here.memory(user) as memory:
        found = await memory.retractions.list(limit=MOST)
    rows = [
        (
            one.retraction_id,
            one.kind,
            one.subject,
            one.state,
            one.records,
            one.facts,
            one.revived,
            f"{one.retracted_at:%Y-%m-%d}",
            one.reason,
        )
        for one in found
    ]
    print_list(here, {"retractions": found}, _NAMES, rows, "Nothing was withdrawn.")


@retractions.async_command("undo", as_json=True)
async def undo(
    here: Session,
    retraction: Annotated[UUID, typer.Argument(metavar="RETRACTION", help="Its id, from `retractions list`.")],
    user: Handle = None,
) -> None:
    """Bring back what a retraction withdrew; what came since stays."""
    async with here.memory(user) as memory:
        undone = await memory.retractions.undo(retraction)
    here.answer(undone, f"It holds again: {_told(undone)}.")


def _told(done: Retraction) -> str:
    return f"{counted(done.records, 'record')}, {counted(done.facts, 'fact')}"


def _show(here: Session, found: RetractionPreview) -> None:
    if here.as_json:
        here.answer(found, "")
        return
    here.out.print(Text("Nothing was changed. A retraction would", style="bold"))
    alone = counted(found.entities_unmentioned, "entity", "entities")
    lines = [
        f"withdraw {counted(found.records_ending, 'record')}",
        f"end {counted(found.facts_ending, 'fact')}, let {found.facts_reviving} hold again",
        f"leave {counted(found.facts_staying, 'fact')} that another record says",
        f"end {counted(found.relations_ending, 'relation')}, weaken {found.relations_weakened}",
        f"end {counted(found.mentions_ending, 'mention')}, leave {alone} that nothing mentions",
    ]
    for line in lines:
        here.out.print(Text(f"  {line}"))
    facts = [(one.fact_id, one.effect, one.text) for one in found.facts[:_SHOWN]]
    print_table(here, ("fact", "", "what"), facts, "No fact changes.")
    relations = [
        (one.relation_id, one.source_name, one.relation_type, one.target_name, f"{one.strength} → {one.left}")
        for one in found.relations[:_SHOWN]
    ]
    print_table(here, ("relation", "", "", "", "records"), relations, "No relation changes.")
