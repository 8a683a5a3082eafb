"""token, integration: manage the tokens and integrations of the REST API."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.table import Table
from rich.text import Text

from engine.domain.names import name_key
from engine.domain.token import IssuedToken, NewToken, Token
from engine.errors import InvalidInput, NotFound
from engine.shell import session
from engine.shell.options import AsJson
from engine.shell.plain_json import print_json
from engine.shell.session import Session

if TYPE_CHECKING:
    from engine.domain.integration import Integration
    from engine.memory import Memory
    from engine.neurigraph import Engine
    from engine.operations.workspace import Workspace

TokenId = Annotated[UUID, typer.Argument(metavar="TOKEN", help="The token's id, as `neurigraph token list` shows it.")]

PAGE = 500
LONGEST_SPAN = timedelta(days=3660)
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SPAN = re.compile(r"(\d{1,6})([mhdw])")


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    tokens = typer.Typer(no_args_is_help=True, help="Secrets with which people and applications use the REST API.")
    tokens.command("create")(create)
    tokens.command("list")(list_tokens)
    tokens.command("revoke")(revoke)
    tokens.command("rotate")(rotate)
    app.add_typer(tokens, name="token")
    integrations = typer.Typer(no_args_is_help=True, help="Applications that users may grant nodes to.")
    integrations.command("create")(create_integration)
    integrations.command("list")(list_integrations)
    app.add_typer(integrations, name="integration")


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a new token: exactly one of a user, a persona of a user, an integration, an administrator."""

    user: str | None
    persona: str | None
    integration: str | None
    administrator: bool


