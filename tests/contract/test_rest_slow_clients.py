"""Connections to the real server that send half of a request, or nothing: each has an end, and there are not too many."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import pytest
from pydantic import SecretStr

from api.app import create_app
from api.serving import server
from engine.errors import NotFound, StoreFailed, StoreUnavailable
from engine.neurigraph import Engine

HEAD = b"POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
Connect = Callable[[], AsyncIterator]
TOKEN = "operator-7f3a91c05be2d864"
END = 20
"""Seconds after which a connection that is still open is held to stay so; each test allows 0.5 s."""


@asynccontextmanager
async def serving(engine: Engine, broken: Exception | None = None, **changes: object) -> AsyncIterator[int]:
    """The port of a door with these settings, served as `neurigraph serve` does; `/v1/broken` raises `broken`."""

    async def fail() -> None:
        assert broken is not None
        raise broken

    short = {"headers_timeout_s": 0.5, "body_timeout_s": 0.5, "keep_alive_s": 60, "rate_limit_per_minute": 0}
    settings = engine.settings.model_copy(update=short | changes)
    listener = socket.create_server(("127.0.0.1", 0))
    app = create_app(settings, engine=engine)
    app.add_api_route("/v1/broken", fail, include_in_schema=False)
    one = server(settings, app)
    running = asyncio.create_task(one.serve(sockets=[listener]))
    try:
        yield listener.getsockname()[1]
    finally:
        one.should_exit = True
        await running


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    received = b""
    async with asyncio.timeout(END):
        with suppress(ConnectionResetError):  # of a client that goes on sending, after its answer
            while block := await reader.read(1 << 16):
                received += block
    return received


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GET /v1/us", b"408"),
        (HEAD, b"408"),
        (HEAD + b"Content-Length: 20\r\n\r\n{", b"408"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b"408"),
        (b"GET /v1/users/by-handle/none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n", b"404"),
        (b"GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1/us", b"200"),
    ],
    ids=["nothing", "half a line", "half the headers", "half a body", "half a chunked body", "a body nobody reads", "a second half"],
)  # fmt: skip
async def test_what_is_sent_half_is_answered_or_closed(engine: Engine, sent: bytes, answer: bytes) -> None:
    async with serving(engine) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        received = await until_closed(reader)
        writer.close()
    assert received.split(b" ")[1:2] == ([answer] if answer else [])
    if answer == b"408":
        assert b"urn:neurigraph:problem:too-slow" in received and b"application/problem+json" in received


@pytest.mark.parametrize("start", [b"GET /v1/users HTTP/1.1\r\nX-Long: ", HEAD + b"Content-Length: 100000\r\n\r\n"])
async def test_bytes_that_drip_in_do_not_keep_a_request_open(engine: Engine, start: bytes) -> None:
    async with serving(engine) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(start)
        reading = asyncio.create_task(until_closed(reader))
        while not reading.done():
            writer.write(b"x")
            await asyncio.sleep(0.05)
        assert b" 408 " in await reading
        writer.close()


async def test_a_body_that_keeps_coming_may_take_its_time(engine: Engine) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b'{"handle": "'
        for _ in range(8):
            await asyncio.sleep(0.1)
            yield b"x" * 64 * 1024
        yield b'"}'

    async with serving(engine) as port, httpx.AsyncClient(base_url=f"http://localhost:{port}", timeout=END) as door:
        answer = await door.post("/v1/users", content=body(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422  # all of it arrived: that handle is too long


async def test_where_there_are_too_many_the_one_that_waits_longest_is_closed(engine: Engine) -> None:
    async with serving(engine, headers_timeout_s=600, max_connections=5) as port, AsyncExitStack() as stack:
        opened = []
        for _ in range(5):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            writer.write(b"GET /v1/us")
            opened.append(reader)
            await asyncio.sleep(0.02)
        async with httpx.AsyncClient(base_url=f"http://localhost:{port}", timeout=END) as door:
            assert (await door.get("/v1/health/live")).status_code == 200
        assert await until_closed(opened[0]) == b""
        assert not any(reader.at_eof() for reader in opened[1:])


async def test_what_a_client_says_of_its_address_does_not_count(engine: Engine) -> None:
    changes = {"api_token": SecretStr(TOKEN), "rate_limit_per_minute": 20}
    async with serving(engine, **changes) as port, httpx.AsyncClient(base_url=f"http://localhost:{port}") as door:
        statuses = [
            (
                await door.get("/v1/users", headers={"X-Forwarded-For": said, "Authorization": "Bearer guess"})
            ).status_code
            for said in ("1.1.1.1", "2.2.2.2")
        ]
    assert statuses == [401, 429]


@pytest.mark.parametrize(
    ("broken", "status", "closes"),
    [
        (RuntimeError("a defect"), 500, True),
        (StoreFailed("refused"), 500, False),
        (StoreUnavailable("graph"), 503, False),
        (NotFound(), 404, False),
    ],
)
async def test_an_answer_says_whether_its_connection_closes(
    engine: Engine, broken: Exception, status: int, closes: bool
) -> None:
    request = b"GET /v1/%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with serving(engine, broken) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request % b"broken")
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" %d " % status in head and (b"connection: close" in head.lower()) == closes
        if not closes:
            writer.write(request % b"health/live")
        rest = await until_closed(reader) if closes else await reader.readuntil(b"\r\n\r\n")
        assert (b" 200 OK" in rest) != closes
        writer.close()


async def test_an_answer_does_not_wait_for_its_second_part(engine: Engine) -> None:
    """Head and body are sent apart; with Nagle's algorithm the body waits 40 ms for the client's acknowledgement."""
    listener = socket.create_server(("127.0.0.1", 0))
    one = server(engine.settings, create_app(engine.settings, engine=engine))
    running = asyncio.create_task(one.serve(sockets=[listener]))
    try:
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        [connection] = one.server_state.connections
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        writer.close()
    finally:
        one.should_exit = True
        await running
