"""A memory behind the REST API as a retriever of neo4j-graphrag."""

from __future__ import annotations

from uuid import UUID

from api.client.clients import Client
from api.client.requests import OMIT
from engine.domain.context import Context, ContextRequest
from engine.graphrag import MemoryRetriever


def retriever(client: Client, user_id: UUID | str) -> MemoryRetriever:
    """A retriever for the memory of this user, with the rights of the client's token. It raises what the client raises."""

    def ask(request: ContextRequest) -> Context:
        return client.context(
            user_id,
            question=request.question,
            tokens=request.tokens,
            limit=request.limit,
            as_of=request.moment.as_of or OMIT,
            known_at=request.moment.known_at or OMIT,
        )

    return MemoryRetriever(ask)