def create(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", help="The token's name in lists.")] = "",
    user: Annotated[str | None, typer.Option("--user", metavar="HANDLE", help="For this user.")] = None,
    persona: Annotated[
        str | None,
        typer.Option("--persona", metavar="PATH", help="For this persona of the user: Family/Dave, or its id."),
    ] = None,
    integration: Annotated[str | None, typer.Option("--integration", metavar="NAME", help="For this one.")] = None,
    administrator: Annotated[
        bool, typer.Option("--administrator", help="For an administrator of users and tokens.")
    ] = False,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="90d", help="Expires after 30m, 12h, 90d, 4w.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a token; its secret is printed once, on stdout."""
    here = session.of(context)
    if (user is not None, integration is not None, administrator).count(True) != 1 or (persona and user is None):
        raise session.failed(
            here.notes, "Name the holder: --user HANDLE [--persona PATH], --integration NAME, or --administrator."
        )
    holder = Holder(user, persona, integration, administrator)
    here.run(_create(here, holder, name, expires, as_json=as_json))


async def _create(here: Session, holder: Holder, name: str, expires: str | None, *, as_json: bool) -> None:
    ends = datetime.now(UTC) + span(expires) if expires is not None else None
    async with here.engine() as (engine, _):
        new = await _asked(engine, holder, name, ends)
        issued = await engine.workspace.tokens.create(new)
    _print_issued(here, issued, as_json=as_json)


async def _asked(engine: Engine, holder: Holder, name: str, ends: datetime | None) -> NewToken:
    """The token to create; without a name it is named after its holder."""
    if holder.administrator:
        return NewToken("administrator", None, name or "administrator", ends)
    if holder.integration is not None:
        found = await integration_named(engine.workspace, holder.integration)
        return NewToken("third_party", found.integration_id, name or found.name, ends)
    user = await session.the_user(engine, holder.user)
    if holder.persona is None:
        return NewToken("user", user.user_id, name or user.handle, ends)
    return NewToken(
        "persona",
        await node_at(engine.memory(user.user_id), holder.persona, persona=True),
        name or holder.persona,
        ends,
    )


async def integration_named(workspace: Workspace, name: str) -> Integration:
    """The integration with the name; raises NotFound."""
    async for integration in _integrations(workspace):
        if integration.name == name:
            return integration
    raise NotFound(f"There is no integration {name} in the workspace {workspace.identity.workspace}.")


async def node_at(memory: Memory, wanted: str, *, persona: bool = False) -> UUID:
    """The node (or persona) with the id or path; raises NotFound, InvalidInput."""
    if is_id(wanted):
        return UUID(wanted)
    if wanted == "/" and not persona:
        return memory.principal.user_id
    keys = tuple(name_key(name) for name in wanted.split("/") if name.strip())
    anchors = await memory.nodes.anchors(wanted.rpartition("/")[2]) if keys else ()
    found = [
        anchor
        for anchor in anchors
        if (not persona or anchor.node_type == "persona")
        and tuple(map(name_key, anchor.path[1:]))[-len(keys) :] == keys
    ]
    if not found:
        kind, made = ("persona", " --type persona") if persona else ("node", "")
        raise NotFound(f"There is no {kind} {wanted}; `neurigraph provision …{made}` makes one.")
    if len(found) > 1:
        paths = ", ".join("/".join(anchor.path[1:]) for anchor in found)
        raise InvalidInput(f"There are several nodes {wanted}; name one by its path or id ({paths}).")
    return found[0].node_id


def list_tokens(context: typer.Context, as_json: AsJson = False) -> None:
    """List the workspace's tokens, newest first, without their secrets."""
    here = session.of(context)
    here.run(_list_tokens(here, as_json))


async def _list_tokens(here: Session, as_json: bool) -> None:
    async with here.workspace() as workspace:
        tokens = [token async for token in _tokens(workspace)]
    if as_json:
        print_json(here.out, {"tokens": tokens})
    elif not tokens:
        here.out.print("No tokens. `neurigraph token create --user HANDLE` makes one.")
    else:
        now = datetime.now(UTC)
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("token", no_wrap=True, min_width=36)  # so that ids can be copied whole
        for name in ("for", "name", "state", "last used"):
            table.add_column(name, overflow="fold")
        for token in tokens:
            used = _day(token.last_used_at) if token.last_used_at else "never"
            table.add_row(str(token.token_id), token.principal_kind, Text(token.name), _state(token, now), used)
        here.out.print(table)


def revoke(context: typer.Context, token: TokenId) -> None:
    """Revoke a token now."""
    here = session.of(context)
    here.run(_revoke(here, token))


async def _revoke(here: Session, token_id: UUID) -> None:
    async with here.workspace() as workspace:
        token = await workspace.tokens.revoke(token_id)
    here.out.print(Text(f"{token.name}: ended {_day(token.revoked_at)}."), soft_wrap=True)


def rotate(
    context: typer.Context,
    token: TokenId,
    grace: Annotated[str, typer.Option("--grace", metavar="1h", help="How long the old one is still valid.")] = "0m",
    as_json: AsJson = False,
) -> None:
    """Replace a token's secret; the new one is printed once, on stdout."""
    here = session.of(context)
    here.run(_rotate(here, token, grace, as_json))


async def _rotate(here: Session, token_id: UUID, grace: str, as_json: bool) -> None:
    lasting = span(grace)
    async with here.workspace() as workspace:
        issued = await workspace.tokens.rotate(token_id, lasting)
    _print_issued(here, issued, as_json=as_json)


def create_integration(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the application.")],
    as_json: AsJson = False,
) -> None:
    """Create an integration, or find the one with the name."""
    here = session.of(context)
    here.run(_create_integration(here, name, as_json))


async def _create_integration(here: Session, name: str, as_json: bool) -> None:
    async with here.workspace() as workspace:
        made = await workspace.integrations.create(name)
    if as_json:
        print_json(here.out, made)
        return
    state = "made" if made.created else "was there already"
    here.out.print(Text(f"{made.name}: {state}, {made.integration_id}"), soft_wrap=True)


def list_integrations(context: typer.Context, as_json: AsJson = False) -> None:
    """List the workspace's integrations."""
    here = session.of(context)
    here.run(_list_integrations(here, as_json))


async def _list_integrations(here: Session, as_json: bool) -> None:
    async with here.workspace() as workspace:
        found = [integration async for integration in _integrations(workspace)]
    if as_json:
        print_json(here.out, {"integrations": found})
        return
    for integration in found:
        here.out.print(Text(f"{integration.integration_id}  {integration.name}"), soft_wrap=True)
    if not found:
        here.out.print("No integrations. `neurigraph integration create NAME` makes one.")


def span(text: str) -> timedelta:
    """A duration like 30m, 12h, 90d, 4w; raises InvalidInput."""
    match = _SPAN.fullmatch(text)
    if match is None or (length := int(match[1]) * _UNITS[match[2]]) > LONGEST_SPAN:
        raise InvalidInput(f"{text} is not a duration like 30m, 12h, 90d or 4w, of at most ten years.")
    return length


async def _tokens(workspace: Workspace) -> AsyncIterator[Token]:
    page = await workspace.tokens.list(limit=PAGE)
    while page:
        for token in page:
            yield token
        page = await workspace.tokens.list(after=page[-1].token_id, limit=PAGE)


async def _integrations(workspace: Workspace) -> AsyncIterator[Integration]:
    page = await workspace.integrations.list(limit=PAGE)
    while page:
        for integration in page:
            yield integration
        page = await workspace.integrations.list(after=page[-1].name, limit=PAGE)


def _print_issued(here: Session, issued: IssuedToken, *, as_json: bool) -> None:
    """Prints the secret on stdout, for scripts, and its description on stderr."""
    if as_json:
        print_json(here.out, issued)
        return
    here.out.out(issued.secret)
    ends = f", ends {_day(issued.token.expires_at)}" if issued.token.expires_at else ""
    line = f"Token {issued.token.token_id} for {issued.token.principal_kind} {issued.token.principal_id}{ends}."
    here.notes.print(Text(f"{line} The secret is shown only once.", style="dim"), soft_wrap=True)


def _state(token: Token, now: datetime) -> str:
    if token.revoked_at:
        return f"revoked {_day(token.revoked_at)}"
    if token.expires_at is None:
        return "good"
    return f"{'expired' if token.expires_at <= now else 'good until'} {_day(token.expires_at)}"


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else ""


def is_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True
