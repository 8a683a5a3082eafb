"""The REST door: `uvicorn api.app:create_app --factory`, or `neurigraph serve`."""

from __future__ import annotations

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

from api.auth import Guard, bearer, check_settings, issuer_of
from api.body_limit import BodyLimit
from api.headers import SecurityHeaders
from api.problems import (
    Problem,
    documented,
    engine_problem,
    gone_problem,
    http_problem,
    unexpected_problem,
    validation_problem,
)
from api.reference import reference
from api.routes import (
    assignments,
    commits,
    conversations,
    documents,
    embedding_versions,
    events,
    failures,
    file_log,
    files,
    grants,
    health,
    history,
    ingests,
    integrations,
    jobs,
    nodes,
    records,
    replays,
    resources,
    search,
    tokens,
    users,
)
from engine.bootstrap import open_engine
from engine.errors import NeurigraphError
from engine.neurigraph import Engine
from engine.settings import Settings

ROUTERS = (
    users.router,
    tokens.router,
    integrations.router,
    embedding_versions.router,
    nodes.router,
    history.router,
    grants.router,
    records.router,
    assignments.router,
    conversations.router,
    ingests.router,
    failures.router,
    documents.router,
    resources.router,
    replays.router,
    events.router,
    search.router,
    files.router,
    file_log.router,
    jobs.router,
    commits.router,
)
DESCRIPTION = """Long-term memory for assistants and the people behind them.

Errors are problem details (RFC 9457). Writes take an `Idempotency-Key`. Missing and forbidden look the same.

Whoever asks sees what is theirs: a user the own memory, a persona what lies below its node, an integration what was
granted to it. The operator acts for every user; users, tokens, integrations and
background jobs are kept by operator and administrators.
"""


def create_app(settings: Settings | None = None, *, engine: Engine | None = None) -> FastAPI:
    """The application. With `engine` it uses that one; else it opens its own at the start and closes it at the end.

    Raises SettingsError for a door that would be open to a network without a token.
    """
    settings = settings or (engine.settings if engine else Settings())
    check_settings(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if engine is not None:
            yield
            return
        async with open_engine(settings, worker=True) as own:
            app.state.engine = own
            yield

    app = FastAPI(
        title="Neurigraph",
        version="1",
        description=DESCRIPTION,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the framework's pages load scripts from elsewhere; ours is below
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=_middleware(settings),
        exception_handlers={
            NeurigraphError: engine_problem,
            RequestValidationError: validation_problem,
            HTTPException: http_problem,
            ClientDisconnect: gone_problem,
            Exception: unexpected_problem,
        },
    )
    app.add_route("/docs", reference, include_in_schema=False)
    app.include_router(health.router, responses=documented(500))
    for router in ROUTERS:
        app.include_router(router, dependencies=[Depends(bearer)], responses=documented(401, 403, 429, 500, 503))
    app.state.engine = engine
    app.state.routes = [route for router in (health.router, *ROUTERS) for route in router.routes]
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _middleware(settings: Settings) -> list[Middleware]:
    """What a request passes before a route, from the outside in. Answers of the guard can be read across origins, too."""
    origins = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=("GET", "POST", "PATCH", "DELETE"),
        allow_headers=("Authorization", "Content-Type", "Idempotency-Key", "If-Match"),
        expose_headers=(
            "Content-Disposition",
            "ETag",
            "Idempotency-Replayed",
            "Location",
            "Retry-After",
            "WWW-Authenticate",
        ),
    )
    return [
        Middleware(SecurityHeaders),
        *([origins] if settings.cors_origins else []),
        Middleware(Guard, settings=settings, issuer=issuer_of(settings)),
        Middleware(BodyLimit, most_bytes=settings.max_text_bytes),
    ]


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the shape of problems and without the framework's own error shape."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = document["components"]["schemas"]
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        app.openapi_schema = document
    return app.openapi_schema
