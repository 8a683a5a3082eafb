"""Bodies of requests that change something: the new values of fields, and the time from which they hold."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints

from api.models import PropertyName, PropertyText
from engine.domain.written import Body, Instant

Words = Annotated[list[Annotated[str, StringConstraints(max_length=500)]], Field(max_length=200)]


class ChangeBody(Body):
    """New values of fields; omitted fields stay. Without a time they hold from now on."""

    effective_at: Instant | None = Field(default=None, description="From when on they hold; without it, from now on.")
    correction: bool = Field(default=False, description="A correction: the new values hold from the beginning.")
    reason: str = Field(default="", max_length=500, examples=["Ellen told me"])

    def fields(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True, exclude={"effective_at", "correction", "reason"})


class RecordChange(ChangeBody):
    """A change of a record."""

    title: str = Field(default="", min_length=1, max_length=200, examples=["The lease of the workshop"])
    summary: str = Field(default="", min_length=1, max_length=20_000)
    kw_entities: Words = Field(default=[])
    kw_topics: Words = Field(default=[])
    kw_dates: Words = Field(default=[])
    kw_relationships: Words = Field(default=[])
    occurred_at: Instant | None = None
    ended: bool = Field(default=False, description="True: it no longer holds. False: it holds again.")


class ItemChange(ChangeBody):
    """A change of a memory item."""

    content: str = Field(default="", min_length=1, max_length=1 << 20, examples=["Dave sold the boat in May."])
    category: str = Field(default="", max_length=200)
    tags: Words = Field(default=[])
    subjects: Words = Field(default=[])
    confidence: float = Field(default=1, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)
    occurred_at: Instant | None = None
    ended: bool = Field(default=False, description="True: it no longer holds. False: it holds again.")


class NodeChange(ChangeBody):
    """A change of a node; a new parent moves its whole subtree. `archived` is changed alone, and takes effect now."""

    name: str = Field(default="", min_length=1, max_length=4000, examples=["David"])
    summary: str = Field(default="", max_length=2000)
    keywords: list[str] = Field(default=[], max_length=100)
    aliases: list[str] = Field(default=[], max_length=100)
    parent_id: UUID = Field(default=UUID(int=0), description="The new parent.")
    archived: bool = Field(
        default=False, description="True: its subtree is not searched and takes no writes. False: it is unarchived."
    )


class EdgeChange(ChangeBody):
    """A change of a cross-node edge; `properties` replace all earlier ones."""

    properties: dict[PropertyName, PropertyText] = Field(default={}, max_length=50, examples=[{"since": "2003"}])
    ended: bool = Field(default=False, description="True: it no longer holds. False: it holds again.")
