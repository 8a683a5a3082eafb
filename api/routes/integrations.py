"""Integrations of the workspace: applications that its users may grant nodes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace
from api.cursors import PAGE_HEADERS, APage, text
from api.models import NewIntegration
from api.problems import WRITES, answered
from engine.domain.grant import Integration

router = APIRouter(prefix="/v1/integrations", tags=["integrations"], route_class=JsonRoute, dependencies=ADMINISTRATORS)


@router.post(
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


@router.get("", operation_id="listIntegrations", responses=PAGE_HEADERS)
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
