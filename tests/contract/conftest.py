"""The REST door in this process, over the session's engine, and people who come in at it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID, uuid4

import httpx
import pytest
import uvicorn
from pydantic import SecretStr

from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.principal import NewToken
from engine.neurigraph import Engine
from tests.door import new_door

OPERATOR = "operator-7f3a91c05be2d864"
KINDS = ("user", "persona", "third_party", "administrator")


class OpenDoor(Protocol):
    """A client of a door with these settings; `bearer` is what it sends, `peer` where it is."""

    def __call__(
        self, bearer: str | None = None, *, peer: str = "127.0.0.1", **settings: object
    ) -> httpx.AsyncClient: ...


@pytest.fixture
async def open_door(engine: Engine) -> AsyncIterator[OpenDoor]:
    """Clients of one application for each set of settings."""
    apps: dict[str, object] = {}
    clients: list[httpx.AsyncClient] = []

    def opened(bearer: str | None = None, *, peer: str = "127.0.0.1", **settings: object) -> httpx.AsyncClient:
        app = apps.setdefault(
            repr(settings), new_door(engine.settings.model_copy(update=dict(settings)), engine=engine)
        )
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(peer, 50000))
        headers = {"Authorization": f"Bearer {bearer}"} if bearer is not None else {}
        clients.append(httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers))
        return clients[-1]

    yield opened
    for client in clients:
        await client.aclose()


@pytest.fixture
async def door(open_door: OpenDoor) -> httpx.AsyncClient:
    """A client on this machine: the operator."""
    return open_door()


@pytest.fixture
async def operator(open_door: OpenDoor) -> httpx.AsyncClient:
    """A client with the operator's token: without a credential no token is made."""
    return open_door(OPERATOR, api_token=SecretStr(OPERATOR))


@pytest.fixture
def home_path(user: User) -> str:
    """Where the resources of a fresh user are."""
    return f"/v1/users/{user.user_id}"


@dataclass(frozen=True)
class House:
    """A user's graph, Work > Lawyer (a persona) > Cases and Family, a text at each; who comes in there, by kind of
    principal; and a neighbour with a graph like it. The mailbox may read Cases."""

    user: User
    neighbour: User
    nodes: dict[str, UUID]
    neighbours_nodes: dict[str, UUID]
    secrets: dict[str, str]

    @property
    def home(self) -> str:
        return f"/v1/users/{self.user.user_id}"


async def furnished(engine: Engine, user: User) -> dict[str, UUID]:
    memory = engine.memory(user.user_id)
    nodes = {"root": user.user_id}
    for parent, name, kind in (
        ("root", "Work", "concept"), ("Work", "Lawyer", "persona"), ("Lawyer", "Cases", "concept"), ("root", "Family", "concept"),
    ):  # fmt: skip
        nodes[name] = (await memory.nodes.provision(NewNode(nodes[parent], name, kind))).node_id
    for name, node in list(nodes.items()):
        report = await memory.records.remember_text(name, f"The walleye of {name}.", node_id=node)
        nodes[f"file of {name}"] = report.records[0].file_id
    await memory.edges.make(nodes["Cases"], nodes["Family"], "CONCERNS")
    return nodes


async def housed(engine: Engine) -> House:
    user, neighbour = [await engine.workspace.users.create(f"h{uuid4().hex[:12]}", "Bob") for _ in range(2)]
    nodes, neighbours = [await furnished(engine, one) for one in (user, neighbour)]
    mailbox = await engine.workspace.integrations.create(f"mailbox {uuid4().hex[:8]}")
    memory = engine.memory(user.user_id)
    await memory.grants.give(NewGrant(nodes["Cases"], "third_party", mailbox.integration_id))
    holders = {"user": user.user_id, "persona": nodes["Lawyer"], "third_party": mailbox.integration_id}
    secrets = {
        kind: (await engine.workspace.tokens.create(NewToken(kind, holders.get(kind), kind))).secret for kind in KINDS
    }
    return House(user, neighbour, nodes, neighbours, secrets)


@pytest.fixture(scope="module")
async def house(engine: Engine) -> House:
    """The house, furnished; what a test writes there, the others of its module find."""
    return await housed(engine)


@pytest.fixture
async def own_house(engine: Engine) -> House:
    """A house for one test alone."""
    return await housed(engine)


@pytest.fixture(scope="module")
async def address(engine: Engine) -> AsyncIterator[str]:
    """A server with real connections."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(new_door(engine=engine), lifespan="off", log_level="warning"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await serving
