"""Progress that is sent to every waiting process, also to one that attaches later."""

from __future__ import annotations

import asyncio
from itertools import count

from engine.embedded.door import Message, send
from engine.progress import Progress


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
