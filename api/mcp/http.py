"""Streamable HTTP on the REST server, behind the same checks: `/mcp` for the user of the credential, and for an operator whose
workspace has one user; `/v1/users/{user_id}/mcp` for every principal, with its rights.

Each request stands alone: no session is kept, so none can be taken over or lost by a restart.
"""

from __future__ import annotations

from typing import cast
from uuid import UUID

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from api.mcp.server import Context, server, unreadable
from engine.domain.principal import Identity
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.opening import Opening

WHOSE = "Say whose memory: connect to /v1/users/USER_ID/mcp."


class _Door:
    def __init__(self, path: str) -> None:
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self  # as the framework does for its own routes
        body = await Request(scope, receive).body()
        if (refusal := unreadable(body)) is not None:
            text = refusal.model_dump_json(by_alias=True)
            await Response(text, 400, media_type="application/json")(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def received() -> Message:
            return waiting.pop() if waiting else await receive()

        await scope["app"].state.mcp.handle_request(scope, received, send)


# POST alone: the server sends nothing of its own accord, and an open stream would hold up its end.
ROUTES = [Route(path, _Door(path), methods=["POST"]) for path in ("/mcp", "/v1/users/{user_id:uuid}/mcp")]


def manager(settings: Settings) -> StreamableHTTPSessionManager:
    """What answers the requests while it runs; it runs once."""
    return StreamableHTTPSessionManager(
        server(_memory_of), json_response=True, stateless=True, max_request_body_size=settings.max_text_bytes
    )


async def _memory_of(context: Context) -> Memory:
    request = cast(Request, context.request)
    opening: Opening = request.app.state.opening
    engine, identity = opening.opened(), request.state.identity
    return await engine.memory_for(identity, request.path_params.get("user_id") or await _user_of(engine, identity))


async def _user_of(engine: Engine, identity: Identity) -> UUID:
    if identity.kind == "user" and identity.principal_id:
        return identity.principal_id
    if identity.kind == "operator":
        users = await engine.workspace_as(identity).users.list(limit=2)
        if not users:
            raise NotFound("There is no user yet.")
        if len(users) == 1:
            return users[0].user_id
    raise InvalidInput(WHOSE)
