"""Bodies and answers of lines (NDJSON), both read and sent as streams.

An import answers while its body still arrives. Some clients read nothing before they have sent everything: were the reports to
wait for them, and the body for the reports, both would wait for ever. So reports go to a `Spool`, and the body is read on.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.domain.written import MEDIA_TYPE
from engine.errors import InvalidInput

IN_MEMORY = 1 << 20
"""Bytes of reports that wait in memory; what is more waits in a temporary file."""
MOST_WAITING = 256 << 20
"""Bytes of reports that wait at all: of a million lines or more. An import whose client has not read them ends there."""
PART = 1 << 16
"""Bytes that are sent at once."""
PATIENCE = 60.0
"""Seconds without a byte read after which a client that has sent its body is given up."""


class Unread(InvalidInput):
    """The reports of this import were not read; read them while the body is sent, or send fewer lines at once."""


class Spool:
    """Bytes that wait to be sent, in order: in memory, then in a file."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with the answer)
        self._start = self._end = self.sent = 0
        self._news = asyncio.Event()
        self._ended = False

    def put(self, data: bytes) -> None:
        """Adds bytes. Raises Unread where too many wait."""
        if self._end - self._start + len(data) > MOST_WAITING:
            raise Unread
        self.put_last(data)

    def put_last(self, data: bytes) -> None:
        """Adds bytes that are few, however many wait."""
        self._file.seek(self._end)
        self._file.write(data)
        self._end += len(data)
        self._news.set()

    def end(self) -> None:
        """No more come."""
        self._ended = True
        self._news.set()

    async def wait(self) -> None:
        """Until there are bytes, or no more come."""
        await self._news.wait()

    async def blocks(self) -> AsyncIterator[bytes]:
        """What was put, until the end."""
        while True:
            await self._news.wait()
            if self._start < self._end:
                self._file.seek(self._start)
                part = self._file.read(PART)
                self._start += len(part)
                yield part
                self.sent += len(part)
            elif self._ended:
                return
            else:  # all is sent: the file begins anew
                self._start = self._end = 0
                self._file.truncate(0)
                self._news.clear()

    @property
    def empty(self) -> bool:
        """Whether no byte waits."""
        return self._start == self._end

    def close(self) -> None:
        self._file.close()


class AnsweredLines(Response):
    """Sends a spool while `work` fills it and reads the body. The framework's own streams would take the body for themselves, to
    notice a client that has gone; here the reader of the body notices it."""

    media_type = MEDIA_TYPE

    def __init__(self, spool: Spool, work: asyncio.Task[None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._spool, self._work = spool, work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.create_task(self._send(send))
        try:
            await asyncio.wait([self._work])
            while not sending.done():
                sent = self._spool.sent
                await asyncio.wait([sending], timeout=PATIENCE)
                if self._spool.sent == sent:
                    break
            self._work.result()
        finally:
            self._work.cancel()
            sending.cancel()
            await asyncio.gather(self._work, sending, return_exceptions=True)
            self._spool.close()

    async def _send(self, send: Send) -> None:
        async for part in self._spool.blocks():
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def answering(work: Callable[[Spool], Awaitable[None]]) -> AnsweredLines:
    """The answer of a work that puts lines into the spool, once it has put the first. What it raises before that is raised."""
    spool = Spool()

    async def run() -> None:
        try:
            await work(spool)
        finally:
            spool.end()

    task = asyncio.create_task(run())
    try:
        await spool.wait()
        if spool.empty:
            await task
    except BaseException:
        task.cancel()
        spool.close()
        raise
    return AnsweredLines(spool, task)
