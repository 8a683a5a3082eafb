"""grant, access: grants to personas and integrations, and who could see a node at a time."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from typing import Annotated, Literal, cast
from uuid import UUID

import typer

from engine.domain.grant import FIELDS, LITTLE_CONFIDENCE, Field, GrantPreview, NewGrant, UnsureRecord
from engine.errors import InvalidInput
from engine.shell.options import Handle, point, span
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, the_user
from engine.shell.tables import print_list, print_table, timestamp, with_left_out
from engine.shell.tokens import integration_named, node_at

MOST_FOUND = 20

Node = Annotated[str, typer.Argument(metavar="NODE", help="The node: Family/Health, or its id.")]

grants = Commands("grant", "Rights on single nodes, for personas and integrations.")
access = Commands("access", "Who could see what, and what was refused.")


@grants.async_command("give", as_json=True)
async def give(
    here: Session,
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
) -> None:
    """Grant a persona or an integration access to one node, and below it with --depth; a preview is shown first."""
    if (persona is None) == (integration is None):
        raise InvalidInput("Say to whom: --persona PATH or --integration NAME.")
    async with here.operations() as (engine, _):
        memory = engine.memory((await the_user(engine, user)).user_id)
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
        if not here.as_json and not yes:
            _print_preview(here, await memory.grants.preview(new.node_id, depth=depth))
            if sys.stdin.isatty() and not await asyncio.to_thread(typer.confirm, "Give it?"):
                raise InvalidInput("Nothing was granted.")
        given = await memory.grants.give(new)
    here.answer(given, f"Grant {given.grant_id}: {'given' if given.created else 'was given already'}.")


@grants.async_command("preview", as_json=True)
async def preview(
    here: Session,
    node: Node,
    user: Handle = None,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=5, help="How many layers below the node it would include.")
    ] = 0,
    below: Annotated[
        float, typer.Option("--below", min=0, max=1, help="List records placed with a confidence below this.")
    ] = LITTLE_CONFIDENCE,
) -> None:
    """Preview a grant on a node: its content, and records placed there with little confidence. Changes nothing."""
    async with here.memory(user) as memory:
        opened = await memory.grants.preview(await node_at(memory, node), depth=depth, below=below)
    if here.as_json:
        print_json(here.out, opened)
    else:
        _print_preview(here, opened)


@grants.async_command("revoke", as_json=True)
async def revoke(here: Session, grant: Annotated[UUID, typer.Argument(metavar="GRANT")], user: Handle = None) -> None:
    """Revoke a grant; it takes effect with the next request."""
    async with here.memory(user) as memory:
        ended = await memory.grants.revoke(grant)
    here.answer(ended, f"Grant {grant}: ended {_time(ended.revoked_at)}.")


@grants.async_command("list", as_json=True)
async def list_grants(
    here: Session,
    user: Handle = None,
    ended: Annotated[bool, typer.Option("--ended", help="Include grants that have ended.")] = False,
) -> None:
    """List the first 500 grants of a user."""
    async with here.memory(user) as memory:
        found, over = await with_left_out(lambda too: memory.grants.list(ended=too, limit=500), ended)
    rows = [
        (
            g.grant_id, g.node_name, f"{g.subject_name} ({g.subject_kind})", g.mode, "yes" if g.past else "",
            _time(g.revoked_at or g.expires_at),
        )
        for g in found
    ]  # fmt: skip
    head = ("grant", "node", "to", "may", "past", "ends")
    print_list(here, {"grants": found, "ended_left_out": over}, head, rows, "Nothing is granted.")


@access.async_command("who", as_json=True)
async def who(
    here: Session,
    node: Node,
    user: Handle = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="ISO 8601, as in 2026-03-01T18:00Z.")] = None,
) -> None:
    """Who could see a node, now or at a time."""
    moment = point(at)
    async with here.memory(user) as memory:
        viewers = await memory.grants.audience(await node_at(memory, node), moment)
    rows = [
        (v.subject_kind, v.subject_name or v.subject_id, v.reason, v.mode, " ".join(v.fields), "yes" if v.past else "")
        for v in viewers
    ]
    columns = ("kind", "who", "why", "may", "of it", "past")
    print_list(here, {"viewers": viewers}, columns, rows, "None: the node did not exist yet.")


@access.async_command("log", as_json=True)
async def log(here: Session, user: Handle = None) -> None:
    """The newest 100 lines of the audit log of a user's graph."""
    async with here.memory(user) as memory:
        entries = await memory.grants.log()
    rows = [(_time(e.occurred_at), e.event, e.actor_kind, e.node_id, e.detail, e.requests) for e in entries]
    columns = ("when", "what", "by", "node", "detail", "requests")
    print_list(here, {"entries": entries}, columns, rows, "Nothing has happened yet.")


def _fields(text: str) -> tuple[Field, ...]:
    return tuple(cast("Field", name.strip()) for name in text.split(",") if name.strip())  # checked with the grant


def _time(moment: datetime | None) -> str:
    return f"{timestamp(moment)} UTC" if moment else ""


def _print_preview(here: Session, preview: GrantPreview) -> None:
    """Counts and latest titles of each node, then records that may not belong there, with the command to move them."""
    rows = [
        (
            "/".join(node.path[1:]) or "(root)",
            node.records,
            node.items,
            node.private_records or "",
            "; ".join(node.titles),
        )
        for node in preview.nodes
    ]
    print_table(here, ("it opens", "records", "items", "private, stay closed", "the latest"), rows, "It opens nothing.")
    unsure = [one for node in preview.nodes for one in node.unsure]
    if not unsure:
        return
    here.line(f"\nPlaced there with a confidence below {preview.below:g}: check whether they belong.")
    lines = [(f"{one.confidence:.2f}", one.title, one.entry_id, _command(one)) for one in unsure[:MOST_FOUND]]
    print_table(here, ("sure", "record", "decision", "to move it"), lines, "")
    if len(unsure) > MOST_FOUND:
        here.line(f"… and {len(unsure) - MOST_FOUND} more; --json shows all.")


def _command(one: UnsureRecord) -> str:
    name = "/".join(one.suggested)
    return f"neurigraph move-record {one.record_id} " + (f"'{name}'" if name else "NODE")
