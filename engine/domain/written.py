"""How what is to be stored is written in JSON: in the bodies of requests, and in the lines of an import or export."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from engine.domain.clock import time_problem
from engine.domain.fact import LONGEST_FACT, LONGEST_SUBJECT, MOST_SUBJECTS, FactType, WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.scope import LONGEST_SCOPE_ID, Privacy, ScopeKind, SourceKind

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d.*)?")


def _written_in_iso(value: Any) -> Any:
    # Without this a bare number would be parsed as seconds since 1970.
    if isinstance(value, datetime) or (isinstance(value, str) and _ISO.fullmatch(value)):
        return value
    raise ValueError("a point in time is written in ISO 8601, as in 2025-03-01T18:00:00Z")


def _with_offset(value: datetime) -> datetime:
    aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value
    if problem := time_problem(aware):
        raise ValueError(f"this point in time {problem}")
    return aware


Instant = Annotated[datetime, BeforeValidator(_written_in_iso), AfterValidator(_with_offset)]
"""ISO 8601; without an offset it is UTC. The offset is kept: it says on which day of the speaker something was."""
Subject = Annotated[str, Field(min_length=1, max_length=LONGEST_SUBJECT)]


class Body(BaseModel):
    """A request body; unknown fields are refused, so that a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid")


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

    @property
    def conversation(self) -> Conversation:
        """The conversation that it writes down."""
        turns = tuple(Turn(turn.speaker, turn.text, turn.at, turn.id, turn.privacy) for turn in self.turns)
        return Conversation(self.id, turns, self.title, self.started_at, privacy=self.privacy)

    def begins_with(self, other: ConversationBody) -> bool:
        """Whether its first turns are those of the other: who said what, and when."""
        ours, theirs = ([(turn.speaker, turn.text, turn.at) for turn in one.turns] for one in (self, other))
        return ours[: len(theirs)] == theirs


class FactBody(Body):
    """A fact that the user states, without where it is stored."""

    text: str = Field(min_length=1, max_length=LONGEST_FACT, examples=["Dave lives in Galway."])
    about: list[Subject] = Field(
        default=[],
        max_length=MOST_SUBJECTS,
        description="Whom or what it is about, the first one decides which facts it is compared with; without it the name that "
        "the text begins with.",
        examples=[["Dave"]],
    )
    fact_type: FactType = "fact"
    category: str = Field(default="", max_length=LONGEST_SUBJECT, examples=["home"])
    at: Instant | None = Field(default=None, description="From when on it holds; without it, now.")
    confidence: float = Field(default=1, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)

    @property
    def fact(self) -> WrittenFact:
        """The fact that it writes down."""
        return WrittenFact(
            self.text, tuple(self.about), self.fact_type, self.category, self.at, self.confidence, self.importance
        )


class NewFactBody(FactBody):
    """A fact that the user states."""

    node_id: UUID | None = Field(default=None, description="Node to store it at; without it, where it belongs.")
    privacy: Privacy = Field(default="org", description="What is private is read by the user alone.")


class RecordBody(Body):
    """A record: exactly one of a conversation and a text."""

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


RECORDS_SHOWN: list[Any] = [
    {"conversation": {"id": "c1", "turns": [{"speaker": "Bob", "text": "Dave married Ellen in 2003."}]}},
    {"title": "Meeting notes", "text": "We agreed to raise the price on March 1.", "source_id": "notes-7"},
]
"""Examples of records."""


class LineBody(RecordBody):
    """A line of an import or export: a conversation, a text or a fact. The last four fields say more of a text."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                *RECORDS_SHOWN,
                {"fact": {"text": "Dave lives in Galway.", "about": ["Dave"]}, "source": "manual"},
            ]
        },
    )

    fact: FactBody | None = None
    occurred_at: Instant | None = Field(default=None, description="The time of a text; without it, unknown.")
    file_name: str | None = Field(default=None, min_length=1, max_length=200, description="The name of its file.")
    media_type: Literal["text/plain", "text/markdown"] = "text/plain"
    version: int | None = Field(default=None, ge=1, description="Which version of its document a text is.")
