"""Files: a single one, restored and verified, then streamed; the states of files, and their log: which file woke or fell asleep
and why, which transitions failed; raw inputs, as they were received.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import IO, Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, StreamingResponse

from api.bodies import JsonRoute
from api.context import UserMemory
from api.cursors import PAGE_HEADERS, APage, Before, last_line, number, timed
from api.event_stream import documented_events, followed
from api.headers import BYTES, BYTES_OR_PART, PART, Prefer, disposition, download, media_type, waited
from api.models import Review, ReviewedEntry
from api.problems import documented
from engine.domain.file_state import FileStatus, OpenedFile, RawResource, ResourceType, StateEntry
from engine.errors import Rehydrating

of_files = APIRouter(prefix="/v1/users/{user_id}/nodes/{node_id}/files", tags=["files"])
BLOCK = 1 << 18
LONGEST_WAIT = 300
"""Seconds between two polls of a file whose events are streamed: at first, and at most."""
STILL_RESTORED: dict[int | str, dict[str, Any]] = {
    202: {
        "model": FileStatus,
        "description": "The file is still being restored; retry, or follow its events.",
        "headers": {"Retry-After": {"description": "Seconds after which to retry.", "schema": {"type": "string"}}},
    }
}
EVENTS = documented_events("a FileStatus")

Wait = Annotated[
    float | None,
    Query(
        ge=0,
        le=LONGEST_WAIT,
        allow_inf_nan=False,
        description="Seconds to wait for the restoration; without it, the server's setting.",
    ),
]
of_file_log = APIRouter(prefix="/v1/users/{user_id}/file-log", tags=["files"], route_class=JsonRoute)
MOST = 2**62
of_resources = APIRouter(prefix="/v1/users/{user_id}/resources", tags=["resources"])


async def _opened(
    node_id: UUID, file_id: UUID, memory: UserMemory, wait: Wait = None, prefer: Prefer = None
) -> AsyncIterator[OpenedFile | Rehydrating]:
    """Open until the answer has been sent, or cannot be."""
    async with AsyncExitStack() as opening:
        opened: OpenedFile | Rehydrating
        try:
            wait_s = waited(wait, prefer, LONGEST_WAIT)
            opened = await opening.enter_async_context(memory.files.open(node_id, file_id, wait_s=wait_s))
        except Rehydrating as error:
            opened = error
        yield opened


@of_files.get(
    "/{file_id}",
    operation_id="openFile",
    response_class=StreamingResponse,
    responses=BYTES_OR_PART | STILL_RESTORED | documented(507),
)
async def open_file(
    node_id: UUID, file_id: UUID, memory: UserMemory, file: Annotated[OpenedFile | Rehydrating, Depends(_opened)]
) -> Response:
    """The original bytes of one file. Its hash is verified before the first byte is sent.

    If the file lies at several nodes, readers other than the owner get only the passages of this node; if a turn or a passage
    was changed or ended by hand, everybody gets what holds now: as a text with `Neurigraph-Part: true`.
    """
    if isinstance(file, Rehydrating):
        status = await memory.files.state(node_id, file_id)
        return JSONResponse(jsonable_encoder(status), 202, _retry(file.retry_after))
    headers = {"Content-Disposition": disposition(file.name), "Content-Length": str(file.size_bytes)}
    shown = media_type(file.content_type)
    if file.part:
        shown, headers[PART] = "text/plain; charset=utf-8", "true"
    return StreamingResponse(_blocks(file.content), media_type=shown, headers=headers)


def _retry(seconds: float) -> dict[str, str]:
    return {"Retry-After": str(max(1, math.ceil(seconds)))}


@of_files.get("/{file_id}/state", operation_id="getFileState")
async def state(node_id: UUID, file_id: UUID, memory: UserMemory) -> FileStatus:
    """The state of a file: asleep, awake, or being restored. This does not wake it."""
    return await memory.files.state(node_id, file_id)


@of_files.post("/{file_id}/wake", operation_id="wakeFile", responses=STILL_RESTORED | documented(507))
async def wake(
    node_id: UUID, file_id: UUID, memory: UserMemory, response: Response, wait: Wait = None, prefer: Prefer = None
) -> FileStatus:
    """Wakes a file and keeps it awake until it is put to sleep or unused for long. Repeating it changes nothing."""
    status = await memory.files.wake(node_id, file_id, wait_s=waited(wait, prefer, LONGEST_WAIT))
    if status.state == "rehydrating":
        response.status_code = 202
        response.headers.update(_retry(Rehydrating.retry_after))
    return status


@of_files.post("/{file_id}/sleep", operation_id="sleepFile", responses=documented(409))
async def sleep(node_id: UUID, file_id: UUID, memory: UserMemory) -> FileStatus:
    """Puts a file to sleep; needs write access to its node. 409 while it is restored. Repeating it changes nothing."""
    return await memory.files.sleep(node_id, file_id)


@of_files.get("/{file_id}/events", operation_id="followFile", response_class=StreamingResponse, responses=EVENTS)
async def events(
    node_id: UUID,
    file_id: UUID,
    memory: UserMemory,
    request: Request,
    wait: Annotated[
        float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="Maximum number of seconds to follow it.")
    ] = 30,
) -> StreamingResponse:
    """The state as a server-sent event, and each change until the file is restored. This does not wake it."""
    first = await memory.files.state(node_id, file_id)
    return followed(
        request, first, lambda: memory.files.state(node_id, file_id), lambda seen: seen.state == "rehydrating", wait
    )  # fmt: skip


async def _blocks(content: IO[bytes]) -> AsyncIterator[bytes]:
    while block := await asyncio.to_thread(content.read, BLOCK):
        yield block


@of_file_log.get("", operation_id="getFileLog", responses=PAGE_HEADERS)
async def file_log(
    memory: UserMemory,
    page: APage,
    node_id: Annotated[UUID | None, Query(description="Only files of this node.")] = None,
    file_id: Annotated[UUID | None, Query(description="Only this file.")] = None,
    to_review: Annotated[bool, Query(description="Only failures that are not reviewed.")] = False,
    before: Annotated[int | None, Query(ge=1, le=MOST, description="The last entry of the previous page.")] = None,
) -> Sequence[StateEntry]:
    """Transitions of the files of a graph, newest first, one page. The log is append-only."""
    start = page.start(number, before)
    entries = await memory.files.log(
        node_id=node_id, file_id=file_id, to_review=to_review, before=start, limit=page.limit
    )
    return page.of(entries, lambda entry: entry.entry_id)


@of_file_log.post("/{entry_id}/review", operation_id="reviewFileLog", responses=documented(400, 413, 415, 507))
async def review(entry_id: Annotated[int, Path(ge=1, le=MOST)], body: Review, memory: UserMemory) -> ReviewedEntry:
    """Marks a failed entry as reviewed by the owner, in an entry of its own. Repeating it changes nothing."""
    return ReviewedEntry(entry_id=await memory.files.review(entry_id, body.note))


@of_resources.get("", operation_id="listResources", responses=PAGE_HEADERS)
async def resources(
    memory: UserMemory,
    page: APage,
    content_type: Annotated[ResourceType | None, Query(description="Only those of this type.")] = None,
    source_id: Annotated[
        str | None, Query(min_length=1, max_length=500, description="Only those of this source.")
    ] = None,
    before: Before = None,
) -> Sequence[RawResource]:
    """Raw inputs, newest first, one page. They are append-only."""
    start = page.start(timed, last_line(before))
    found = await memory.resources.list(content_type=content_type, source_id=source_id, before=start, limit=page.limit)
    return page.of(found, lambda resource: (resource.received_at, resource.resource_id))


@of_resources.get("/{resource_id}/content", operation_id="getResource", response_class=Response, responses=BYTES)
async def content(resource_id: UUID, memory: UserMemory) -> Response:
    """The bytes of a raw input under its own name. The hash is verified before the first byte is sent."""
    found = await memory.resources.content(resource_id)
    return download(found.content, found.file_name, found.media_type)
