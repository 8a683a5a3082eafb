"""cypher: prints the engine's Neo4j statements as they are sent, to paste into Browser."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.errors import InvalidInput
from engine.shell.session import Commands, Session
from engine.stores.statements import cypher, cypher_names

commands = Commands()


@commands.async_command("cypher")
async def show(
    here: Session,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one, for example node/shell.")] = None,
) -> None:
    """Print a statement of the engine with its parts expanded, or the names of all."""
    names = cypher_names()
    if name is not None and name not in names:
        raise InvalidInput(f"There is no statement {name!r}; `neurigraph cypher` lists them.")
    for line in names if name is None else cypher(name).splitlines():
        here.line(line)
