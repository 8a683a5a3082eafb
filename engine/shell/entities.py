"""entity: people, places and things that a memory mentions; merges and their undoing; aliases, names and addresses that decide
whom a text means."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, get_args
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.clock import NOW, Moment
from engine.domain.entity import AliasType, Entity, EntitySummary
from engine.domain.fact import DAY_PASSED
from engine.domain.names import name_key
from engine.domain.read_limits import MOST
from engine.errors import Conflict, InvalidInput, NotFound
from engine.progress import counted
from engine.shell.options import AsOf, Handle, KnownAt, Reason, moment_of
from engine.shell.session import Commands, Session
from engine.shell.tables import last_read, print_list, print_table, with_left_out

if TYPE_CHECKING:
    from engine.memory import Memory

ALIKE = 2  # letters at the beginning of a misspelt name that are taken for right
NOTHING = "No entity is known. The job entities finds those of older records: `neurigraph job run entities`, or `serve`, runs it."
Who = typer.Argument(metavar="ENTITY", help="A name of it, or its id.")

entities = Commands("entity", "Entities: people, places and things that records mention.")

aliases = Commands("alias", "Names and addresses of an entity, which decide whom a text means.")
commands = entities


@entities.async_command("list", as_json=True)
async def list_entities(
    here: Session,
    user: Handle = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only of this kind, as person or place.")] = None,
    name: Annotated[str, typer.Option("--name", help="The beginning of a word in a name.")] = "",
    most: Annotated[int, typer.Option("--limit", min=1, help="At most so many.")] = MOST,
    everything: Annotated[bool, typer.Option("--all", help="Also what a single passage mentions.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List entities, those with most mentions first; without --all or a name none that a single passage mentions."""
    moment = moment_of(as_of, known_at)
    async with here.memory(user) as memory:
        limit = min(most, MOST)
        found = await memory.entities.list(moment, kinds=kind or (), name=name, limit=limit, everything=everything)
    answer = {"entities": found, "left_out": found.left_out}
    nothing = "No such entity is known." if kind or name else NOTHING
    nothing = "Only names in a single passage are known." if found.left_out else nothing
    print_list(here, answer, _HEAD, [_row(one) for one in found], nothing)
    if found.left_out and not here.as_json:
        here.line(f"{counted(found.left_out, 'name')} in a single passage left out (--all).")


_HEAD = ("entity", "name", "kind", "mentions", "facts", "nodes", "last", "also called")


def _row(one: EntitySummary) -> tuple[object, ...]:
    others = ", ".join(name for name in one.names if name != one.name)
    return (
        one.entity_id,
        one.name,
        one.kind,
        one.mentions,
        one.fact_count,
        one.nodes,
        f"{one.last_mentioned_at:%Y-%m-%d}",
        others,
    )


@entities.async_command("show", as_json=True)
async def show(
    here: Session, entity: Annotated[str, Who], user: Handle = None, as_of: AsOf = None, known_at: KnownAt = None
) -> None:
    """Show an entity: its names, where it is mentioned, the latest mentions."""
    moment = moment_of(as_of, known_at)
    async with here.memory(user) as memory:
        found = await memory.entities.get(await named(memory, entity, moment), moment)
    if here.as_json:
        here.answer(found, "")
        return
    here.out.print(
        Text(
            f"{found.name} · {found.kind} · {counted(found.mentions, 'mention')}, {counted(found.fact_count, 'fact')}",
            style="bold",
        )
    )
    here.out.print(Text(f"entity {found.entity_id}{_also(found)}", style="dim"))
    if read := last_read(found.last_accessed_at, found.access_count):
        here.out.print(Text(read, style="dim"))
    if found.mentioned is not None and found.mentioned.context:
        here.out.print(Text(f"{found.mentioned.at:%Y-%m-%d}: {found.mentioned.context}", style="italic"))
    if found.summary is not None:
        here.out.print(Text(f"{found.summary} · importance {found.importance or 0:.2f}"))
    anchors = [("/".join(one.path[1:]) or "/", one.mentions, "about it" * one.about) for one in found.anchors]
    print_table(here, ("node", "mentions", ""), anchors, "No node mentions it.")
    latest = [(f"{one.at:%Y-%m-%d}", one.title, one.role, one.count) for one in found.latest[:10]]
    print_table(here, ("when", "record", "role", "times"), latest, "No record mentions it.")


def _also(found: Entity) -> str:
    others = [name for name in found.names if name != found.name]
    return f" · also called {', '.join(others)}" if others else ""


@entities.async_command("profile", as_json=True)
async def profile(here: Session, entity: Annotated[str, Who], user: Handle = None) -> None:
    """Show in a few lines what is known of an entity now."""
    async with here.memory(user) as memory:
        found = await memory.profiles.entity(await named(memory, entity))
    here.answer(found, found.text)


