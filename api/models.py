"""Request bodies. Answers are the engine's own frozen values."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, StringConstraints

from engine.domain.file_state import LONGEST_NOTE
from engine.domain.grant import FIELDS, GrantMode
from engine.domain.grant import Field as GrantField
from engine.domain.scope import LONGEST_SCOPE_ID, Privacy, ScopeKind, SourceKind
from engine.domain.token import LONGEST_GRACE, TokenKind

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d.*)?")


def _written_in_iso(value: Any) -> Any:
    # Without this a bare number would be parsed as seconds since 1970.
    if isinstance(value, datetime) or (isinstance(value, str) and _ISO.fullmatch(value)):
        return value
    raise ValueError("a point in time is written in ISO 8601, as in 2025-03-01T18:00:00Z")


def _in_utc(value: datetime) -> datetime:
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("this point in time lies outside of the years 1 to 9999") from error


Instant = Annotated[datetime, BeforeValidator(_written_in_iso), AfterValidator(_in_utc)]
"""ISO 8601; without an offset it is UTC."""
PropertyName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
PropertyText = Annotated[str, StringConstraints(max_length=2000)]


class Body(BaseModel):
    """A request body; unknown fields are refused, so that a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid")


class NewUser(Body):
    """A user by handle."""

    handle: str = Field(min_length=1, max_length=4000, examples=["bob"])
    display_name: str = Field(default="", max_length=4000, examples=["Bob Harlan"])


class NewTokenBody(Body):
    """A token for a principal."""

    principal_kind: TokenKind = Field(examples=["user"])
    principal_id: UUID | None = Field(
        default=None,
        description="Id of the user, the persona's node or the integration; none for an administrator.",
        examples=["2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"],
    )
    name: str = Field(min_length=1, max_length=4000, examples=["Bob's phone"])
    expires_at: Instant | None = Field(default=None, description="When it expires; without it, when it is revoked.")


class Rotation(Body):
    """Replaces a token's secret."""

    grace_s: Annotated[int, Strict()] = Field(
        default=0,
        ge=0,
        le=round(LONGEST_GRACE.total_seconds()),
        description="Seconds for which the old one is still valid.",
        examples=[3600],
    )


class NewIntegration(Body):
    """An application by name."""

    name: str = Field(min_length=1, max_length=4000, examples=["Calendar sync"])


class RunRequest(Body):
    """An empty object."""


class NewNodeBody(Body):
    """A child node."""

    name: str = Field(min_length=1, max_length=4000, examples=["Dave"])
    parent_id: UUID | None = Field(default=None, description="The parent; without it the user's root.")
    node_type: Literal["concept", "persona"] = "concept"
    summary: str = Field(default="", max_length=2000, examples=["Ellen's husband"])
    keywords: list[str] = Field(default=[], max_length=100, examples=[["spouse", "boat"]])
    aliases: list[str] = Field(default=[], max_length=100, examples=[["David"]])


class NewEdge(Body):
    """A cross-node edge."""

    source_id: UUID
    target_id: UUID
    edge_type: str = Field(min_length=1, max_length=200, examples=["same_person"])
    properties: dict[PropertyName, PropertyText] = Field(default={}, max_length=50, examples=[{"since": "2003"}])


class NewGrantBody(Body):
    """A right on one node."""

    node_id: UUID
    subject_kind: Literal["persona", "third_party"] = Field(examples=["third_party"])
    subject_id: UUID = Field(description="The persona's node, or the integration.")
    mode: GrantMode = Field(default="read", description="Only personas may write.")
    depth: Annotated[int, Strict()] = Field(
        default=0, ge=0, le=5, description="How many layers below the node it includes."
    )
    fields: list[GrantField] = Field(
        default=list(FIELDS), max_length=3, description="Which content it opens; `items` and `files` need `records`."
    )
    purpose: str = Field(default="", max_length=500, examples=["Reminders of appointments"])
    expires_at: Instant | None = None
    past: bool = Field(False, description="Also opens the node's history before the grant.")


