"""grant, access: grants to personas and integrations, and who could see a node at a time."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal, cast
from uuid import UUID

import typer
from rich.text import Text

from engine.access.grants import LITTLE_CONFIDENCE
from engine.domain.grant import FIELDS, Field, NewGrant
from engine.errors import InvalidInput
from engine.shell import session
from engine.shell.grants_shown import print_preview
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.tables import print_table, timestamp
from engine.shell.tokens import integration_named, node_at, span

if TYPE_CHECKING:
    pass

Node = Annotated[str, typer.Argument(metavar="NODE", help="The node: Family/Health, or its id.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    grants = typer.Typer(no_args_is_help=True, help="Rights on single nodes, for personas and integrations.")
    grants.command("give")(give)
    grants.command("preview")(preview)
    grants.command("revoke")(revoke)
    grants.command("list")(list_grants)
    app.add_typer(grants, name="grant")
    access = typer.Typer(no_args_is_help=True, help="Who could see what, and what was refused.")
    access.command("who")(who)
    access.command("log")(log)
    app.add_typer(access, name="access")


def give(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    node: Node,
    user: Handle = None,
    persona: Annotated[str | None, typer.Option("--persona", metavar="PATH", help="To this persona.")] = None,
    integration: Annotated[str | None, typer.Option("--integration", metavar="NAME", help="To this one.")] = None,
    mode: Annotated[Literal["read", "read_write"], typer.Option("--mode", help="Only personas may write.")] = "read",
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=5, help="How many layers below the node it includes.")
    ] = 0,
    fields: Annotated[
        str, typer.Option("--fields", help="Some of records,items,files; empty: only the shell.")
    ] = ",".join(FIELDS),
    purpose: Annotated[str, typer.Option("--purpose", help="The purpose, in one line.")] = "",
    expires: Annotated[str | None, typer.Option("--expires", metavar="30d", help="Ends after 30m, 12h, 30d.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    past: Annotated[bool, typer.Option("--past", help="Also as it was before the grant.")] = False,
    as_json: AsJson = False,
) -> None:
    """Grant a persona or an integration access to one node, and below it with --depth; a preview is shown first."""
    here = session.of(context)
    if (persona is None) == (integration is None):
        raise session.failed(here.notes, "Say to whom: --persona PATH or --integration NAME.")

    async def work() -> None:
        async with here.engine() as (engine, _):
            memory = engine.memory((await session.the_user(engine, user)).user_id)
            if persona is not None:
                subject = await node_at(memory, persona, persona=True)
            else:
                subject = (await integration_named(engine.workspace, integration or "")).integration_id
            new = NewGrant(
                await node_at(memory, node),
                "third_party" if persona is None else "persona",
                subject,
                mode,
                depth,
                _fields(fields),
                purpose,
                datetime.now(UTC) + span(expires) if expires else None,
                past,
            ).checked()
            if not as_json and not yes:
                print_preview(here, await memory.grants.preview(new.node_id, depth=depth))
                if sys.stdin.isatty() and not await asyncio.to_thread(typer.confirm, "Give it?"):
                    raise InvalidInput("Nothing was granted.")
            given = await memory.grants.give(new)
        if as_json:
            print_json(here.out, given)
        else:
            state = "given" if given.created else "was given already"
            here.out.print(Text(f"Grant {given.grant_id}: {state}."), soft_wrap=True)

    here.run(work())


def preview(
    context: typer.Context,
    node: Node,
    user: Handle = None,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=5, help="How many layers below the node it would include.")
    ] = 0,
    below: Annotated[
        float, typer.Option("--below", min=0, max=1, help="List records placed with a confidence below this.")
    ] = LITTLE_CONFIDENCE,
    as_json: AsJson = False,
) -> None:
    """Preview a grant on a node: its content, and records placed there with little confidence. Changes nothing."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place = await node_at(memory, node)
            opened = await memory.grants.preview(place, depth=depth, below=below)
        if as_json:
            print_json(here.out, opened)
        else:
            print_preview(here, opened)

    here.run(work())


def revoke(
    context: typer.Context, grant: Annotated[UUID, typer.Argument(metavar="GRANT")], user: Handle = None
) -> None:
    """Revoke a grant; it takes effect with the next request."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            ended = await memory.grants.revoke(grant)
        here.out.print(Text(f"Grant {grant}: ended {_time(ended.revoked_at)}."), soft_wrap=True)

    here.run(work())


def list_grants(
    context: typer.Context,
    user: Handle = None,
    ended: Annotated[bool, typer.Option("--ended", help="Include grants that have ended.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the first 500 grants of a user."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            grants = await memory.grants.list(ended=ended, limit=500)
        if as_json:
            print_json(here.out, {"grants": grants})
            return
        rows = [
            (
                str(g.grant_id),
                g.node_name,
                f"{g.subject_name} ({g.subject_kind})",
                g.mode,
                "yes" if g.past else "",
                _time(g.revoked_at or g.expires_at),
            )
            for g in grants
        ]
        print_table(here, ("grant", "node", "to", "may", "past", "ends"), rows, "Nothing is granted.")

    here.run(work())


def who(
    context: typer.Context,
    node: Node,
    user: Handle = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="ISO 8601, as in 2026-03-01T18:00Z.")] = None,
    as_json: AsJson = False,
) -> None:
    """Who could see a node, now or at a time."""
    here = session.of(context)

    async def work() -> None:
        moment = _moment(at) if at else None
        async with here.memory(user) as memory:
            viewers = await memory.grants.audience(await node_at(memory, node), moment)
        if as_json:
            print_json(here.out, {"viewers": viewers})
            return
        rows = [
            (
                v.subject_kind, v.subject_name or str(v.subject_id), v.reason, v.mode, " ".join(v.fields),
                "yes" if v.past else "",
            )
            for v in viewers
        ]  # fmt: skip
        print_table(here, ("kind", "who", "why", "may", "of it", "past"), rows, "None: the node did not exist yet.")

    here.run(work())


def log(context: typer.Context, user: Handle = None, as_json: AsJson = False) -> None:
    """The newest 100 lines of the audit log of a user's graph."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            entries = await memory.grants.log()
        if as_json:
            print_json(here.out, {"entries": entries})
            return
        rows = [
            (_time(e.occurred_at), e.event, e.actor_kind, str(e.node_id or ""), e.detail, str(e.requests))
            for e in entries
        ]
        print_table(here, ("when", "what", "by", "node", "detail", "requests"), rows, "Nothing has happened yet.")

    here.run(work())


def _fields(text: str) -> tuple[Field, ...]:
    return tuple(cast("Field", name.strip()) for name in text.split(",") if name.strip())  # checked with the grant


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text} is not a time like 2026-03-01T18:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _time(moment: datetime | None) -> str:
    return f"{timestamp(moment)} UTC" if moment else ""
