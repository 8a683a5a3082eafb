"""fact, retract, retractions: what is known, what was known before, what does not agree; sources that are withdrawn, and brought
back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, cast
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.fact import DAY_PASSED, Fact, FactFilter, FactType, ShownStatus, WrittenFact
from engine.domain.read_limits import MOST
from engine.domain.retraction import Retraction, RetractionKind, RetractionPreview, RetractionSubject
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.options import Again, Expires, Handle, Reason, expiry, point
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, print_table
from engine.shell.tokens import node_at

facts = Commands("fact", "Facts that you state or a model found, in chains.")
_DOUBT = {"maybe": "maybe replaced by", "contradicts": "contradicted by"}
_NAMES = ("fact", "status", "valid from", "to", "confirmed", "read", "what")

commands = Commands()
retractions = Commands("retractions", "Sources that were withdrawn.")
_RETRACTION_COLUMNS = ("retraction", "what", "id", "state", "records", "facts ended", "hold again", "when", "why")
_RECORDS_SHOWN = 20


@facts.async_command("write", as_json=True)
async def write(
    here: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The fact, in quotes: “Dave lives in Galway.”")],
    about: Annotated[
        list[str] | None,
        typer.Option("--about", metavar="NAME", help="Whom it is about; without it the name that it begins with."),
    ] = None,
    kind: Annotated[str, typer.Option("--type", help="fact, preference, event, profile or system.")] = "fact",
    category: Annotated[str, typer.Option("--category", help="A category of yours.")] = "",
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="From when on; without it, now.")] = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Where: path or id.")] = None,
    private: Annotated[bool, typer.Option("--private", help="For the user alone.")] = False,
    user: Handle = None,
    again: Again = False,
    expires: Expires = None,
) -> None:
    """Store a fact; what it replaces is over. Shows its chain."""
    new = WrittenFact(text, tuple(about or ()), cast(FactType, kind), category, point(at))
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        found = (
            await memory.anew(again)
            .until(expiry(expires))
            .facts.write(new, node_id=place, privacy="private" if private else "org")
        )
    _print(here, found)


@facts.async_command("list", as_json=True)
async def listing(
    here: Session,
    about: Annotated[str | None, typer.Option("--about", metavar="NAME", help="Only those about this name.")] = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Only those at this node.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    contradicting: Annotated[bool, typer.Option("--contradicting", help="Only those that do not agree.")] = False,
    doubtful: Annotated[
        bool, typer.Option("--doubtful", help="Only those that may be replaced, replace one, or do not agree.")
    ] = False,
    user: Handle = None,
) -> None:
    """The first 500 facts, by id."""
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        status: ShownStatus | None = None if every else "live"
        found = await memory.facts.list(FactFilter(about, place, status, contradicting, doubtful, limit=500))
    hint = (
        f" about exactly {about}; `neurigraph entity facts` lists those of an entity by any of its names"
        if about
        else ""
    )
    _print(here, found, f"No facts{hint}.")


@facts.async_command("chain", as_json=True)
async def chain(
    here: Session,
    fact: Annotated[UUID, typer.Argument(metavar="FACT", help="The id of a fact.")],
    user: Handle = None,
) -> None:
    """A fact with those before and after it, the newest first."""
    async with here.memory(user) as memory:
        found = await memory.facts.chain(fact)
    _print(here, found)


@facts.async_command("doubts", as_json=True)
async def doubts(here: Session, user: Handle = None) -> None:
    """Pairs of facts in doubt, which wait for you: the newest 500. Decide with `fact decide`."""
    async with here.memory(user) as memory:
        found = await memory.facts.doubts(limit=500)
    rows = [
        (one.older.fact_id, one.older.text, _DOUBT[one.kind], one.newer.text, f"{one.since:%Y-%m-%d}") for one in found
    ]
    print_list(here, {"doubts": found}, ("older", "what", "", "newer", "since"), rows, "No facts are in doubt.")


@facts.async_command("decide", as_json=True)
async def decide(
    here: Session,
    fact: Annotated[
        UUID, typer.Argument(metavar="FACT", help="The id of a fact in doubt; with --replaced the older one.")
    ],
    replaced: Annotated[bool, typer.Option("--replaced", help="It ended where the newer one begins.")] = False,
    both: Annotated[bool, typer.Option("--both", help="It holds beside the other one.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what was decided.")] = False,
    user: Handle = None,
) -> None:
    """Decide about a fact that may have been replaced, or contradicts another one. Shows its chain."""
    if replaced + both + undo != 1:
        raise InvalidInput("One of --replaced, --both and --undo.")
    async with here.memory(user) as memory:
        found = await memory.facts.decide(fact, "replaced" if replaced else "both" if both else None)
    _print(here, found)


@facts.async_command("attributes", as_json=True)
async def attributes(here: Session, user: Handle = None) -> None:
    """Of what facts give the value: the first 500 attributes, with what their values are and how many facts give one."""
    async with here.memory(user) as memory:
        found = await memory.facts.attributes(limit=500)
    rows = [
        (
            one.name,
            one.kind,
            "one" if one.single else "several",
            one.facts,
            one.subjects,
            f"{one.last_seen_at:%Y-%m-%d}",
        )
        for one in found
    ]
    columns = ("attribute", "value", "at a time", "facts", "subjects", "last said")
    print_list(here, {"attributes": found}, columns, rows, "No attributes.")


@facts.async_command("profile", as_json=True)
async def profile(
    here: Session,
    by_category: Annotated[bool, typer.Option("--by-category", help="By category, not by type.")] = False,
    user: Handle = None,
) -> None:
    """What is known of the user: live facts by type, the strongest of each."""
    async with here.memory(user) as memory:
        found = await memory.profiles.user("category" if by_category else "type")
    rows = [(one.name or "-", one.facts, f"{one.changed_at:%Y-%m-%d}", one.summary) for one in found]
    print_list(here, {"groups": found}, ("group", "facts", "changed", "strongest"), rows, "No facts.")


def _print(here: Session, found: Sequence[Fact], nothing: str = "No facts.") -> None:
    rows = [
        (one.fact_id, _status(one), one.valid_from, one.valid_to, one.confirmations, one.access_count, one.text)
        for one in found
    ]
    print_list(here, {"facts": found}, _NAMES, rows, nothing)


def _status(fact: Fact) -> str:
    marks = {
        "contradicted": fact.contradicts,
        "maybe replaced": fact.maybe_replaced_by,
        "maybe replaces another": fact.may_replace,
        "stale": fact.stale,
        DAY_PASSED: fact.passed,
    }
    return ", ".join([fact.status, *(mark for mark, there in marks.items() if there)])


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
async def list_retractions(here: Session, user: Handle = None) -> None:
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
    print_list(here, {"retractions": found}, _RETRACTION_COLUMNS, rows, "Nothing was withdrawn.")


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
    facts = [(one.fact_id, one.effect, one.text) for one in found.facts[:_RECORDS_SHOWN]]
    print_table(here, ("fact", "", "what"), facts, "No fact changes.")
    relations = [
        (one.relation_id, one.source_name, one.relation_type, one.target_name, f"{one.strength} → {one.left}")
        for one in found.relations[:_RECORDS_SHOWN]
    ]
    print_table(here, ("relation", "", "", "", "records"), relations, "No relation changes.")
