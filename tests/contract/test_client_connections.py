"""The connections of a client: more calls than it may have, and calls that are cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep

from api.client import AsyncClient, Client


@contextmanager
def patient(pause: float) -> Iterator[tuple[str, set[object]]]:
    """A server that takes its time for each answer, with the connections that are open."""
    connections: set[object] = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            connections.add(self)
            with suppress(OSError):
                super().handle()
            connections.discard(self)

        def do_GET(self) -> None:
            sleep(pause)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"[]")

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 500

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", connections
    finally:
        server.shutdown()
        server.server_close()


async def test_more_calls_at_once_than_connections_wait_for_one_however_long() -> None:
    with patient(1) as (url, connections):
        async with AsyncClient(url, timeout=3) as client:
            assert await asyncio.gather(*(client.list_users() for _ in range(400))) == [[]] * 400
            assert len(connections) <= 100

        def asked(client: Client) -> list[list[object]]:
            with ThreadPoolExecutor(400) as threads:
                return list(threads.map(lambda _: client.list_users(), range(400)))

        with Client(url, timeout=3) as shared:
            assert await asyncio.to_thread(asked, shared) == [[]] * 400


async def test_cancelled_calls_give_their_connections_back() -> None:
    with patient(0.02) as (url, connections):
        async with AsyncClient(url, timeout=5) as client:
            for number in range(200):
                calls = [asyncio.create_task(client.list_users()) for _ in range(8)]
                await asyncio.sleep(number % 20 * 0.0015 + 0.005)
                for call in calls:
                    call.cancel()
                await asyncio.gather(*calls, return_exceptions=True)
            assert await client.list_users() == []
            for _ in range(50):  # the server notices later that a connection is closed
                if len(connections) <= 8:
                    break
                await asyncio.sleep(0.1)
            assert len(connections) <= 8
