"""A road between a client and a real server that can be made to fail: real connections, broken in real ways."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True)
class Reset:
    """The connection is reset after so many bytes of the answer; the server has seen the request, unless `at_once`."""

    after: int = 0
    at_once: bool = False


@dataclass(frozen=True)
class Refuse:
    """Somebody before the server answers in its place."""

    status: int
    code: str


@dataclass(frozen=True)
class Hang:
    """Nobody ever answers."""


Fault = Reset | Refuse | Hang


@dataclass
class Road:
    """Passes requests on; the next ones that match `faults` fail, in their order. One request a connection."""

    server: tuple[str, int]
    port: int = 0
    faults: list[tuple[str, Fault]] = field(default_factory=list)
    """A pattern for the head of a request, such as `^PUT .*partNumber=2`, and what befalls it."""
    seen: list[str] = field(default_factory=list)
    """The heads of all requests."""

    async def travel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(END_OF_HEAD)
            self.seen.append(head.decode())
            fault = self._fault(head.decode())
            if isinstance(fault, Hang):
                await reader.read()
            elif isinstance(fault, Reset) and fault.at_once:
                _reset(writer)
            elif isinstance(fault, Refuse):
                await _swallow(reader, head)
                writer.write(_answer(fault))
                await writer.drain()
            else:
                await self._through(head, reader, writer, fault)
        writer.close()

    def _fault(self, head: str) -> Fault | None:
        for position, (pattern, fault) in enumerate(self.faults):
            if re.search(pattern, head):
                del self.faults[position]
                return fault
        return None

    async def _through(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Reset | None
    ) -> None:
        inner_reader, inner_writer = await asyncio.open_connection(*self.server)
        inner_writer.write(head)
        upward = asyncio.create_task(_pipe(reader, inner_writer))
        left = fault.after if fault else -1
        try:
            while block := await inner_reader.read(1 << 16):
                writer.write(block if left < 0 else block[:left])
                await writer.drain()
                if fault and len(block) >= left:
                    return _reset(writer)
                left -= len(block) if fault else 0
        finally:
            upward.cancel()
            inner_writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await reader.read(1 << 16):
            writer.write(block)
            await writer.drain()


async def _swallow(reader: asyncio.StreamReader, head: bytes) -> None:
    length = re.search(rb"(?im)^content-length: (\d+)", head)
    await reader.readexactly(int(length.group(1)) if length else 0)


def _answer(fault: Refuse) -> bytes:
    body = f"<?xml version='1.0'?><Error><Code>{fault.code}</Code><Message>no</Message></Error>".encode()
    head = f"HTTP/1.1 {fault.status} No\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\nConnection: close"
    return head.encode() + END_OF_HEAD + body


def _reset(writer: asyncio.StreamWriter) -> None:
    connection = writer.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def road_to(address: str) -> AsyncIterator[Road]:
    """A road to `host:port`; its own address is on the loopback interface."""
    host, _, port = address.rpartition(":")
    road = Road((host, int(port)))
    server = await asyncio.start_server(road.travel, "127.0.0.1", 0, limit=1 << 20)
    road.port = server.sockets[0].getsockname()[1]
    yield road
    server.close()
