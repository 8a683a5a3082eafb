"""cypher: prints the engine's Neo4j statements as they are sent, to paste into Browser."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from engine.shell import session
from engine.stores.statements import cypher, cypher_names


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("cypher")(show)


def show(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one, for example node/shell.")] = None,
) -> None:
    """Print a statement of the engine with its parts expanded, or the names of all."""
    here = session.of(context)
    names = cypher_names()
    if name is not None and name not in names:
        raise session.failed(here.notes, f"There is no statement {name!r}; `neurigraph cypher` lists them.")
    for line in names if name is None else cypher(name).splitlines():
        here.out.print(Text(line), soft_wrap=True)
