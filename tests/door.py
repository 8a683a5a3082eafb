"""The REST application as tests open it: the framework prepares its routes once a process, not for every application anew."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.routing import BaseRoute

from api.app import create_app
from engine.neurigraph import Engine
from engine.settings import Settings

_prepared: list[BaseRoute] = []
"""The routes of the first application: at their first request FastAPI builds the models of all of them."""


def new_door(settings: Settings | None = None, *, engine: Engine | None = None) -> FastAPI:
    """An application with middleware and state of its own."""
    settings = settings or (engine.settings if engine else None)
    if settings is not None and "local_accounts" not in settings.model_fields_set:
        settings = settings.model_copy(update={"local_accounts": "any"})  # a client in this process has no connection
    app = create_app(settings, engine=engine)
    if not _prepared:
        _prepared.extend(app.router.routes)
    app.router.routes[:] = _prepared
    return app
