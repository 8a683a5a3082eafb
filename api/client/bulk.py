"""Import and export of lines (NDJSON), for both clients.

An import is sent in requests of some lines. Each is answered before the next is sent, and sent again where its answer is lost,
which stores nothing twice. So progress is seen, nothing is held as a whole, and no request is too large.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx2
from pydantic_core import to_jsonable_python

from api.client.requests import Call, NotReached, accepted, adapter, error_of, path
from api.client.sending import AsyncSender, Sender, not_reached
from api.models import ReportedLine
from engine.domain.written import MEDIA_TYPE, LineBody, LineSplitter

MOST_LINES, MOST_BYTES = 1000, 4 << 20
"""Lines and bytes of one request; a longer line is sent alone."""
Written = LineBody | Mapping[str, Any] | str | bytes
"""A line: a value, or JSON as it stands in a file."""


class Bulk(Sender):
    """Import and export for threads."""

    def import_lines(
        self, user_id: UUID | str, lines: Iterable[Written], *, again: bool = False
    ) -> Iterator[ReportedLine]:
        """Stores one conversation or text a line and yields what became of each; `lines` may be an open file. `again`: also
        what was forgotten. Nothing is sent before the first report is asked for. Raises ApiError where it cannot go on; sent
        again, it stores what is missing.
        """
        parts = _Parts()
        for line in lines:
            if (whole := parts.add(line)) is not None:
                yield from self._sent(_call(user_id, whole, again))
        if (whole := parts.taken()) is not None:
            yield from self._sent(_call(user_id, whole, again))

    def export_lines(self, user_id: UUID | str) -> Iterator[dict[str, Any]]:
        """Yields each line of an export, its totals (`done`) last. Raises ApiError, and NotReached where it was cut."""
        call, ends = _export(user_id), _Ends()
        try:
            with self._http.stream(**call.sent()) as response:
                if not response.is_success:
                    response.read()
                call.read(response)
                for data in response.iter_bytes():
                    yield from ends.read(response, data)
        except httpx2.RequestError as error:
            raise not_reached(call, error) from error
        ends.check(call)


class AsyncBulk(AsyncSender):
    """Import and export for asyncio."""

    async def import_lines(
        self, user_id: UUID | str, lines: Iterable[Written] | AsyncIterable[Written], *, again: bool = False
    ) -> AsyncIterator[ReportedLine]:
        """Stores one conversation or text a line and yields what became of each; see `Bulk.import_lines`."""
        parts = _Parts()
        async for line in _each(lines):
            if (whole := parts.add(line)) is not None:
                for report in await self._sent(_call(user_id, whole, again)):
                    yield report
        if (whole := parts.taken()) is not None:
            for report in await self._sent(_call(user_id, whole, again)):
                yield report

    async def export_lines(self, user_id: UUID | str) -> AsyncIterator[dict[str, Any]]:
        """Yields each line of an export, its totals (`done`) last. Raises ApiError, and NotReached where it was cut."""
        call, ends = _export(user_id), _Ends()
        try:
            async with self._http.stream(**call.sent()) as response:
                if not response.is_success:
                    await response.aread()
                call.read(response)
                async for data in response.aiter_bytes():
                    for line in ends.read(response, data):
                        yield line
        except httpx2.RequestError as error:
            raise not_reached(call, error) from error
        ends.check(call)


@dataclass(slots=True)
class _Part:
    """Some lines of an import. `before`: how many lines came before them."""

    before: int
    lines: list[bytes] = field(default_factory=list)
    size: int = 0


class _Parts:
    """Collects lines until they are enough for a request."""

    def __init__(self) -> None:
        self._part = _Part(0)

    def add(self, line: Written) -> _Part | None:
        """The part that is full without this line, or with it."""
        data, whole = _bytes(line), None
        if self._part.lines and self._part.size + len(data) > MOST_BYTES:
            whole = self.taken()
        self._part.lines.append(data)
        self._part.size += len(data)
        return whole if whole is not None or len(self._part.lines) < MOST_LINES else self.taken()

    def taken(self) -> _Part | None:
        """What was collected; None where there is nothing."""
        part = self._part
        self._part = _Part(part.before + len(part.lines))
        return part if part.lines else None


class _Ends:
    """The lines of an export, and whether the last one came. Only a line feed ends a line: texts hold other ends of lines."""

    def __init__(self) -> None:
        self._splitter, self._done = LineSplitter(sys.maxsize), False

    def read(self, response: httpx2.Response, data: bytes) -> Iterator[dict[str, Any]]:
        for line in self._splitter.take(data):
            value: dict[str, Any] = adapter(dict[str, Any]).validate_json(line.content or b"")
            self._done = "done" in value
            if self._done:
                _raise_problem(response, value)
            yield value

    def check(self, call: Call[Any]) -> None:
        """Raises NotReached where it did not."""
        if not self._done:
            raise NotReached(f"The answer of {call.path} was cut.")


def _bytes(line: Written) -> bytes:
    if isinstance(line, str):
        line = line.encode("utf-8")
    if isinstance(line, LineBody):
        line = line.model_dump(mode="json", exclude_defaults=True)
    if not isinstance(line, bytes):
        line = json.dumps(to_jsonable_python(line), ensure_ascii=False).encode("utf-8")
    return line.rstrip(b"\r\n") + b"\n"


async def _each(lines: Iterable[Written] | AsyncIterable[Written]) -> AsyncIterator[Written]:
    if isinstance(lines, AsyncIterable):
        async for line in lines:
            yield line
        return
    for line in lines:
        yield line


def _call(user_id: UUID | str, part: _Part, again: bool) -> Call[list[ReportedLine]]:
    def read(response: httpx2.Response) -> list[ReportedLine]:
        _check(response)
        *reports, totals = response.content.rstrip(b"\n").split(b"\n")
        end = adapter(dict[str, Any]).validate_json(totals or b"{}")
        if "done" not in end:
            raise NotReached(f"The answer of {response.request.url.path} was cut.")
        _raise_problem(response, end)
        found = [adapter(ReportedLine).validate_json(line) for line in reports]
        return [one.model_copy(update={"line": part.before + one.line}) for one in found]

    query = {"again": True} if again else {}
    place = path("/v1/users/{user_id}/import", user_id=user_id)
    return Call("POST", place, read, query=query, lines=b"".join(part.lines))


def _export(user_id: UUID | str) -> Call[None]:
    return Call("GET", path("/v1/users/{user_id}/export", user_id=user_id), _check)


def _check(response: httpx2.Response) -> None:
    accepted(response)
    if not response.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
        raise NotReached(f"The answer of {response.request.url.path} holds no lines.")


def _raise_problem(response: httpx2.Response, totals: dict[str, Any]) -> None:
    if problem := totals.get("problem"):
        raise error_of(httpx2.Response(problem.get("status", 500), json=problem, request=response.request))
