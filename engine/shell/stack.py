"""up, down, status, init, prepare: the servers and their setup."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from engine.embedded import Stack, StackStatus, keep_running, status, stop
from engine.errors import SettingsError, StackError
from engine.shell import session
from engine.shell.options import AsJson
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted
from engine.stores.urls import url_parts
from engine.wiring.addresses import prepare_managed

LOOKS, LOOK = 5, 0.2
"""How often to check whether a process still uses the servers, and the seconds between."""


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("up")(up)
    app.command("down")(down)
    app.command("status")(show_status)
    app.command("init")(init)
    app.command("prepare")(prepare)


def up(
    context: typer.Context,
    browser: Annotated[bool, typer.Option("--browser", help="Serve Neo4j Browser too.")] = False,
    show_secrets: Annotated[bool, typer.Option("--show-secrets", help="Print the passwords.")] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="With --browser: restart Neo4j even under processes that use it.")
    ] = False,
) -> None:
    """Start Neo4j and Postgres and keep them running; prints their addresses."""
    here = session.of(context)
    here.run(_up(here, browser=browser, show_secrets=show_secrets, restart=restart))


async def _up(here: Session, *, browser: bool, show_secrets: bool, restart: bool) -> None:
    _only_embedded(here)
    settings = here.settings
    with here.progress() as progress:
        stack = await keep_running(
            settings.home,
            settings.cache,
            progress=progress,
            base_url=settings.jars_url,
            browser=browser,
            restart=restart,
        )
    async with here.engine():
        pass  # runs the migrations, so that psql and Browser find tables
    here.out.print(_doors(stack, settings.home.absolute() / "secrets.json", show_secrets))
    here.out.print(Text("\nEverything runs until `neurigraph down`. Ask with `neurigraph ask`, look with `status`."))


def _doors(stack: Stack, secrets: object, show_secrets: bool) -> Table:
    """The addresses of the servers; passwords only on request."""
    parts = url_parts(stack.postgres_url)
    where = f"-h {parts.get('host')} -p {parts.get('port')} -U {parts.get('user')} {parts.get('dbname')}"
    password = parts.get("password", "")
    rows = [
        ("Neo4j", stack.neo4j_url),
        (
            "",
            f"user {stack.neo4j_user}, password {stack.neo4j_password if show_secrets else '“neo4j” in secrets.json'}",
        ),
    ]
    if stack.browser_url:
        rows.append(("Browser", stack.browser_url))
    rows += [
        ("Postgres", f"psql {where}"),
        ("", f"password {password if show_secrets else '“owner” in secrets.json'}"),
        ("Passwords", f"{secrets}" + ("" if show_secrets else "  (or: neurigraph up --show-secrets)")),
        ("REST", "neurigraph serve"),
    ]
    return _pairs(rows)


def down(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Stop them even under processes that use them.")] = False,
) -> None:
    """Stop Neo4j and Postgres. Refused while processes use them, which are listed."""
    here = session.of(context)
    here.run(_down(here, force=force))


async def _down(here: Session, *, force: bool) -> None:
    _only_embedded(here)
    users = () if force else await _users(here)
    if users:
        raise StackError(
            f"In use by {', '.join(users)}: end that first, or stop the servers with `neurigraph down --force`."
        )
    stopped = await stop(here.settings.home)
    here.out.print("Stopped." if stopped else "Nothing was running.")


async def _users(here: Session) -> tuple[str, ...]:
    """The processes that use the servers. Waits for one that is just ending."""
    for _ in range(LOOKS):
        users = status(here.settings.home).holders
        if not users:
            break
        await asyncio.sleep(LOOK)
    return users


def show_status(context: typer.Context, as_json: AsJson = False) -> None:
    """Show which servers run, without starting any."""
    here = session.of(context)
    if here.is_managed:
        here.run(_managed_status(here, as_json))
        return
    seen = status(here.settings.home)
    if as_json:
        print_json(here.out, {"home": here.settings.home, "memory": seen.memory, **_seen(seen)})
    elif not seen.running:
        here.out.print(f"Nothing runs in {here.settings.home}. `neurigraph up` starts it.", soft_wrap=True)
    else:
        here.out.print(_servers(seen))
        here.out.print(f"\n{decimal(seen.memory)} in all; {_until(seen)}.", soft_wrap=True)


def _until(seen: StackStatus) -> str:
    """Which processes use it and how long it runs."""
    used = f"used by {', '.join(seen.holders)}" if seen.holders else "not in use"
    if seen.kept:
        return f"{used}, kept until `neurigraph down`"
    return f"{used}, ends with the last of them" if seen.leases else "not in use, ends in a moment"


def _seen(seen: StackStatus) -> dict[str, object]:
    return {
        "running": seen.running,
        "kept": seen.kept,
        "leases": seen.leases,
        "holders": seen.holders,
        "browser_url": seen.browser_url,
        "servers": seen.servers,
    }


def _servers(seen: StackStatus) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("server")
    for name in ("port", "pid", "memory", "CPU", "up"):
        table.add_column(name, justify="right")
    for server in seen.servers:
        minutes, seconds = divmod(round(server.uptime), 60)
        hours, minutes = divmod(minutes, 60)
        uptime = f"{hours}:{minutes:02}:{seconds:02}"
        cells = (str(server.port), str(server.pid), decimal(server.memory), f"{server.cpu:.1f} s", uptime)
        table.add_row(server.name, *cells)
    return table


async def _managed_status(here: Session, as_json: bool) -> None:
    """Checks the stores in the settings one by one."""
    async with here.engine() as (opened, _):
        states = await opened.health()
    if as_json:
        print_json(here.out, {"running": all(state.healthy for state in states), "stores": states})
    else:
        here.out.print(_pairs([(state.store, state.detail or "answers") for state in states]))


def init(context: typer.Context) -> None:
    """Download the servers and set up all stores; repeating it changes nothing."""
    here = session.of(context)
    here.run(_init(here))


async def _init(here: Session) -> None:
    async with here.engine() as (opened, _):
        states = {state.store: state.detail or "ready" for state in await opened.health()}
        rows = [
            ("Neo4j", states["neo4j"]),
            ("Postgres", states["postgres"]),
            ("Objects", states["objects"]),
            ("Encoder", f"{opened.embedder.version}, {counted(opened.embedder.dimension, 'dimension')}"),
            ("Home", str(here.settings.home)),
        ]
    here.out.print(_pairs(rows))


def prepare(context: typer.Context) -> None:
    """Create the roles in a managed Postgres, as its administrator (NEURIGRAPH_POSTGRES_ADMIN_URL); may be repeated."""
    here = session.of(context)
    handed = here.run(prepare_managed(here.settings))
    here.out.print("The roles are ready." + (f" {counted(handed, 'schema')} changed owner." if handed else ""))


def _only_embedded(here: Session) -> None:
    if here.is_managed:
        raise SettingsError("The settings name managed servers; the engine does not start or stop them.")


def _pairs(rows: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 3))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table
