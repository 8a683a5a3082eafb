"""relation, intention, community, insight: relations between entities, and what you decide of one; what people say that they
want or plan to do, which is experimental; what belongs together, and what is seen over it."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.clock import NOW
from engine.domain.community import InsightKind
from engine.domain.intention import IntentionState
from engine.domain.read_limits import MOST
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.entities import named
from engine.shell.nodes import pairs
from engine.shell.options import AsOf, Handle, KnownAt, Reason, moment_of
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, print_table, with_left_out

relations = Commands(
    "relation", "Relations between entities: list, set one aside, describe it. See `entity relations`, `entity why`."
)
_Relation = Annotated[UUID, typer.Argument(metavar="RELATION", help="Its id, from `entity relations`.")]
_Reason = Annotated[str, typer.Option("--reason", help="Why.")]

intentions = Commands("intention", "Intentions that records state; kept with NEURIGRAPH_INTENTIONS=true.")
_Intention = Annotated[UUID, typer.Argument(metavar="INTENTION", help="Its id, from `intention list`.")]

communities = Commands("community", "Communities of entities and clusters of facts, as a job finds them.")
insights = Commands("insight", "Insights: contradictions, patterns, trends, communities.")


@relations.async_command("between", as_json=True)
async def between(
    here: Session,
    entities: Annotated[list[str], typer.Argument(metavar="ENTITY…", help="Two or more: names or ids.")],
    user: Handle = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List the relations from one of these entities to another one, the strongest first."""
    moment = moment_of(as_of, known_at)
    async with here.memory(user) as memory:
        names = {await named(memory, one, moment): one for one in entities}
        if len(names) < 2:
            raise InvalidInput("Name two or more entities; those of one are listed by `entity relations`.")
        found = await memory.entities.relations_between(list(names), moment, limit=MOST)
        ends = {one for each in found for one in (each.source_id, each.target_id)} - names.keys()
        names |= {one: (await memory.entities.get(one, moment)).name for one in ends}  # what one was merged into
    rows = [
        (one.relation_id, names[one.source_id], one.reads, names[one.target_id], one.since, one.until) for one in found
    ]
    head = ("relation", "", "", "", "since", "until")
    print_list(
        here,
        {"relations": found},
        head,
        rows,
        "No relation leads from one of them to another. Ways over others: `neurigraph cypher connections`.",
    )


@relations.async_command("together", as_json=True)
async def together(
    here: Session,
    entities: Annotated[list[str], typer.Argument(metavar="ENTITY…", help="Two or more: names or ids.")],
    user: Handle = None,
) -> None:
    """List the pairs of these entities that records mention together, those with most records first."""
    async with here.memory(user) as memory:
        names = {await named(memory, one, NOW): one for one in entities}
        found = await memory.entities.mentioned_together(list(names), limit=MOST)
        ends = {one for each in found for one in (each.first_id, each.other_id)} - names.keys()
        names |= {one: (await memory.entities.get(one)).name for one in ends}  # what one was merged into
    rows = [(names[one.first_id], names[one.other_id], one.records) for one in found]
    print_list(here, {"pairs": found}, ("", "", "records"), rows, "No record mentions two of them.")


@relations.async_command("archive", as_json=True)
async def archive(here: Session, relation: _Relation, reason: _Reason = "", user: Handle = None) -> None:
    """Set a relation aside that is wrong, whatever states it from then on."""
    async with here.memory(user) as memory:
        found = await memory.entities.archive_relation(relation, reason)
    here.answer(found, f"Archived: {found.reads} {found.other_name}.")


@relations.async_command("restore", as_json=True)
async def restore(here: Session, relation: _Relation, reason: _Reason = "", user: Handle = None) -> None:
    """Let an archived relation count again."""
    async with here.memory(user) as memory:
        found = await memory.entities.restore_relation(relation, reason)
    here.answer(found, f"It counts again: {found.reads} {found.other_name}.")


@relations.async_command("describe", as_json=True)
async def describe(
    here: Session,
    relation: _Relation,
    properties: Annotated[list[str], typer.Argument(metavar="NAME=VALUE…", help="All properties that it is to have.")],
    user: Handle = None,
) -> None:
    """Give a relation properties of your own, in place of those that it has."""
    given = pairs(properties)
    async with here.memory(user) as memory:
        found = await memory.entities.describe_relation(relation, given)
    listed = ", ".join(f"{name}={value}" for name, value in found.properties.items())
    here.answer(found, f"{found.reads} {found.other_name}: {listed or 'no properties'}")


