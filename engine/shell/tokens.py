"""token, integration: manage the tokens and integrations of the REST API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.names import name_key
from engine.domain.principal import IssuedToken, NewToken, Token, TokenKind
from engine.domain.read_limits import every
from engine.errors import InvalidInput, NotFound
from engine.shell.options import span
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, the_user
from engine.shell.tables import print_list

if TYPE_CHECKING:
    from engine.domain.grant import Integration
    from engine.memory import Memory
    from engine.neurigraph import Engine
    from engine.operations.workspace import Workspace

TokenId = Annotated[UUID, typer.Argument(metavar="TOKEN", help="The token's id, as `neurigraph token list` shows it.")]

PAGE = 500

tokens = Commands("token", "Secrets with which people and applications use the REST API.")
integrations = Commands("integration", "Applications that users may grant nodes to.")


@tokens.async_command("create", as_json=True)
async def create(
    here: Session,
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
) -> None:
    """Make a token; its secret is printed once, on stdout."""
    if (user is not None, integration is not None, administrator).count(True) != 1 or (persona and user is None):
        raise InvalidInput("Name the holder: --user HANDLE [--persona PATH], --integration NAME, or --administrator.")
    ends = datetime.now(UTC) + span(expires) if expires is not None else None
    async with here.operations() as (engine, _):
        kind, holder, called = await _holder(engine, user, persona, integration)
        issued = await engine.workspace.tokens.create(NewToken(kind, holder, name or called, ends))
    _print_issued(here, issued)


async def _holder(
    engine: Engine, user: str | None, persona: str | None, integration: str | None
) -> tuple[TokenKind, UUID | None, str]:
    """The holder of a new token, its kind and name: an administrator if nothing is named."""
    if integration is not None:
        found = await integration_named(engine.workspace, integration)
        return "third_party", found.integration_id, found.name
    if user is None:
        return "administrator", None, "administrator"
    known = await the_user(engine, user)
    if persona is None:
        return "user", known.user_id, known.handle
    return "persona", await node_at(engine.memory(known.user_id), persona, persona=True), persona


async def integration_named(workspace: Workspace, name: str) -> Integration:
    """The integration with the name; raises NotFound."""
    for integration in await _integrations(workspace):
        if integration.name == name:
            return integration
    raise NotFound(f"There is no integration {name} in the workspace {workspace.identity.workspace}.")


async def node_at(memory: Memory, wanted: str, *, persona: bool = False) -> UUID:
    """The node (or persona) with the id or path; raises NotFound, InvalidInput."""
    if is_id(wanted):
        return UUID(wanted)
    if wanted == "/" and not persona:
        return memory.principal.user_id
    names = names_in(wanted)
    keys = tuple(map(name_key, names))
    anchors = [one for last in {names[-1], wanted} for one in await memory.nodes.anchors(last)] if names else []
    found = {
        anchor.node_id: anchor
        for anchor in anchors
        if (not persona or anchor.node_type == "persona")
        and (
            tuple(map(name_key, anchor.path[1:]))[-len(keys) :] == keys
            or name_key(anchor.path[-1]) == name_key(wanted)  # a name that holds a slash: AC/DC
        )
    }
    if not found:
        kind, made = ("persona", " --type persona") if persona else ("node", "")
        raise NotFound(f"There is no {kind} {wanted}; `neurigraph provision …{made}` makes one.")
    if len(found) > 1:
        paths = ", ".join("/".join(anchor.path[1:]) for anchor in found.values())
        raise InvalidInput(f"There are several nodes {wanted}; name one by its path or id ({paths}).")
    return next(iter(found))


def names_in(path: str) -> list[str]:
    """The names of a path, from the root down."""
    return [name for name in path.split("/") if name.strip()]


@tokens.async_command("list", as_json=True)
async def list_tokens(here: Session) -> None:
    """List the workspace's tokens, newest first, without their secrets."""
    async with here.workspace() as workspace:
        found = await every(lambda after: workspace.tokens.list(after=after, limit=PAGE), lambda one: one.token_id)
    now = datetime.now(UTC)
    rows = [
        (one.token_id, one.principal_kind, one.name, _state(one, now), _day(one.last_used_at) or "never")
        for one in found
    ]
    nothing = "No tokens. `neurigraph token create --user HANDLE` makes one."
    print_list(here, {"tokens": found}, ("token", "for", "name", "state", "last used"), rows, nothing)


@tokens.async_command("revoke", as_json=True)
async def revoke(here: Session, token: TokenId) -> None:
    """Revoke a token now."""
    async with here.workspace() as workspace:
        ended = await workspace.tokens.revoke(token)
    here.answer(ended, f"{ended.name}: ended {_day(ended.revoked_at)}.")


@tokens.async_command("rotate", as_json=True)
async def rotate(
    here: Session,
    token: TokenId,
    grace: Annotated[str, typer.Option("--grace", metavar="1h", help="How long the old one is still valid.")] = "0m",
) -> None:
    """Replace a token's secret; the new one is printed once, on stdout."""
    lasting = span(grace)
    async with here.workspace() as workspace:
        issued = await workspace.tokens.rotate(token, lasting)
    _print_issued(here, issued)


@integrations.async_command("create", as_json=True)
async def create_integration(
    here: Session, name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the application.")]
) -> None:
    """Create an integration, or find the one with the name."""
    async with here.workspace() as workspace:
        made = await workspace.integrations.create(name)
    here.answer(made, f"{made.name}: {'made' if made.created else 'was there already'}, {made.integration_id}")


@integrations.async_command("list", as_json=True)
async def list_integrations(here: Session) -> None:
    """List the workspace's integrations."""
    async with here.workspace() as workspace:
        found = await _integrations(workspace)
    if here.as_json:
        return print_json(here.out, {"integrations": found})
    for integration in found:
        here.line(f"{integration.integration_id}  {integration.name}")
    if not found:
        here.out.print("No integrations. `neurigraph integration create NAME` makes one.")


async def _integrations(workspace: Workspace) -> list[Integration]:
    return await every(lambda after: workspace.integrations.list(after=after or "", limit=PAGE), lambda one: one.name)


def _print_issued(here: Session, issued: IssuedToken) -> None:
    """Prints the secret on stdout, for scripts, and its description on stderr."""
    if here.as_json:
        return print_json(here.out, issued)
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
