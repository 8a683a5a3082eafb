"""What is forgotten for good, of a graph; users that are forgotten; receipts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace, UserMemory
from api.cursors import PAGE_HEADERS, APage, number
from api.problems import WRITES, documented
from api.routes.facts import LONGEST_SUBJECT
from engine.domain.file_state import LONGEST_NOTE
from engine.domain.forgetting import Forgetting, ForgettingPreview, ForgettingSubject, ReceiptCheck
from engine.domain.written import Body

of_forgettings = APIRouter(prefix="/v1/users/{user_id}/forgettings", tags=["forgettings"], route_class=JsonRoute)
of_forgotten_users = APIRouter(
    prefix="/v1/forgotten-users", tags=["users"], route_class=JsonRoute, dependencies=ADMINISTRATORS
)

Kind = Literal["record", "document", "source", "item", "node"]


class ForgettingBody(Body):
    """What is forgotten for good, and why."""

    kind: Kind = Field(description="A source is named by the id that was given for it, anything else by its id.")
    subject: str = Field(min_length=1, max_length=LONGEST_SUBJECT, description="The id.")
    reason: str = Field(default="", max_length=LONGEST_NOTE)


class SignedBody(Body):
    """A receipt as it was handed out."""

    receipt: dict[str, Any] = Field(description="What is signed.")
    key: str = Field(max_length=64, description="Which key signed it.")
    signature: str = Field(max_length=200, description="Ed25519, in base64.")


class ForgottenUserBody(Body):
    """The user who is forgotten with everything, and why."""

    user_id: UUID
    reason: str = Field(default="", max_length=LONGEST_NOTE)


@of_forgettings.get("", operation_id="listForgettings", responses=PAGE_HEADERS)
async def forgettings(memory: UserMemory, page: APage) -> Sequence[Forgetting]:
    """What was forgotten and what is being forgotten, newest first, one page. Of what is done, not what it was."""
    found = await memory.forgettings.list(before=page.start(number, None), limit=page.limit)
    return page.of(found, lambda one: one.number)


@of_forgettings.get("/preview", operation_id="previewForgetting")
async def preview(
    memory: UserMemory,
    kind: Annotated[Kind, Query(description="What is to be forgotten.")],
    subject: Annotated[str, Query(min_length=1, max_length=LONGEST_SUBJECT, description="Its id.")],
    limit: Annotated[int, Query(ge=1, le=500, description="Entries of each list at most.")] = 100,
) -> ForgettingPreview:
    """What a forgetting would erase, and what would end or hold again with it. Nothing is written."""
    return await memory.forgettings.preview(ForgettingSubject(kind, subject), limit=limit)


@of_forgettings.post("", operation_id="forget", status_code=202, responses=WRITES)
async def forget(body: ForgettingBody, memory: UserMemory) -> Forgetting:
    """Erases it in all stores, for good; a node with all below it. The same request goes on with one that was interrupted, and
    says how far it is; the receipt is there once it is done, some minutes later."""
    return await memory.forgettings.forget(ForgettingSubject(body.kind, body.subject), body.reason)


@of_forgettings.get("/{forgetting_id}", operation_id="getForgetting")
async def get(forgetting_id: UUID, memory: UserMemory) -> Forgetting:
    """How far a forgetting is."""
    return await memory.forgettings.get(forgetting_id)


@of_forgettings.get("/{forgetting_id}/receipt", operation_id="getForgettingReceipt")
async def receipt(forgetting_id: UUID, memory: UserMemory) -> Mapping[str, Any]:
    """The signed receipt of a forgetting that is over; 404 before."""
    return await memory.forgettings.receipt(forgetting_id)


@of_forgettings.post("/verify", operation_id="verifyForgettingReceipt", responses=documented(400, 404, 409, 413, 415))
async def verify(body: SignedBody, memory: UserMemory) -> ReceiptCheck:
    """Whether a receipt is signed as it is, and what is found by it in all stores now: all of them are looked through."""
    return await memory.forgettings.verify(body.model_dump())


@of_forgotten_users.post(
    "/verify", operation_id="verifyForgottenUserReceipt", responses=documented(400, 404, 409, 413, 415)
)
async def verify_user(body: SignedBody, workspace: CurrentWorkspace) -> ReceiptCheck:
    """The same for the receipt of the forgetting of a user."""
    return await workspace.users.verify(body.model_dump())


@of_forgotten_users.post("", operation_id="forgetUser", status_code=202, responses=documented(400, 404, 409, 413, 415))
async def forget_user(body: ForgottenUserBody, workspace: CurrentWorkspace) -> Forgetting:
    """Erases a user with everything, for good; the user is unknown from now on. The same request goes on with one that was
    interrupted."""
    return await workspace.users.forget(body.user_id, body.reason)


@of_forgotten_users.get("/preview", operation_id="previewForgottenUser")
async def preview_user(
    workspace: CurrentWorkspace, user_id: Annotated[UUID, Query(description="The user.")]
) -> ForgettingPreview:
    """How much would be erased. Nothing is written."""
    return await workspace.users.forgetting_preview(user_id)


@of_forgotten_users.get("/{forgetting_id}", operation_id="getForgottenUser")
async def get_user(forgetting_id: UUID, workspace: CurrentWorkspace) -> Forgetting:
    """How far the forgetting of a user is."""
    return await workspace.users.forgetting(forgetting_id)


@of_forgotten_users.get("/{forgetting_id}/receipt", operation_id="getForgottenUserReceipt")
async def receipt_of_user(forgetting_id: UUID, workspace: CurrentWorkspace) -> Mapping[str, Any]:
    """The signed receipt of the forgetting of a user; 404 before it is over."""
    return await workspace.users.receipt(forgetting_id)
