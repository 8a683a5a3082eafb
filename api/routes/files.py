"""Phase two: one identified file, restored and verified, then streamed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import IO, Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse

from api.context import UserMemory
from api.problems import documented
from engine.lifecycle.rehydrate import OpenedFile

router = APIRouter(prefix="/v1/users/{user_id}/nodes/{node_id}/files", tags=["files"])
BLOCK = 1 << 18
ORIGINAL: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The original bytes.",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
        "headers": {
            "Content-Disposition": {"description": "The file's name (RFC 6266).", "schema": {"type": "string"}},
            "Content-Length": {"description": "Its size in bytes.", "schema": {"type": "integer"}},
        },
    }
}
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")


async def _opened(node_id: UUID, file_id: UUID, memory: UserMemory) -> AsyncIterator[OpenedFile]:
    """Open until the answer has been sent, or cannot be."""
    async with memory.open_file(node_id, file_id) as file:
        yield file


@router.get(
    "/{file_id}",
    operation_id="openFile",
    response_class=StreamingResponse,
    responses=ORIGINAL | documented(404, 422, 500, 503),
)
async def open_file(file: Annotated[OpenedFile, Depends(_opened)]) -> StreamingResponse:
    """The original bytes of one file. The hash was checked before the first byte is sent."""
    media_type = file.content_type if _MEDIA_TYPE.fullmatch(file.content_type) else "application/octet-stream"
    headers = {"Content-Disposition": disposition(file.name), "Content-Length": str(file.size_bytes)}
    return StreamingResponse(_blocks(file.content), media_type=media_type, headers=headers)


def disposition(name: str) -> str:
    """An attachment's header for any name: an ASCII fallback, and the name itself as RFC 8187 encodes it."""
    plain = name.encode("ascii", "replace").decode()
    fallback = re.sub(r"[^A-Za-z0-9 ._()+,=@-]", "_", plain).strip() or "file"
    return f"attachment; filename=\"{fallback}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"


async def _blocks(content: IO[bytes]) -> AsyncIterator[bytes]:
    while block := await asyncio.to_thread(content.read, BLOCK):
        yield block
