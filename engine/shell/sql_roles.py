"""sql-role: roles in Postgres with which analysts read the metadata of one user (docs/sql.md)."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

import engine
from engine.shell.options import Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, the_user
from engine.shell.tables import print_list
from engine.wiring.addresses import addresses_of, administrator_url

if TYPE_CHECKING:
    from engine.neurigraph import Engine
    from engine.stores.sql_roles import SqlRoles

Role = Annotated[str, typer.Argument(metavar="NAME", help="The name of the role: anna_reads.")]

roles = Commands("sql-role", "Roles in Postgres that read the metadata of one user by SQL.")


@roles.async_command("create", as_json=True)
async def create(
    here: Session,
    name: Role,
    user: Handle = None,
    from_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from stdin, one line, in place of a random one.")
    ] = False,
) -> None:
    """Make a role that reads for a user; its password is printed once, on stdout."""
    password = sys.stdin.readline().rstrip("\r\n") if from_stdin else None
    async with _administered(here) as (opened, made):
        owner = await the_user(opened, user)
        issued = await made.create(name, owner.user_id, password)
    if here.as_json:
        return print_json(here.out, issued)
    if not from_stdin:
        here.out.out(issued.password)
    psql = f"psql -h {issued.host} -p {issued.port} -U {issued.role} {issued.database}"
    shown = "" if from_stdin else " The password is shown only once."
    here.notes.print(Text(f"{psql} reads for {owner.handle}.{shown}", style="dim"), soft_wrap=True)


@roles.async_command("list", as_json=True)
async def list_roles(here: Session) -> None:
    """List the roles, whom they read for, and their open sessions."""
    async with here.operations() as (opened, _):
        found = await opened.analysts.roles()
    rows = [
        (one.role, one.handle or "(no user)", f"{one.created_at:%Y-%m-%d}" if one.created_at else "", one.sessions)
        for one in found
    ]
    nothing = "No roles. `neurigraph sql-role create NAME --user HANDLE` makes one."
    print_list(here, {"roles": found}, ("role", "reads for", "since", "sessions"), rows, nothing)


@roles.async_command("drop", as_json=True)
async def drop(here: Session, name: Role) -> None:
    """End a role's sessions and drop it."""
    async with _administered(here) as (_, made):
        await made.drop(name)
    here.answer({"name": name}, f"{name} is dropped.")


@asynccontextmanager
async def _administered(here: Session) -> AsyncIterator[tuple[Engine, SqlRoles]]:
    """The engine, and beside it the administrator, whom the engine itself does not know."""
    with here.progress() as progress:
        async with AsyncExitStack() as stack:
            addresses = await addresses_of(here.settings, progress, stack)
            url = administrator_url(here.settings, addresses)
            opening = engine.open_engine(here.settings, progress=progress, addresses=addresses, warming=False)
            opened = await stack.enter_async_context(opening)
            yield opened, opened.analysts.administered(url)