class Review(Body):
    """A note that a failed entry was reviewed."""

    note: str = Field(default="", max_length=LONGEST_NOTE, examples=["Restored from the backup."])


class ReviewedEntry(BaseModel):
    """The entry of the state log that records the review."""

    entry_id: int


class TurnBody(Body):
    """One utterance."""

    speaker: str = Field(max_length=200, examples=["Bob"])
    text: str = Field(examples=["Dave married my sister Ellen in 2003."])
    at: Instant | None = None
    id: str | None = Field(default=None, max_length=500)
    privacy: Privacy = Field(
        default="org", description="A private turn becomes a record of its own, which no grant opens."
    )


class ConversationBody(Body):
    """A conversation; when it is sent again with more turns, only the new ones are stored."""

    id: str = Field(min_length=1, max_length=400, examples=["2025-03-01-evening"])
    turns: list[TurnBody] = Field(min_length=1, max_length=200_000)
    title: str = Field(default="", max_length=2000)
    started_at: Instant | None = None
    privacy: Privacy = Field(default="org", description="A private record is readable by the owner alone.")


class WriteLimits(Body):
    """Limits of a write; work beyond a limit is done later, and the answer reports it."""

    milliseconds: Annotated[int, Strict()] | None = Field(
        default=None, ge=0, le=3_600_000, description="Time to wait for models.", examples=[2000]
    )
    tokens: Annotated[int, Strict()] | None = Field(default=None, ge=0, le=10**9, description="Tokens sent to models.")
    model_calls: Annotated[int, Strict()] | None = Field(default=None, ge=0, le=10**6)


class TextBody(Body):
    """One text."""

    text: str = Field(min_length=1)
    title: str = Field(default="", max_length=2000)
    source_id: str = Field(min_length=1, max_length=400, examples=["notes-7"])


class ManySources(Body):
    """Conversations and texts of one ingest, each placed by its content."""

    conversations: list[ConversationBody] = Field(default=[], max_length=1000)
    texts: list[TextBody] = Field(default=[], max_length=1000)
    limits: WriteLimits | None = None
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "conversations": [
                        {"id": "c1", "turns": [{"speaker": "Bob", "text": "Dave married Ellen in 2003."}]}
                    ],
                    "texts": [{"title": "Notes", "text": "The price rises on March 1.", "source_id": "notes-7"}],
                }
            ]
        },
    )


class NewRecord(Body):
    """A record to store: exactly one of a conversation and a text."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"conversation": {"id": "c1", "turns": [{"speaker": "Bob", "text": "Dave married Ellen in 2003."}]}},
                {"title": "Meeting notes", "text": "We agreed to raise the price on March 1.", "source_id": "notes-7"},
            ]
        },
    )

    conversation: ConversationBody | None = None
    text: str | None = Field(default=None, min_length=1)
    title: str = Field(default="", max_length=2000)
    source_id: str | None = Field(default=None, min_length=1, max_length=400)
    content_type: Literal["other", "event", "file_upload", "webhook"] = Field(
        default="other", description="The kind of the text; use event for the payload of a webhook."
    )
    node_id: UUID | None = Field(
        default=None,
        description="The node to store it at; without it, its content decides. A new version stays at its node.",
    )
    privacy: Privacy = Field(default="org", description="A private record is readable by the owner alone.")
    scope: ScopeKind = Field(default="user", description="The kind of its scope; scoped records are private.")
    scope_id: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_SCOPE_ID, description="The thread's or workflow's id."
    )
    source: SourceKind = Field(default="ingested", description="How it came in.")
    limits: WriteLimits | None = None


class Move(Body):
    """Moves a record to another node."""

    to_node_id: UUID = Field(description="The node where it belongs.")
    reason: str = Field(default="", max_length=500, examples=["It is about the other Dave."])