@entities.async_command("facts", as_json=True)
async def facts(
    here: Session,
    entity: Annotated[str, Who],
    user: Handle = None,
    ended: Annotated[bool, typer.Option("--ended", help="Also those that are over.")] = False,
) -> None:
    """List facts about an entity, those that it is the subject of first."""
    async with here.memory(user) as memory:
        one = await named(memory, entity)
        found, over = await with_left_out(lambda too: memory.entities.facts(one, ended=too, limit=MOST), ended)
    marks = [DAY_PASSED if it.passed else "stale" if it.stale else "inferred" * bool(it.relation_id) for it in found]
    rows = [
        (it.fact_id or "-", it.text, it.status, it.confirmations, mark) for it, mark in zip(found, marks, strict=True)
    ]
    shown = {"facts": found, "ended_left_out": over}
    print_list(here, shown, ("fact", "text", "status", "confirmed", ""), rows, "No fact is known.")


_DERIVED = "the job communities does so for what three records mention (`neurigraph job run communities`)."


@entities.async_command("meaning", as_json=True)
async def meaning(here: Session, entity: Annotated[str, Who], user: Handle = None) -> None:
    """Show which words set the texts about an entity apart, whether they drift, and whose texts are like them."""
    async with here.memory(user) as memory:
        one = await named(memory, entity)
        try:
            found = await memory.entities.meaning(one)
        except NotFound as error:
            raise NotFound(f"Nothing is derived of {entity} yet: {_DERIVED}") from error
    drift = "too few texts" if found.drift is None else f"{found.drift:.2f}"
    words = ", ".join(found.descriptors) or "-"
    near = ", ".join(f"{one.name} {one.similarity:.2f}" for one in found.near) or "-"
    built = f"drift {drift}, {counted(found.items, 'text')}, built {found.rebuilt_at:%Y-%m-%d %H:%M}"
    here.answer(found, f"{words}\nnear: {near}\n{built}")


