"""Request bodies of streamed conversations and occasions."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, Strict, StringConstraints

from engine.domain.occasion import LONGEST_NAME, MOST_PARTICIPANTS, OccasionKind
from engine.domain.scope import LONGEST_SCOPE_ID, Privacy, ScopeKind, SourceKind
from engine.domain.stream import LAST_NUMBER, LONGEST_REF, LONGEST_TITLE, MOST_APPENDED, StreamedTurn
from engine.domain.written import Body, Instant

Participant = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]


class StreamedTurnBody(Body):
    """One utterance."""

    speaker: str = Field(max_length=200, examples=["Bob"])
    text: str = Field(examples=["Dave married my sister Ellen in 2003."])
    at: Instant | None = None
    id: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_REF, description="The client's id of the turn."
    )
    role: Literal["user", "assistant"] | None = Field(default=None, description="The role of the speaker.")

    def turn(self) -> StreamedTurn:
        return StreamedTurn(self.speaker, self.text, self.at, self.id, self.role)


class _Placed(Body):
    node_id: UUID | None = Field(default=None, description="The node to store it at; without it, its content decides.")
    scope: ScopeKind = Field(default="user", description="The kind of its scope; scoped records are private.")
    scope_id: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_SCOPE_ID, description="The thread's or workflow's id."
    )
    source: SourceKind = Field(default="ingested", description="How it came in.")


class AppendBody(_Placed):
    """Turns to append to a conversation. Title, times, node and privacy are used only when it is opened."""

    turns: list[StreamedTurnBody] = Field(min_length=1, max_length=MOST_APPENDED)
    first: Annotated[int, Strict()] | None = Field(
        default=None, ge=0, le=LAST_NUMBER, description="The number of the first of these turns, counted from 0."
    )
    title: str = Field(default="", max_length=LONGEST_TITLE)
    started_at: Instant | None = None
    privacy: Privacy | None = Field(default=None, description="A private record is readable by the owner alone.")


class EndBody(Body):
    """An empty object."""


class OccasionBody(_Placed):
    """Something that happened, stored when it ends."""

    kind: OccasionKind = Field(examples=["meeting"])
    title: str = Field(default="", max_length=LONGEST_TITLE, examples=["Price of boats"])
    text: str = Field(min_length=1, examples=["We agreed to raise the price on March 1."])
    started_at: Instant | None = None
    ended_at: Instant | None = None
    participants: list[Participant] = Field(default=[], max_length=MOST_PARTICIPANTS, examples=[["Ann", "Bob"]])
    source_id: str | None = Field(default=None, min_length=1, max_length=400)
    privacy: Privacy = Field(default="org", description="A private record is readable by the owner alone.")
