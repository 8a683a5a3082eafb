"""Metrics of this process and of the stores, for Prometheus; see docs/observability.md."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api.context import ADMINISTRATORS
from engine.wiring.scraping import Scraping

router = APIRouter(tags=["health"], dependencies=ADMINISTRATORS, include_in_schema=False)


@router.get("/metrics", operation_id="metrics")
async def metrics(request: Request) -> Response:
    """All metrics as text. Returns within some seconds, even if a store hangs."""
    scraping: Scraping = request.app.state.scraping
    return Response(await scraping.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
