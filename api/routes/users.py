"""Users of the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace
from api.cursors import PAGE_HEADERS, APage, text
from api.models import NewUser
from api.problems import WRITES, answered
from engine.domain.node import Credential, User

router = APIRouter(prefix="/v1/users", tags=["users"], route_class=JsonRoute)


@router.post(
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


@router.get("", operation_id="listUsers", dependencies=ADMINISTRATORS, responses=PAGE_HEADERS)
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


@router.get("/by-handle/{handle:path}", operation_id="findUser")
async def find_user(
    handle: Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^\x00]*$", examples=["bob"])],
    workspace: CurrentWorkspace,
) -> User:
    """The user with this handle; a user finds only itself."""
    return await workspace.users.find(handle)


@router.get("/me", operation_id="getCredential")
async def get_credential(workspace: CurrentWorkspace) -> Credential:
    """Of what kind the credential of this request is, and whose if it is a user's."""
    return await workspace.users.me()


@router.get("/{user_id}", operation_id="getUser")
async def get_user(user_id: UUID, workspace: CurrentWorkspace) -> User:
    """The user with this id; a user finds only itself."""
    return await workspace.users.get(user_id)
