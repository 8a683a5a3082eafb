"""A process that serves an import and is killed at a step: `python -m tests.faults.import_victim HOME CACHE HANDLE STEP`.

Sends itself the lines, a few at a time, and prints the number of each that the answer calls stored. STEP "-" lets it live.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from typing import Any

from api.app import create_app
from api.serving import server
from engine.wiring.open_engine import open_engine
from tests.faults.killing import LIVED, Trap, on_stores_of

AT_ONCE, PARTS = 4, 3
"""Lines sent together, and how often. It is killed in the second commit."""


def line(number: int) -> dict[str, Any]:
    if number % 2:
        return {"text": f"Walleye number {number} was caught at dusk.", "source_id": f"n{number}"}
    return {
        "conversation": {
            "id": f"c{number}",
            "turns": [{"speaker": "Bob", "text": f"Perch number {number} was caught."}],
        }
    }


def part(start: int) -> bytes:
    return b"".join(json.dumps(line(number)).encode() + b"\n" for number in range(start, start + AT_ONCE))


FILE = b"".join(part(start) for start in range(0, PARTS * AT_ONCE, AT_ONCE))


async def main(home: str, cache: str, handle: str, step: str) -> None:
    trap = Trap(step, times=2)
    async with open_engine(on_stores_of(home, cache), on_step=trap, warming=False) as engine:
        user = await engine.workspace.users.create(handle)
        listener = socket.create_server(("127.0.0.1", 0))
        one = server(engine.settings, create_app(engine.settings, engine=engine))
        running = asyncio.create_task(one.serve(sockets=[listener]))
        trap.armed = True
        await send(*listener.getsockname(), f"/v1/users/{user.user_id}/import")
        one.should_exit = True
        await running
        print(LIVED, flush=True)


async def send(host: str, port: int, path: str) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    writer.write(head.encode())
    for start in range(0, PARTS * AT_ONCE, AT_ONCE):
        sent = part(start)
        writer.write(f"{len(sent):x}\r\n".encode() + sent + b"\r\n")
        for number in range(start + 1, start + AT_ONCE + 1):
            await reader.readuntil(f'"line":{number},"status":"stored"'.encode())
            print(number - 1, flush=True)
    writer.write(b"0\r\n\r\n")
    await reader.readuntil(b'"done":true')
    writer.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
