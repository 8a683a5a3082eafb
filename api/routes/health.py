"""Is the process alive, and do its stores answer?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from api.context import CurrentEngine
from api.models import Readiness, StoreState

NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {
        "model": Readiness,
        "description": "A store does not answer.",
        "headers": {"Retry-After": {"schema": {"type": "string"}}},
    }
}
router = APIRouter(prefix="/v1/health", tags=["health"])


@router.get("/live", operation_id="isAlive")
async def live() -> dict[str, bool]:
    """The process answers; asks no store."""
    return {"alive": True}


@router.get(
    "/ready",
    operation_id="isReady",
    responses={
        503: {
            "model": Readiness,
            "description": "A store does not answer.",
            "headers": {"Retry-After": {"schema": {"type": "string"}}},
        }
    },
)
async def ready(engine: CurrentEngine, response: Response) -> Readiness:
    """Whether every store answers; 503 with the same body when one does not."""
    stores = await engine.health()
    healthy = all(store.healthy for store in stores)
    if not healthy:
        response.status_code = 503
        response.headers["Retry-After"] = "2"
    return Readiness(ready=healthy, stores=[StoreState(**asdict(store)) for store in stores])
