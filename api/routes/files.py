"""Phase two: one identified file, restored and verified, then streamed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from api.context import UserMemory
from api.problems import documented
from engine.lifecycle.rehydrate import OpenedFile

router = APIRouter(prefix="/v1/users/{user_id}/nodes/{node_id}/files", tags=["files"])
BLOCK = 1 << 18
ORIGINAL: dict[int | str, dict[str, Any]] = {
    200: {"description": "The original bytes.", "content": {"application/octet-stream": {}}}
}


@router.get(
    "/{file_id}",
    operation_id="openFile",
    response_class=StreamingResponse,
    responses=ORIGINAL | documented(404, 422, 500, 503),
)
async def open_file(node_id: UUID, file_id: UUID, memory: UserMemory) -> StreamingResponse:
    """The original bytes of one file. The hash was checked before the first byte is sent."""
    stack = AsyncExitStack()
    file = await stack.enter_async_context(memory.open_file(node_id, file_id))
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
        "Content-Length": str(file.size_bytes),
    }
    return StreamingResponse(_blocks(stack, file), media_type=file.content_type, headers=headers)


async def _blocks(stack: AsyncExitStack, file: OpenedFile) -> AsyncIterator[bytes]:
    async with stack:
        while block := await asyncio.to_thread(file.content.read, BLOCK):
            yield block
