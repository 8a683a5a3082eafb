"""community, insight: what belongs together, and what is seen over it."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.community import InsightKind
from engine.domain.read_limits import MOST
from engine.progress import counted
from engine.shell.options import Handle
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, print_table, with_left_out

communities = Commands("community", "Communities of entities and clusters of facts, as a job finds them.")
insights = Commands("insight", "Insights: contradictions, patterns, trends, communities.")


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