@intentions.async_command("list", as_json=True)
async def list_intentions(
    here: Session,
    user: Handle = None,
    of: Annotated[str | None, typer.Option("--of", metavar="ENTITY", help="Only of this entity: name or id.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are done or dropped.")] = False,
) -> None:
    """List open intentions, those that are due first."""
    async with here.memory(user) as memory:
        entity = None if of is None else await named(memory, of)
        found = await memory.intentions.list(state=None if every else "open", entity_id=entity, limit=MOST)
    rows = [
        (one.intention_id, one.entity_name, one.text, one.state, one.due, f"{one.said_at:%Y-%m-%d}", one.title)
        for one in found
    ]
    head = ("intention", "who", "text", "state", "due", "said", "record")
    print_list(here, {"intentions": found}, head, rows, "No intention is known.")


@intentions.async_command("done", as_json=True)
async def done(here: Session, intention: _Intention, reason: Reason = "", user: Handle = None) -> None:
    """Say that an intention is done."""
    await _decided(here, user, intention, "done", reason)


@intentions.async_command("drop", as_json=True)
async def drop(here: Session, intention: _Intention, reason: Reason = "", user: Handle = None) -> None:
    """Say that an intention is dropped."""
    await _decided(here, user, intention, "dropped", reason)


@intentions.async_command("reopen", as_json=True)
async def reopen(here: Session, intention: _Intention, reason: Reason = "", user: Handle = None) -> None:
    """Say that an intention is open again."""
    await _decided(here, user, intention, "open", reason)


async def _decided(here: Session, user: str | None, intention: UUID, state: IntentionState, reason: str) -> None:
    async with here.memory(user) as memory:
        found = await memory.intentions.decide(intention, state, reason)
    here.answer(found, f"{found.state}: {found.text}")


@communities.async_command("list", as_json=True)
async def list_communities(
    here: Session,
    user: Handle = None,
    facts: Annotated[bool, typer.Option("--facts", help="Clusters of facts.")] = False,
) -> None:
    """List the largest communities of entities, or clusters of facts."""
    async with here.memory(user) as memory:
        found = await memory.communities.list("facts" if facts else "entities", limit=MOST)
    rows = [(one.community_id, one.name, one.size, f"{one.built_at:%Y-%m-%d %H:%M}", one.summary) for one in found]
    empty = "Nothing was found to belong together; the job communities looks for it."
    print_list(here, {"communities": found}, ("community", "name", "members", "built", "summary"), rows, empty)


@communities.async_command("show", as_json=True)
async def show(
    here: Session,
    community: Annotated[UUID, typer.Argument(metavar="COMMUNITY", help="Its id, from `community list`.")],
    user: Handle = None,
) -> None:
    """Show a community or a cluster with its members."""
    async with here.memory(user) as memory:
        found = await memory.communities.get(community)
    if here.as_json:
        here.answer(found, "")
        return
    one, names = found.community, {member.member_id: member.text for member in found.members}
    here.out.print(Text(f"{one.name} · {counted(one.size, 'member')}", style="bold"))
    here.out.print(Text(f"built {one.built_at:%Y-%m-%d %H:%M}, changed {one.changed_at:%Y-%m-%d %H:%M}", style="dim"))
    members = [(each.text, each.kind, f"{each.importance:.2f}", each.records) for each in found.members]
    print_table(here, ("member", "kind", "importance", "records"), members, "Nothing belongs to it.")
    between = [(names[each.source_id], each.reads, names[each.target_id], each.strength) for each in found.relations]
    if between:
        print_table(here, ("", "", "", "records"), between, "")


@insights.async_command("list", as_json=True)
async def list_insights(
    here: Session,
    user: Handle = None,
    kind: Annotated[InsightKind | None, typer.Option("--kind", help="Only of this kind.")] = None,
    ended: Annotated[bool, typer.Option("--ended", help="Also those that were found no more.")] = False,
) -> None:
    """List insights, the newest first."""
    async with here.memory(user) as memory:
        found, over = await with_left_out(lambda too: memory.insights.list(kind, ended=too, limit=MOST), ended)
    rows = [
        (one.kind, one.text, f"{one.known_from:%Y-%m-%d}", f"{one.known_to:%Y-%m-%d}" if one.known_to else "")
        for one in found
    ]
    answer = {"insights": found, "ended_left_out": over}
    print_list(here, answer, ("kind", "what", "since", "to"), rows, "Nothing is seen yet.")
