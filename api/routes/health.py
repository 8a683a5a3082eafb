"""Liveness and readiness. No token is needed: a service's supervisor has no secrets."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response

from api.context import opening_of
from api.models import DegradedState, Liveness, Readiness, StoreState
from api.problems import documented, http_kind, problem

router = APIRouter(prefix="/v1/health", tags=["health"])


@router.get("/live", operation_id="isAlive")
async def live() -> Liveness:
    """Whether the process is alive; queries no store."""
    return Liveness(alive=True)


@router.get("/ready", operation_id="isReady", response_model=Readiness, responses=documented(503))
async def ready(request: Request) -> Readiness | Response:
    """Whether the engine is open, its search is prepared, and every store answers; else 503 with the same members.

    Returns within three seconds, even if a store hangs.
    """
    opening = opening_of(request)
    stores = await opening.engine.health() if opening.engine else ()
    silent = opening.reason or ", ".join(store.store for store in stores if not store.healthy) + "."
    if silent == ".":
        degraded = await opening.engine.degraded() if opening.engine else None
        return Readiness(
            ready=True,
            stores=[StoreState(**asdict(store)) for store in stores],
            degraded=DegradedState(**asdict(degraded)) if degraded else None,
        )
    return problem(
        http_kind(503),
        request.url.path,
        f"Not ready: {silent}",
        headers={"Retry-After": "2"},
        ready=False,
        stores=[asdict(store) for store in stores],
    )
