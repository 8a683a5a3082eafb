"""The supervisor's door: one JSON object a line over a loopback connection, opened by the token of the state file; and the relay:
progress that is sent to every waiting process, also to one that attaches later.

The connection of an attached process is its lease: the system closes it when the process ends, however it ends.

    caller      {"token": …, "ask": "attach" | "keep" | "stop" | "status", "browser": bool, "restart": bool, "holder": its name}
    supervisor  {"progress": [method, arguments]}  any number of times, then one of
                {"stack": {…}} · {"status": {…}} · {"stopped": true} · {"refused": sentence}
                · {"stopped": true} later on a lease: the servers are to stay down
                · {"error": class, "detail": sentence, "final": whether the supervisor ends too}
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

from engine.progress import Progress

Message = dict[str, Any]
LONGEST_LINE = 1 << 20
LOCK_HELD = 3
"""Exit code of a supervisor whose home already has one."""


async def send(writer: asyncio.StreamWriter, message: Message) -> None:
    """Send one message. Raises ConnectionError when the other side has closed."""
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()


async def receive(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None when the other side has closed or the message is invalid."""
    try:
        line = await reader.readline()
        content = json.loads(line) if line else None
    except (ValueError, ConnectionError):
        return None
    return content if isinstance(content, dict) else None


async def messages(reader: asyncio.StreamReader) -> AsyncIterator[Message]:
    """All messages until the other side closes."""
    while (message := await receive(reader)) is not None:
        yield message


class Relay:
    """Collects progress in the supervisor and sends it to the listeners."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._more = asyncio.Condition()
        self._pending: set[asyncio.Task[None]] = set()

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        self._record("start", task, total, unit)

    def advance(self, task: str, amount: float = 1) -> None:
        self._record("advance", task, amount)

    def finish(self, task: str, note: str = "") -> None:
        self._record("finish", task, note)

    def _record(self, method: str, *arguments: object) -> None:
        self._messages.append({"progress": [method, list(arguments)]})
        task = asyncio.get_running_loop().create_task(self._wake())
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def _wake(self) -> None:
        async with self._more:
            self._more.notify_all()

    async def listen(self, writer: asyncio.StreamWriter) -> None:
        """Send all progress, old and new, until cancelled."""
        for at in count():
            async with self._more:
                while len(self._messages) <= at:
                    await self._more.wait()
            await send(writer, self._messages[at])


def replay(message: Message, progress: Progress) -> None:
    """Apply a progress message of the supervisor to the caller's progress."""
    method, arguments = message["progress"]
    match method:
        case "start":
            progress.start(*arguments)
        case "advance":
            progress.advance(*arguments)
        case "finish":
            progress.finish(*arguments)
