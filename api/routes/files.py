"""Files: a single one, restored and verified, then streamed; and the states of files."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import IO, Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, StreamingResponse

from api.context import UserMemory
from api.downloads import BYTES_OR_PART, PART, disposition, media_type
from api.event_stream import documented_events, followed
from api.headers import Prefer, waited
from api.problems import documented
from engine.domain.file_state import FileStatus, OpenedFile
from engine.errors import Rehydrating

router = APIRouter(prefix="/v1/users/{user_id}/nodes/{node_id}/files", tags=["files"])
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


@router.get(
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


@router.get("/{file_id}/state", operation_id="getFileState")
async def state(node_id: UUID, file_id: UUID, memory: UserMemory) -> FileStatus:
    """The state of a file: asleep, awake, or being restored. This does not wake it."""
    return await memory.files.state(node_id, file_id)


@router.post("/{file_id}/wake", operation_id="wakeFile", responses=STILL_RESTORED | documented(507))
async def wake(
    node_id: UUID, file_id: UUID, memory: UserMemory, response: Response, wait: Wait = None, prefer: Prefer = None
) -> FileStatus:
    """Wakes a file and keeps it awake until it is put to sleep or unused for long. Repeating it changes nothing."""
    status = await memory.files.wake(node_id, file_id, wait_s=waited(wait, prefer, LONGEST_WAIT))
    if status.state == "rehydrating":
        response.status_code = 202
        response.headers.update(_retry(Rehydrating.retry_after))
    return status


@router.post("/{file_id}/sleep", operation_id="sleepFile", responses=documented(409))
async def sleep(node_id: UUID, file_id: UUID, memory: UserMemory) -> FileStatus:
    """Puts a file to sleep; needs write access to its node. 409 while it is restored. Repeating it changes nothing."""
    return await memory.files.sleep(node_id, file_id)


@router.get("/{file_id}/events", operation_id="followFile", response_class=StreamingResponse, responses=EVENTS)
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
