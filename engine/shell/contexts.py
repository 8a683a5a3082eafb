"""context: what a memory holds that matters to a question, as text for a model."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from engine.domain.context import Context, ContextAnswer, ContextRequest, Piece
from engine.domain.ingest import Limits
from engine.progress import counted
from engine.shell.filtering import Below, Categories, Entities, Kinds, Narrow, Nodes, Scopes, Since, Tags, Until
from engine.shell.options import AsOf, Handle, KnownAt, MaxMs, ModelCalls, Partial, moment_of
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.waiting import waiting

commands = Commands()
LONGEST = 160
"""Characters of a cited piece."""


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
