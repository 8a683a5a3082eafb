"""up, down, status, init, prepare: the servers and their setup."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from engine.embedded import Stack, StackStatus, keep_running, status, stop
from engine.errors import SettingsError, StackError
from engine.progress import counted
from engine.shell import home_server
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import table
from engine.stores.urls import url_parts

LOOKS, LOOK = 5, 0.2
"""How often to check whether a process still uses the servers, and the seconds between."""

commands = Commands()


@commands.async_command("up", as_json=True)
async def up(
    here: Session,
    browser: Annotated[bool, typer.Option("--browser", help="Serve Neo4j Browser too.")] = False,
    show_secrets: Annotated[bool, typer.Option("--show-secrets", help="Print the passwords.")] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="With --browser: restart Neo4j even under processes that use it.")
    ] = False,
) -> None:
    """Start Neo4j and Postgres and keep them running; prints their addresses."""
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
    if settings.preload:
        await home_server.start(settings, stack)
    secrets = settings.home.absolute() / "secrets.json"
    if here.as_json:
        return print_json(here.out, _addresses(stack, secrets, show_secrets))
    here.out.print(_doors(stack, secrets, show_secrets))
    here.out.print(Text("\nEverything runs until `neurigraph down`. Ask with `neurigraph ask`, look with `status`."))


def _addresses(stack: Stack, secrets: Path, show_secrets: bool) -> dict[str, Any]:
    parts = url_parts(stack.postgres_url)
    passwords = {"neo4j_password": stack.neo4j_password, "postgres_password": parts.get("password", "")}
    return {
        "neo4j_url": stack.neo4j_url,
        "neo4j_user": stack.neo4j_user,
        "browser_url": stack.browser_url,
        "postgres": {name: parts.get(name) for name in ("host", "port", "user", "dbname")},
        "secrets": secrets,
    } | (passwords if show_secrets else {})


def _doors(stack: Stack, secrets: Path, show_secrets: bool) -> Table:
    """The addresses of the servers; passwords only on request."""
    parts = url_parts(stack.postgres_url)
    where = f"-h {parts.get('host')} -p {parts.get('port')} -U {parts.get('user')} {parts.get('dbname')}"
    password = parts.get("password", "")
    neo4j_password = stack.neo4j_password if show_secrets else "“neo4j” in secrets.json"
    rows = [("Neo4j", stack.neo4j_url), ("", f"user {stack.neo4j_user}, password {neo4j_password}")]
    if stack.browser_url:
        rows += [("Browser", stack.browser_url), ("", "favourites and colours: neurigraph browser export")]
    rows += [
        ("Postgres", f"psql {where}"),
        ("", f"password {password if show_secrets else '“owner” in secrets.json'}"),
        ("Passwords", f"{secrets}" + ("" if show_secrets else "  (or: neurigraph up --show-secrets)")),
        ("REST", "neurigraph serve"),
    ]
    return _pairs(rows)


@commands.async_command("down", as_json=True)
async def down(
    here: Session,
    force: Annotated[bool, typer.Option("--force", help="Stop them even under processes that use them.")] = False,
) -> None:
    """Stop Neo4j and Postgres. Refused while processes use them, which are listed."""
    _only_embedded(here)
    users = () if force else await _users(here)
    if users:
        using = ", ".join(users)
        raise StackError(f"In use by {using}: end that first, or stop the servers with `neurigraph down --force`.")
    stopped = await stop(here.settings.home)
    here.answer({"stopped": stopped}, "Stopped." if stopped else "Nothing was running.")


async def _users(here: Session) -> tuple[str, ...]:
    """The processes that use the servers. Waits for one that is just ending."""
    for _ in range(LOOKS):
        users = status(here.settings.home).holders
        if not users:
            break
        await asyncio.sleep(LOOK)
    return users


@commands.async_command("status", as_json=True)
async def show_status(here: Session) -> None:
    """Show which servers run, without starting any."""
    if here.is_managed:
        return await _managed_status(here)
    seen = status(here.settings.home)
    if here.as_json:
        shown = {
            "home": here.settings.home,
            "memory": seen.memory,
            "running": seen.running,
            "kept": seen.kept,
            "leases": seen.leases,
            "holders": seen.holders,
            "browser_url": seen.browser_url,
            "servers": seen.servers,
        }
        print_json(here.out, shown)
    elif not seen.running:
        here.line(f"Nothing runs in {here.settings.home}. `neurigraph up` starts it.")
    else:
        here.out.print(_servers(seen))
        here.line(f"\n{decimal(seen.memory)} in all; {_until(seen)}.")


def _until(seen: StackStatus) -> str:
    """Which processes use it and how long it runs."""
    used = f"used by {', '.join(seen.holders)}" if seen.holders else "not in use"
    if seen.kept:
        return f"{used}, kept until `neurigraph down`"
    return f"{used}, ends with the last of them" if seen.leases else "not in use, ends in a moment"


def _servers(seen: StackStatus) -> Table:
    figures = ("port", "pid", "memory", "CPU", "up")
    shown = table("server", *figures, right=figures)
    for server in seen.servers:
        memory, uptime = decimal(server.memory), timedelta(seconds=round(server.uptime))
        shown.add_row(server.name, str(server.port or ""), str(server.pid), memory, f"{server.cpu:.1f} s", str(uptime))
    return shown


async def _managed_status(here: Session) -> None:
    """Checks the stores in the settings one by one."""
    async with here.engine() as (opened, _):
        states = await opened.health()
    if here.as_json:
        print_json(here.out, {"running": all(state.healthy for state in states), "stores": states})
    else:
        here.out.print(_pairs([(state.store, state.detail or "answers") for state in states]))


@commands.async_command("init", as_json=True)
async def init(here: Session) -> None:
    """Download the servers and set up all stores; repeating it changes nothing."""
    async with here.engine() as (opened, _):
        states = {state.store: state.detail or "ready" for state in await opened.health()}
        if here.as_json:
            return print_json(
                here.out, {"home": here.settings.home, "encoder": opened.embedder.version, "stores": states}
            )
        rows = [
            ("Neo4j", states["neo4j"]),
            ("Postgres", states["postgres"]),
            ("Objects", states["objects"]),
            ("Encoder", f"{opened.embedder.version}, {counted(opened.embedder.dimension, 'dimension')}"),
            ("Home", str(here.settings.home)),
        ]
    here.out.print(_pairs(rows))


@commands.async_command("prepare", as_json=True)
async def prepare(here: Session) -> None:
    """Create the roles in a managed Postgres, as its administrator (NEURIGRAPH_POSTGRES_ADMIN_URL); may be repeated."""
    handed = await import_module("engine.wiring.addresses").prepare_managed(here.settings)  # late: it loads the drivers
    ready = "The roles are ready." + (f" {counted(handed, 'schema')} changed owner." if handed else "")
    here.answer({"schemas_that_changed_owner": handed}, ready)


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
