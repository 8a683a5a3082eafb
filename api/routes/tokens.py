"""Tokens of the workspace: created, listed, rotated and revoked by its operator and administrators."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace
from api.cursors import PAGE_HEADERS, APage, identity
from api.models import NewTokenBody, Rotation
from api.problems import WRITES
from engine.domain.token import IssuedToken, NewToken, Token

router = APIRouter(prefix="/v1/tokens", tags=["tokens"], route_class=JsonRoute, dependencies=ADMINISTRATORS)


@router.post("", operation_id="createToken", status_code=201, responses=WRITES)
async def create_token(body: NewTokenBody, workspace: CurrentWorkspace) -> IssuedToken:
    """Creates a token; its secret is returned only in this answer."""
    new = NewToken(body.principal_kind, body.principal_id, body.name, body.expires_at)
    return await workspace.tokens.create(new)


@router.get("", operation_id="listTokens", responses=PAGE_HEADERS)
async def list_tokens(
    workspace: CurrentWorkspace,
    page: APage,
    after: Annotated[UUID | None, Query(description="The last token of the previous page.")] = None,
) -> Sequence[Token]:
    """Tokens without their secrets, newest first, one page; expired and revoked ones, too."""
    tokens = await workspace.tokens.list(after=page.start(identity, after), limit=page.limit)
    return page.of(tokens, lambda token: token.token_id)


@router.post("/{token_id}/rotate", operation_id="rotateToken", status_code=201, responses=WRITES)
async def rotate_token(token_id: UUID, body: Rotation, workspace: CurrentWorkspace) -> IssuedToken:
    """Creates a token with a new secret for the same principal; the old one expires now, or after the grace time."""
    return await workspace.tokens.rotate(token_id, timedelta(seconds=body.grace_s))


@router.delete("/{token_id}", operation_id="revokeToken")
async def revoke_token(token_id: UUID, workspace: CurrentWorkspace) -> Token:
    """Revokes a token at once; repeating it changes nothing."""
    return await workspace.tokens.revoke(token_id)
