"""bloom, browser: files for programs that draw the graph of a user."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.exploring.looks import favourites, style_sheet
from engine.exploring.perspective import perspective
from engine.naming.configuration import load_domain
from engine.shell.options import Handle, path_named
from engine.shell.plain_json import print_json, write_json
from engine.shell.session import Commands, Session, the_user
from engine.stores.whole_files import write_whole

bloom = Commands("bloom", "A perspective for Neo4j Bloom.")
browser = Commands("browser", "Favourites and a style sheet for Neo4j Browser.")


@bloom.async_command("export")
async def export_perspective(
    here: Session,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", parser=path_named, help="Write it there, not to stdout.")
    ] = None,
    user: Handle = None,
) -> None:
    """Write a perspective on the graph of a user, to be imported in Bloom."""
    async with here.engine() as (opened, _):
        whose = await the_user(opened, user)
        made = await perspective(opened, whose)
    if out is None:
        print_json(here.out, made)
    else:
        write_json(out, made)
        here.line(f"{out}: the graph of {whose.handle}. Import it in Bloom, and use it for this user alone.")


@browser.async_command("export", as_json=True)
async def export_favourites(
    here: Session,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", parser=path_named, help="Where to.")] = Path(),
    user: Handle = None,
) -> None:
    """Write favourites for the graph of a user, and a style sheet; drop both on the window of Neo4j Browser."""
    async with here.operations() as (opened, _):
        whose = await the_user(opened, user)
    domain = load_domain(here.settings.domain)
    files = {"neurigraph-favourites.zip": favourites(whose.user_id), "neurigraph.grass": style_sheet(domain).encode()}
    for name, content in files.items():
        write_whole(out / name, content)
    here.answer({"files": [out / name for name in files]}, "\n".join(str(out / name) for name in files))
