"""Documents: the list, the versions of each, the text and the passages of a version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from api.context import UserMemory
from api.cursors import PAGE_HEADERS, APage, identity, number
from api.downloads import BYTES, download
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument

router = APIRouter(prefix="/v1/users/{user_id}/documents", tags=["documents"])
MOST = 2**31 - 1
Version = Annotated[int, Path(ge=1, le=MOST)]


@router.get("", operation_id="listDocuments", responses=PAGE_HEADERS)
async def documents(
    memory: UserMemory,
    page: APage,
    after: Annotated[UUID | None, Query(description="The last document of the previous page.")] = None,
) -> Sequence[StoredDocument]:
    """Current documents by id, one page. A persona sees those that it stored."""
    found = await memory.documents.list(after=page.start(identity, after), limit=page.limit)
    return page.of(found, lambda document: document.document_id)


@router.get("/{document_id}/versions", operation_id="listDocumentVersions", responses=PAGE_HEADERS)
async def versions(
    document_id: UUID,
    memory: UserMemory,
    page: APage,
    after: Annotated[int, Query(ge=0, le=MOST, description="The last version of the previous page.")] = 0,
) -> Sequence[DocumentVersion]:
    """Versions of a document, the oldest first, one page."""
    found = await memory.documents.versions(document_id, after=page.start(number, after), limit=page.limit)
    return page.of(found, lambda version: version.version)


@router.get(
    "/{document_id}/versions/{version}/content",
    operation_id="getDocumentVersion",
    response_class=Response,
    responses=BYTES,
)
async def content(document_id: UUID, version: Version, memory: UserMemory) -> Response:
    """The file of a version as it was stored, under its own name. Its hash is verified before it is sent."""
    data = await memory.documents.read(document_id, version)
    [stored] = await memory.documents.versions(document_id, after=version - 1, limit=1)
    return download(data, stored.file_name)


@router.get("/{document_id}/versions/{version}/chunks", operation_id="listDocumentChunks", responses=PAGE_HEADERS)
async def chunks(
    document_id: UUID,
    version: Version,
    memory: UserMemory,
    page: APage,
    after: Annotated[int, Query(ge=-1, le=MOST, description="The last index of the previous page.")] = -1,
) -> Sequence[DocumentChunk]:
    """Passages of a version in their order, one page."""
    found = await memory.documents.chunks(document_id, version, after=page.start(number, after), limit=page.limit)
    return page.of(found, lambda chunk: chunk.index)
