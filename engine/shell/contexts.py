"""context, decayed: what a memory holds that matters to a question, as text for a model; a search whose hits lose by their age;
and the options that say what a search takes in, for `ask`, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from engine.domain.context import Context, ContextAnswer, ContextRequest, Piece
from engine.domain.ingest import Limits
from engine.domain.scope import MemoryScope
from engine.domain.search import DecayRequest, Filters
from engine.progress import counted
from engine.shell.answers import print_answer
from engine.shell.entities import named
from engine.shell.options import AsOf, Handle, KnownAt, MaxMs, ModelCalls, Partial, moment_of, point, scope_named
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tokens import node_at
from engine.shell.waiting import waiting

if TYPE_CHECKING:
    from engine.memory import Memory

Texts = list[str] | None
Nodes = Annotated[Texts, typer.Option("--node", metavar="NODE", help="Only at this node: its path, or its id.")]
Below = Annotated[Texts, typer.Option("--below", metavar="NODE", help="Only at this node and below it.")]
Kinds = Annotated[Texts, typer.Option("--kind", metavar="KIND", help="turn, chunk, fact, observation or summary.")]
Categories = Annotated[Texts, typer.Option("--category", metavar="TEXT", help="Only of this category.")]
Tags = Annotated[Texts, typer.Option("--tag", metavar="TEXT", help="Only with this tag.")]
Entities = Annotated[Texts, typer.Option("--entity", metavar="NAME", help="Only what names it: a name, or an id.")]
Scopes = Annotated[
    list[MemoryScope] | None,
    typer.Option("--scope", parser=scope_named, metavar="SCOPE", help="Search thread:ID or workflow:ID too."),
]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Only what occurred then or later.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only what occurred before.")]

commands = Commands()
LONGEST = 160
"""Characters of a cited piece."""


@dataclass(frozen=True, slots=True)
class Narrow:
    """These options as they were given."""

    nodes: Texts = None
    below: Texts = None
    kinds: Texts = None
    categories: Texts = None
    tags: Texts = None
    entities: Texts = None
    since: str | None = None
    until: str | None = None

    async def read(self, memory: Memory) -> dict[str, Any]:
        """The arguments of a request. Raises NotFound, Conflict, InvalidInput."""
        filters = Filters(
            below=await _nodes(memory, self.below or ()),
            categories=tuple(self.categories or ()),
            tags=tuple(self.tags or ()),
            entities=tuple([await named(memory, one) for one in self.entities or ()]),
            since=point(self.since),
            until=point(self.until),
        )
        nodes = await _nodes(memory, self.nodes or ())
        return {"nodes": nodes or None, "kinds": tuple(self.kinds) if self.kinds else None, "filters": filters}


async def _nodes(memory: Memory, named_nodes: Sequence[str]) -> tuple[Any, ...]:
    return tuple([await node_at(memory, one) for one in named_nodes])


@commands.async_command("context", as_json=True)
async def context(
    here: Session,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What a model is to answer, in quotes.")],
    user: Handle = None,
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Tokens that the text may have.")] = 2000,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Hits that it is made of.")] = 30,
    scope: Scopes = None,
    node: Nodes = None,
    below: Below = None,
    kind: Kinds = None,
    category: Categories = None,
    tag: Tags = None,
    entity: Entities = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    max_ms: MaxMs = None,
    model_calls: ModelCalls = None,
    partial: Partial = False,
) -> None:
    """Print what a memory holds that matters to a question, ready for a prompt; with --json also all sources."""
    moment = moment_of(as_of, known_at)
    narrow = Narrow(node, below, kind, category, tag, entity, since, until)
    async with here.memory(user, Limits(model_calls=model_calls)) as memory:
        where = await narrow.read(memory)
        request = ContextRequest(
            question, tokens, limit, moment=moment, scopes=tuple(scope or ()), max_ms=max_ms, partial=partial, **where
        )
        async with waiting(here):
            found = await memory.context(request)
    if here.as_json:
        return print_json(here.out, found)
    here.out.print(Text(found.text), soft_wrap=True)
    print_rest(here.notes, found)


def print_rest(console: Console, found: Context) -> None:
    """Prints how much it is, what was left out, and what is only a part."""
    left = f", {counted(len(found.left_out), 'piece')} left out" if found.left_out else ""
    console.print(Text(f"{counted(found.tokens, 'token')}, {counted(len(found.pieces), 'piece')}{left}", style="dim"))
    for note in (*(f"Partial: {one}" for one in found.partial), *found.notes):
        console.print(Text(note, style="yellow"))


def print_answered(console: Console, given: ContextAnswer) -> None:
    """Prints an answer with the pieces that it cites."""
    console.print(Text(given.answer, style="yellow" if given.refused else ""))
    cited = [piece for piece in given.context.pieces if piece.mark in given.citations]
    if cited:
        console.print()
    for piece in cited:
        console.print(Text(f"[{piece.mark}] ", style="bold").append(_cited(piece), style="dim"))


def _cited(piece: Piece) -> str:
    words = " ".join(piece.text.split())
    short = words if len(words) <= LONGEST else f"{words[:LONGEST]} …"
    date = f"{piece.occurred_at:%Y-%m-%d}" if piece.occurred_at else ""
    return " · ".join(part for part in (piece.title, piece.section, date, piece.speaker, short) if part)


@commands.async_command("decayed", as_json=True)
async def decayed(
    here: Session,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know, in quotes.")],
    user: Handle = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Hits.")] = 5,
    days: Annotated[float | None, typer.Option("--days", help="Age at which an item counts half.")] = None,
    least: Annotated[float, typer.Option("--least-confidence", help="Less sure items are left out (0 to 1).")] = 0.0,
    scope: Scopes = None,
    node: Nodes = None,
    below: Below = None,
    kind: Kinds = None,
    category: Categories = None,
    tag: Tags = None,
    entity: Entities = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Search by meaning, confidence and age together: the newer of two alike comes first."""
    moment, scopes = moment_of(as_of, known_at), tuple(scope or ())
    narrow = Narrow(node, below, kind, category, tag, entity, since, until)
    async with here.memory(user) as memory:
        where = await narrow.read(memory)
        request = DecayRequest(question, limit, days, least, moment=moment, scopes=scopes, **where)
        answer = await memory.search_decayed(request)
    if here.as_json:
        return print_json(here.out, answer)
    print_answer(here.out, answer, most_hits=limit)
