"""The workspace: its users, its tokens, created, listed, rotated and revoked by its operator and administrators, and its
integrations: applications that its users may grant nodes to.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace
from api.cursors import PAGE_HEADERS, APage, identity, text
from api.models import NewIntegration, NewTokenBody, NewUser, Rotation
from api.problems import WRITES, answered
from engine.domain.grant import Integration
from engine.domain.node import Credential, User
from engine.domain.principal import IssuedToken, NewToken, Token

of_users = APIRouter(prefix="/v1/users", tags=["users"], route_class=JsonRoute)
of_tokens = APIRouter(prefix="/v1/tokens", tags=["tokens"], route_class=JsonRoute, dependencies=ADMINISTRATORS)
of_integrations = APIRouter(
    prefix="/v1/integrations", tags=["integrations"], route_class=JsonRoute, dependencies=ADMINISTRATORS
)


@of_users.post(
    "",
    operation_id="createUser",
    dependencies=ADMINISTRATORS,
    status_code=201,
    responses=answered(200, User, "It existed already.") | WRITES,
)
async def create_user(body: NewUser, workspace: CurrentWorkspace, response: Response) -> User:
    """The user with this handle, created with a root node if it does not exist; repeating it changes nothing."""
    user = await workspace.users.create(body.handle, body.display_name)
    response.status_code = 201 if user.created else 200
    return user


@of_users.get("", operation_id="listUsers", dependencies=ADMINISTRATORS, responses=PAGE_HEADERS)
async def list_users(
    workspace: CurrentWorkspace,
    page: APage,
    after: Annotated[
        str, Query(max_length=200, pattern=r"^[^\x00]*$", description="The last handle of the previous page.")
    ] = "",
) -> Sequence[User]:
    """Users by handle, one page; archived ones are marked."""
    users = await workspace.users.list(after=page.start(text, after), limit=page.limit)
    return page.of(users, lambda user: user.handle)


@of_users.get("/by-handle/{handle:path}", operation_id="findUser")
async def find_user(
    handle: Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^\x00]*$", examples=["bob"])],
    workspace: CurrentWorkspace,
) -> User:
    """The user with this handle; a user finds only itself."""
    return await workspace.users.find(handle)


@of_users.get("/me", operation_id="getCredential")
async def get_credential(workspace: CurrentWorkspace) -> Credential:
    """Of what kind the credential of this request is, and whose if it is a user's."""
    return await workspace.users.me()


@of_users.get("/{user_id}", operation_id="getUser")
async def get_user(user_id: UUID, workspace: CurrentWorkspace) -> User:
    """The user with this id; a user finds only itself."""
    return await workspace.users.get(user_id)


@of_tokens.post("", operation_id="createToken", status_code=201, responses=WRITES)
async def create_token(body: NewTokenBody, workspace: CurrentWorkspace) -> IssuedToken:
    """Creates a token; its secret is returned only in this answer."""
    new = NewToken(body.principal_kind, body.principal_id, body.name, body.expires_at)
    return await workspace.tokens.create(new)


@of_tokens.get("", operation_id="listTokens", responses=PAGE_HEADERS)
async def list_tokens(
    workspace: CurrentWorkspace,
    page: APage,
    after: Annotated[UUID | None, Query(description="The last token of the previous page.")] = None,
) -> Sequence[Token]:
    """Tokens without their secrets, newest first, one page; expired and revoked ones, too."""
    tokens = await workspace.tokens.list(after=page.start(identity, after), limit=page.limit)
    return page.of(tokens, lambda token: token.token_id)


@of_tokens.post("/{token_id}/rotate", operation_id="rotateToken", status_code=201, responses=WRITES)
async def rotate_token(token_id: UUID, body: Rotation, workspace: CurrentWorkspace) -> IssuedToken:
    """Creates a token with a new secret for the same principal; the old one expires now, or after the grace time."""
    return await workspace.tokens.rotate(token_id, timedelta(seconds=body.grace_s))


@of_tokens.delete("/{token_id}", operation_id="revokeToken")
async def revoke_token(token_id: UUID, workspace: CurrentWorkspace) -> Token:
    """Revokes a token at once; repeating it changes nothing."""
    return await workspace.tokens.revoke(token_id)


@of_integrations.post(
    "",
    operation_id="createIntegration",
    status_code=201,
    responses=answered(200, Integration, "It existed already.") | WRITES,
)
async def create_integration(body: NewIntegration, workspace: CurrentWorkspace, response: Response) -> Integration:
    """The integration of this name, created if it does not exist; repeating it changes nothing."""
    integration = await workspace.integrations.create(body.name)
    response.status_code = 201 if integration.created else 200
    return integration


@of_integrations.get("", operation_id="listIntegrations", responses=PAGE_HEADERS)
async def list_integrations(
    workspace: CurrentWorkspace,
    page: APage,
    after: Annotated[
        str, Query(max_length=200, pattern=r"^[^\x00]*$", description="The last name of the previous page.")
    ] = "",
) -> Sequence[Integration]:
    """Integrations by name, one page."""
    found = await workspace.integrations.list(after=page.start(text, after), limit=page.limit)
    return page.of(found, lambda one: one.name)
