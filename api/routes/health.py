"""Liveness and readiness, and metrics of this process and of the stores, for Prometheus; see docs/observability.md. No token is
needed for the first two: a service's supervisor has no secrets.
"""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api.context import ADMINISTRATORS, opening_of
from api.models import DegradedState, Liveness, Readiness, StoreState
from api.problems import documented, http_kind, problem
from engine.wiring.scraping import Scraping

of_health = APIRouter(prefix="/v1/health", tags=["health"])
of_metrics = APIRouter(tags=["health"], dependencies=ADMINISTRATORS, include_in_schema=False)


@of_health.get("/live", operation_id="isAlive")
async def live() -> Liveness:
    """Whether the process is alive; queries no store."""
    return Liveness(alive=True)


@of_health.get("/ready", operation_id="isReady", response_model=Readiness, responses=documented(503))
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


@of_metrics.get("/metrics", operation_id="metrics")
async def metrics(request: Request) -> Response:
    """All metrics as text. Returns within some seconds, even if a store hangs."""
    scraping: Scraping = request.app.state.scraping
    return Response(await scraping.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
