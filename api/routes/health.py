"""Is the process alive, and do its stores answer? No token is needed: what supervises a service has no secrets."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response

from api.context import CurrentEngine
from api.models import DegradedState, Readiness, StoreState
from api.problems import documented, http_kind, problem

router = APIRouter(prefix="/v1/health", tags=["health"])


@router.get("/live", operation_id="isAlive")
async def live() -> dict[str, bool]:
    """The process answers; asks no store."""
    return {"alive": True}


@router.get("/ready", operation_id="isReady", response_model=Readiness, responses=documented(503))
async def ready(engine: CurrentEngine, request: Request) -> Readiness | Response:
    """Whether every store answers, and what is degraded; where one does not answer, 503 with the same members in the problem."""
    stores = await engine.health()
    silent = ", ".join(store.store for store in stores if not store.healthy)
    if not silent:
        degraded = await engine.degraded()
        return Readiness(
            ready=True,
            stores=[StoreState(**asdict(store)) for store in stores],
            degraded=DegradedState(**asdict(degraded)) if degraded else None,
        )
    return problem(
        http_kind(503),
        request.url.path,
        f"Not ready: {silent}.",
        headers={"Retry-After": "2"},
        ready=False,
        stores=[asdict(store) for store in stores],
    )