@entities.async_command("relations", as_json=True)
async def relations(
    here: Session,
    entity: Annotated[str, Who],
    user: Handle = None,
    ended: Annotated[bool, typer.Option("--ended", help="Also those that are over.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List the relations of an entity, the strongest first."""
    moment = moment_of(as_of, known_at)
    async with here.memory(user) as memory:
        one = await named(memory, entity, moment)
        found, over = await with_left_out(
            lambda too: memory.entities.relations(one, moment, ended=too, limit=MOST), ended
        )
    rows = [
        (
            *(each.relation_id, each.reads, each.other_name, each.strength, f"{each.confidence:.2f}"),
            *(each.since, each.until, "archived" if each.archived else ""),
        )
        for each in found
    ]
    head = ("relation", "", "other", "records", "confidence", "since", "until", "")
    print_list(here, {"relations": found, "ended_left_out": over}, head, rows, "No relation is known.")


@entities.async_command("why", as_json=True)
async def why(
    here: Session,
    relation: Annotated[UUID, typer.Argument(metavar="RELATION", help="Its id, from `entity relations`.")],
    user: Handle = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Show why a relation is believed: the records that state it, and where."""
    moment = moment_of(as_of, known_at)
    async with here.memory(user) as memory:
        found = await memory.entities.why(relation, moment)
    if here.as_json:
        here.answer(found, "")
        return
    here.out.print(Text(f"{found.source_name} {found.reads} {found.target_name}", style="bold"))
    rows = [
        (
            f"{one.at:%Y-%m-%d}",
            one.title,
            one.text or "",
            f"{one.weight:.2f}",
            "ended" if one.ended else "",
        )
        for one in found.evidence
    ]
    print_table(here, ("when", "record", "words", "weight", ""), rows, "Nothing states it.")


@entities.async_command("correct", as_json=True)
async def correct(
    here: Session,
    entity: Annotated[str, Who],
    user: Handle = None,
    name: Annotated[str | None, typer.Option("--name", help="What it is called.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="What it is, as person or place.")] = None,
    reason: Reason = "",
) -> None:
    """Correct the name of an entity or its kind, whatever it is mentioned as later; the old name still leads to it."""
    async with here.memory(user) as memory:
        found = await memory.entities.correct(await named(memory, entity), name=name, kind=kind, reason=reason)
    here.answer(found, f"{found.name} · {found.kind}")


@entities.async_command("review", as_json=True)
async def review(here: Session, user: Handle = None) -> None:
    """List pairs of entities that may be one; decide with `entity merge` or `entity apart`."""
    async with here.memory(user) as memory:
        found = await memory.entities.review(limit=MOST)
    rows = [(one.pair_id, one.name, one.other_name, f"{one.score:.2f}", one.reason) for one in found]
    print_list(here, {"pairs": found}, ("pair", "entity", "may be", "score", "why"), rows, "Nothing is to be decided.")


@entities.async_command("apart", as_json=True)
async def apart(
    here: Session,
    pair: Annotated[UUID, typer.Argument(metavar="PAIR", help="Its id, from `entity review`.")],
    user: Handle = None,
) -> None:
    """Decide that the entities of a pair are two."""
    async with here.memory(user) as memory:
        found = await memory.entities.tell_apart(pair)
    here.answer(found, f"{found.name} and {found.other_name} are two.")


@entities.async_command("merge", as_json=True)
async def merge(
    here: Session,
    entity: Annotated[str, Who],
    merged: Annotated[str, typer.Argument(metavar="OTHER", help="The one that becomes part of it: name or id.")],
    user: Handle = None,
    reason: Reason = "",
) -> None:
    """Take another entity as part of one: both are read as one. `entity undo` ends it."""
    async with here.memory(user) as memory:
        ids = [await named(memory, one) for one in (entity, merged)]
        made = await memory.entities.merge(ids[0], ids[1], reason)
    here.answer(
        made, f"{made.merged_name} is read as {made.entity_name}; undo it with: neurigraph entity undo {made.merge_id}"
    )


@entities.async_command("undo", as_json=True)
async def undo(
    here: Session,
    merge_id: Annotated[UUID, typer.Argument(metavar="MERGE", help="Its id, from `entity merges`.")],
    user: Handle = None,
) -> None:
    """Undo a merge: its entities are read apart again."""
    async with here.memory(user) as memory:
        undone = await memory.entities.undo_merge(merge_id)
    here.answer(undone, f"{undone.merged_name} is read apart from {undone.entity_name} again.")


@entities.async_command("merges", as_json=True)
async def merges(here: Session, user: Handle = None, as_of: AsOf = None, known_at: KnownAt = None) -> None:
    """List the merges that hold."""
    async with here.memory(user) as memory:
        found = await memory.entities.merges(moment_of(as_of, known_at), limit=MOST)
    rows = [(one.merge_id, one.entity_name, one.merged_name, f"{one.at:%Y-%m-%d}", one.reason) for one in found]
    print_list(here, {"merges": found}, ("merge", "entity", "merged", "when", "why"), rows, "Nothing is merged.")


async def named(memory: Memory, text: str, moment: Moment = NOW) -> UUID:
    """The entity of that id, or the only one that is called so. Raises NotFound, Conflict where several are; both name what may
    be meant."""
    with suppress(ValueError):
        return UUID(text)
    found = await memory.entities.list(moment, name=text, limit=MOST)
    so = "so" if found else "alike"
    # Who is shown by a name of which texts use a part ("Nora Halvorsen" in a memory that says "Nora") is listed by its beginning.
    found = found or await memory.entities.list(moment, name=text[:ALIKE], limit=5)
    exact = [one for one in found if name_key(text) in {name_key(name) for name in (one.name, *one.names)}]
    if len(exact) == 1:
        return exact[0].entity_id
    listed = "; ".join(f"{one.name}, {one.kind}, {one.entity_id}" for one in (exact or found)[:5])
    if exact:
        raise Conflict(f"Several entities are called {text}: give an id. {listed}")
    raise NotFound(f"No entity is called {text}." + (f" Names that begin {so}: {listed}" if found else ""))


commands.add_typer(aliases)


_TYPES: tuple[AliasType, ...] = get_args(AliasType)
_Entity = Annotated[str, Who]
_Type = Annotated[str, typer.Argument(metavar="TYPE", help=f"{', '.join(_TYPES)}.")]
_Value = Annotated[str, typer.Argument(metavar="VALUE", help="The alias, as dave@example.org.")]


@aliases.async_command("list", as_json=True)
async def list_aliases(here: Session, entity: _Entity, user: Handle = None) -> None:
    """List the aliases of an entity."""
    async with here.memory(user) as memory:
        found = await memory.entities.aliases(await named(memory, entity))
    rows = [(one.type, one.value, "verified" * one.verified, f"{one.known_from:%Y-%m-%d}") for one in found]
    print_list(here, {"aliases": found}, ("type", "alias", "", "known since"), rows, "It has no alias.")


@aliases.async_command("add", as_json=True)
async def add(here: Session, entity: _Entity, alias_type: _Type, value: _Value, user: Handle = None) -> None:
    """Give an entity an alias: where a text has it, that entity is meant."""
    async with here.memory(user) as memory:
        found = await memory.entities.add_alias(await named(memory, entity), _type(alias_type), value)
    here.answer(found, f"{found.value} ({found.type}) is an alias of it.")


@aliases.async_command("verify", as_json=True)
async def verify(here: Session, entity: _Entity, alias_type: _Type, value: _Value, user: Handle = None) -> None:
    """Vouch for an alias that the entity has."""
    async with here.memory(user) as memory:
        found = await memory.entities.verify_alias(await named(memory, entity), _type(alias_type), value)
    here.answer(found, f"{found.value} ({found.type}) is verified.")


@aliases.async_command("remove", as_json=True)
async def remove(here: Session, entity: _Entity, alias_type: _Type, value: _Value, user: Handle = None) -> None:
    """Take an alias from an entity: it is free for another one."""
    async with here.memory(user) as memory:
        found = await memory.entities.remove_alias(await named(memory, entity), _type(alias_type), value)
    here.answer(found, f"{found.value} ({found.type}) is no alias of it any more.")


def _type(written: str) -> AliasType:
    """Raises InvalidInput."""
    for one in _TYPES:
        if one == written:
            return one
    raise InvalidInput(f"An alias is one of {', '.join(_TYPES)}.")
