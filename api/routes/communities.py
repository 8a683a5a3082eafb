"""Communities of entities, clusters of facts, insights over both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.context import UserMemory
from api.cursors import PAGE_HEADERS, APage
from engine.domain.community import Community, CommunityOf, CommunityView, EntityMeaning, Insight, InsightKind

router = APIRouter(prefix="/v1/users/{user_id}", tags=["entities"])


@router.get("/communities", operation_id="listCommunities", responses=PAGE_HEADERS)
async def communities(
    memory: UserMemory,
    page: APage,
    of: Annotated[CommunityOf, Query(description="Communities of entities, or clusters of facts.")] = "entities",
) -> Sequence[Community]:
    """The largest 500 communities or clusters, as they hold now, one page; for the user alone."""
    return page.window(await memory.communities.list(of, limit=500))


@router.get("/communities/{community_id}", operation_id="getCommunity")
async def community(community_id: UUID, memory: UserMemory) -> CommunityView:
    """A community or a cluster with its members and the relations between them."""
    return await memory.communities.get(community_id)


@router.get("/insights", operation_id="listInsights", responses=PAGE_HEADERS)
async def insights(
    memory: UserMemory,
    page: APage,
    kind: Annotated[InsightKind | None, Query(description="Only of this kind.")] = None,
    ended: Annotated[bool, Query(description="Also those that were found no more.")] = False,
) -> Sequence[Insight]:
    """The newest 500 insights, one page; for the user alone."""
    return page.window(await memory.insights.list(kind, ended=ended, limit=500))


@router.get("/entities/{entity_id}/meaning", operation_id="getEntityMeaning")
async def meaning(entity_id: UUID, memory: UserMemory) -> EntityMeaning:
    """What the texts that mention an entity mean: words that set them apart, drift; for the user alone."""
    return await memory.entities.meaning(entity_id)
