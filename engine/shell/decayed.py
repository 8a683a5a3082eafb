"""decayed: a search whose hits lose by their age."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.domain.search import DecayRequest
from engine.shell.answers import print_answer
from engine.shell.filtering import Below, Categories, Entities, Kinds, Narrow, Nodes, Scopes, Since, Tags, Until
from engine.shell.options import AsOf, Handle, KnownAt, moment_of
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session

commands = Commands()


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
