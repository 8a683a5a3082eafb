"""Without a token the door serves its own account of the machine, and gives nobody the secret of a token."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from api.peer import is_own_account
from engine.neurigraph import Engine
from tests.contract.test_rest_slow_clients import serving
from tests.door import new_door

pytestmark = pytest.mark.ledger("U02")

OPERATOR = "operator-7f3a91c05be2d864"
NOBODY = 65534
ASK = """
import os, socket, sys
host, port, path = sys.argv[1:]
os.setgid({account}); os.setuid({account})
with socket.socket() as connection:
    connection.settimeout(20)
    connection.connect((host, int(port)))
    connection.sendall(b"GET %s HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n" % path.encode())
    answer = b""
    while block := connection.recv(65536):
        answer += block
print(answer.decode().removeprefix("HTTP/1.1 "))
"""
"""Loads all that it needs before it is another account, which may not read Python's own files."""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="another account can be taken by root only")


async def asked_as(account: int, port: int, path: str) -> str:
    program = [sys.executable, "-I", "-c", ASK.format(account=account), "127.0.0.1", str(port), path]
    return (await asyncio.to_thread(subprocess.run, program, capture_output=True, text=True, check=True)).stdout.strip()


@pytest.fixture
async def port(engine: Engine) -> AsyncIterator[int]:
    async with serving(engine, local_accounts="own", headers_timeout_s=20) as port:
        yield port


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
async def test_the_own_account_is_the_operator(port: int, address: str) -> None:
    async with httpx.AsyncClient(base_url=f"http://{address}:{port}") as door:
        assert [(await door.get("/v1/users")).status_code for _ in range(3)] == [200, 200, 200]


@as_root
async def test_another_account_is_refused_at_every_path_but_the_open_ones(port: int) -> None:
    for path in ("/v1/users", f"/v1/users/{uuid4()}/graph", "/v1/nothing", "/metrics"):
        answer = await asked_as(NOBODY, port, path)
        assert answer.startswith("403 ") and "NEURIGRAPH_API_TOKEN" in answer, path
    for path in ("/v1/health/live", "/docs", "/v1/openapi.json"):
        assert (await asked_as(NOBODY, port, path)).startswith("200 "), path


@as_root
async def test_any_account_comes_in_where_the_settings_say_so(engine: Engine) -> None:
    async with serving(engine, local_accounts="any") as port:
        assert (await asked_as(NOBODY, port, "/v1/users")).startswith("200 ")


def connection(client: tuple[str, int], server: tuple[str, int]) -> dict[str, Any]:
    return {"type": "http", "client": client, "server": server}


async def test_a_connection_is_known_while_its_client_has_it_open(engine: Engine) -> None:
    async with serving(engine, headers_timeout_s=20) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        ours, theirs = writer.get_extra_info("sockname"), writer.get_extra_info("peername")
        assert is_own_account(connection(ours, theirs))
        assert not is_own_account(connection(ours, (theirs[0], theirs[1] + 1)))  # the same port, to another server
        assert not is_own_account(connection((ours[0], 1), theirs))
        writer.close()
        await writer.wait_closed()
        assert not is_own_account(connection(ours, theirs))  # what is left of it belongs to no account


async def test_no_token_is_made_without_a_credential(engine: Engine) -> None:
    new = {"principal_kind": "administrator", "name": "eve"}
    for changes, headers, status in (
        ({}, {}, 403),
        ({"local_accounts": "own"}, {}, 403),
        ({"api_token": SecretStr(OPERATOR)}, {}, 401),
        ({"api_token": SecretStr(OPERATOR)}, {"Authorization": f"Bearer {OPERATOR}"}, 201),
    ):
        settings = engine.settings.model_copy(update=changes)
        transport = httpx.ASGITransport(new_door(settings, engine=engine), client=("127.0.0.1", 50000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as door:
            made = await door.post("/v1/tokens", json=new)
            assert made.status_code == status
            if status == 403:
                assert (await door.get("/v1/tokens")).status_code == (200 if not changes else 403)
            if status == 201:
                rotate = f"/v1/tokens/{made.json()['token']['token_id']}/rotate"
                assert (await door.post(rotate, json={})).status_code == 201
    with_token = engine.settings.model_copy(update={"api_token": None})
    transport = httpx.ASGITransport(new_door(with_token, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        refused = await door.post(rotate, json={})
        assert refused.status_code == 403 and "token create" in refused.json()["detail"]


async def test_two_lengths_are_refused_and_end_the_connection(engine: Engine) -> None:
    request = (
        b"POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/users HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    async with serving(engine) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1


async def test_a_connection_stays_open_between_requests_for_longer_than_headers_may_take(engine: Engine) -> None:
    ask = b"GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with serving(engine, headers_timeout_s=0.2, keep_alive_s=60) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):
            writer.write(ask)
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length"))
            await reader.readexactly(int(length.split(b":")[1]))
            await asyncio.sleep(0.6)
        assert not reader.at_eof()
        writer.write(ask[:20])  # half of the next one has the time of headers
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 408 ")
