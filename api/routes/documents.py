"""Documents: what there is, the versions of each, the text and the passages of any of them."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from api.context import UserMemory
from api.problems import documented
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument

router = APIRouter(prefix="/v1/users/{user_id}/documents", tags=["documents"])
PROBLEMS = documented(404, 422, 503)
MOST = 2**31 - 1
BYTES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The bytes as they were stored.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

Version = Annotated[int, Path(ge=1, le=MOST)]
Limit = Annotated[int, Query(ge=1, le=500)]


@router.get("", operation_id="listDocuments", responses=PROBLEMS)
async def documents(
    memory: UserMemory,
    after: Annotated[UUID | None, Query(description="The last document of the page before.")] = None,
    limit: Limit = 100,
) -> tuple[StoredDocument, ...]:
    """Documents as they are now, by id, one page. A persona sees those that it stored."""
    await memory.require()
    return await memory.documents(after=after, limit=limit)


@router.get("/{document_id}/versions", operation_id="listDocumentVersions", responses=PROBLEMS)
async def versions(
    document_id: UUID,
    memory: UserMemory,
    after: Annotated[int, Query(ge=0, le=MOST, description="The last version of the page before.")] = 0,
    limit: Limit = 100,
) -> tuple[DocumentVersion, ...]:
    """Versions of a document, the oldest first, one page."""
    return await memory.document_versions(document_id, after=after, limit=limit)


@router.get(
    "/{document_id}/versions/{version}/content",
    operation_id="getDocumentVersion",
    response_class=Response,
    responses=BYTES | documented(404, 422, 500, 503),
)
async def content(document_id: UUID, version: Version, memory: UserMemory) -> Response:
    """The file of a version as it was stored, verified before the first byte is sent."""
    data = await memory.read_document(document_id, version)
    return Response(data, media_type="application/octet-stream")


@router.get("/{document_id}/versions/{version}/chunks", operation_id="listDocumentChunks", responses=PROBLEMS)
async def chunks(
    document_id: UUID,
    version: Version,
    memory: UserMemory,
    after: Annotated[int, Query(ge=-1, le=MOST, description="The last index of the page before.")] = -1,
    limit: Limit = 100,
) -> tuple[DocumentChunk, ...]:
    """Passages of a version in their order, one page."""
    return await memory.document_chunks(document_id, version, after=after, limit=limit)
