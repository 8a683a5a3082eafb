"""A typed Python client of the REST API: `Client`, and `AsyncClient` for asyncio.

Both have a method for each operation of the OpenAPI document, with its name and its parameters; what is left out has the
server's default. Answers are the engine's own values (`engine.domain`).
"""

from api.client.clients import AsyncClient, Client
from api.client.requests import (
    OMIT,
    ApiError,
    Conflict,
    Invalid,
    NotFound,
    NotReached,
    Page,
    Unauthenticated,
    Unavailable,
)

__all__ = [
    "OMIT",
    "ApiError",
    "AsyncClient",
    "Client",
    "Conflict",
    "Invalid",
    "NotFound",
    "NotReached",
    "Page",
    "Unauthenticated",
    "Unavailable",
]
