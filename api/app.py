"""The REST API: `uvicorn api.app:create_app --factory`, or `neurigraph serve`."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect

from api import problems
from api.auth import Guard, bearer
from api.headers import PART, SecurityHeaders
from api.limits import BodyLimit, InFlight, OneLength
from api.mcp import http as mcp
from api.models import ExportTotals, ImportTotals, LineWithoutSource, Problem, ReportedLine
from api.observing import OFF, TRACE_ID, ObservedRequests
from api.page import files as page
from api.peer import check_settings
from api.reference import add_examples, reference
from api.routes import conversations, history, search
from api.routes.entities import of_communities, of_entities, of_intentions
from api.routes.facts import of_facts, of_retractions
from api.routes.files import of_file_log, of_files, of_resources
from api.routes.forgettings import of_forgettings, of_forgotten_users
from api.routes.health import of_health, of_metrics
from api.routes.ingests import of_ingests, of_lines
from api.routes.nodes import of_grants, of_nodes, of_proposals
from api.routes.records import of_assignments, of_documents, of_events, of_records
from api.routes.retention import of_holds, of_retention, of_workspace_retention
from api.routes.upkeep import of_commits, of_failures, of_jobs, of_replays, of_versions
from api.routes.workspace import of_integrations, of_tokens, of_users
from engine.domain.written import LineBody
from engine.errors import NeurigraphError
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.telemetry.process import observed
from engine.wiring.opening import Opening
from engine.wiring.scraping import Scraping

log = logging.getLogger(__name__)

ROUTERS = (
    of_users, of_tokens, of_integrations, of_versions, of_nodes, of_entities, of_intentions, of_communities,
    of_proposals, history.router, of_grants, of_records, of_assignments, conversations.router, of_ingests, of_lines,
    of_failures, of_documents, of_resources, of_facts, of_retractions, of_forgettings, of_forgotten_users, of_replays,
    of_retention, of_workspace_retention, of_holds, of_events, search.router, of_files,
    of_file_log, of_jobs, of_commits,
)  # fmt: skip
EXPOSED = "Content-Disposition ETag Idempotency-Replayed Left-Out Link Location Next-Cursor Retry-After WWW-Authenticate".split()
"""Headers of answers that a web page may read, beside `PART`."""
DESCRIPTION = """Long-term memory for assistants and the people behind them.

Errors are problem details (RFC 9457). Writes take an `Idempotency-Key`. Missing and forbidden look the same.

A principal sees what it has rights to: a user its own memory, a persona its node and those below, an integration the
nodes it was granted. The operator acts for every user; the operator and administrators manage users, tokens,
integrations and background jobs.
"""


def create_app(
    settings: Settings | None = None, *, engine: Engine | None = None, opening: Opening | None = None
) -> FastAPI:
    """The application. With `engine` or `opening` it uses the caller's engine; else it opens its own at startup, in the
    background, and closes it at shutdown.

    Raises SettingsError if the settings would open the API to a network without a token.
    """
    settings = settings or (engine.settings if engine else Settings())
    check_settings(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.mcp = mcp.manager(settings)
        async with app.state.mcp.run(), _opened(app, settings):
            yield

    app = FastAPI(
        title="Neurigraph",
        version="1",
        description=DESCRIPTION,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the framework's pages load external scripts; our own page is below
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=_middleware(settings),
        telemetry=OFF,
        exception_handlers={
            NeurigraphError: problems.engine_problem,
            RequestValidationError: problems.validation_problem,
            HTTPException: problems.http_problem,
            ClientDisconnect: problems.gone_problem,
            Exception: problems.unexpected_problem,
        },
    )
    app.add_route("/docs", reference, include_in_schema=False)
    app.include_router(of_health, responses=problems.documented(500))
    usual = problems.documented(401, 403, 404, 408, 422, 429, 500, 503)
    for router in ROUTERS:
        app.include_router(router, dependencies=[Depends(bearer)], responses=usual)
    app.include_router(of_metrics)
    app.router.routes.extend((*mcp.ROUTES, *page.ROUTES))
    app.state.settings = settings
    app.state.opening = Opening.done(engine) if engine else opening
    if app.state.opening is not None:
        app.state.scraping = Scraping(app.state.opening)
    routers = (of_health, of_metrics, *ROUTERS)
    app.state.routes = [*mcp.ROUTES, *(route for router in routers for route in router.routes)]
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _ended(task: asyncio.Task[None]) -> None:
    """Ends the process if the engine cannot be opened: it could not answer any request."""
    if not task.cancelled() and (error := task.exception()):
        log.critical("the engine cannot be opened: %s", error)
        signal.raise_signal(signal.SIGTERM)


@asynccontextmanager
async def _opened(app: FastAPI, settings: Settings) -> AsyncIterator[None]:
    """An engine of the application's own, unless the caller gave one."""
    if app.state.opening is not None:
        yield
        return
    with observed(settings):
        app.state.opening = Opening(settings)
        app.state.scraping = Scraping(app.state.opening)
        task = asyncio.create_task(app.state.opening.run())
        task.add_done_callback(_ended)
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


def _middleware(settings: Settings) -> list[Middleware]:
    """The middleware, outermost first. CORS comes before the guard, so that its refusals carry CORS headers, too."""
    origins = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
        allow_headers="Authorization Content-Type Idempotency-Key If-Match If-None-Match Prefer Traceparent".split(),
        expose_headers=(*EXPOSED, PART, TRACE_ID),
    )
    largest = settings.max_text_bytes
    return [
        Middleware(ObservedRequests),
        Middleware(SecurityHeaders),
        Middleware(OneLength),
        *([origins] if settings.cors_origins else []),
        Middleware(Guard, settings=settings),
        # at least one text of the largest size may be under way
        Middleware(
            InFlight, writes=settings.writes_at_once, most_bytes=max(settings.bytes_at_once, largest), largest=largest
        ),
        Middleware(
            BodyLimit, most_bytes=largest, most_imported=settings.max_import_bytes, patience=settings.body_timeout_s
        ),
    ]


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the schema of problems and without the framework's own error schemas."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = document["components"]["schemas"]
        for model in (Problem, LineBody, ReportedLine, ImportTotals, LineWithoutSource, ExportTotals):
            shape = model.model_json_schema(ref_template="#/components/schemas/{model}")
            for name, one in {**shape.pop("$defs", {}), model.__name__: shape}.items():
                schemas.setdefault(name, one)
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        add_examples(document)
        problems.share_problems(document)
        app.openapi_schema = document
    return app.openapi_schema
