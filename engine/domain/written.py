"""How what is to be stored is written in JSON: in the bodies of requests, and in the lines of an import or export. A stream of
bytes is cut into lines, and each is reported by what became of it; an export gives lines that an import takes back, page by page.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict
from pydantic_core import to_jsonable_python

from engine import errors
from engine.domain.clock import time_problem
from engine.domain.fact import LONGEST_FACT, LONGEST_SUBJECT, MOST_SUBJECTS, FactType, WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.ingest import LineOutcome
from engine.domain.problems import UNEXPECTED, kind_of, members_of
from engine.domain.scope import LONGEST_SCOPE_ID, Privacy, ScopeKind, SourceKind

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d.*)?")

MEDIA_TYPE = "application/x-ndjson"
_BOM = b"\xef\xbb\xbf"


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
Again = Annotated[bool, Strict(), Field(description="Stores it anew where it was forgotten; else that is refused.")]
Expiry = Annotated[
    Instant | None,
    Field(
        description="When it is forgotten by itself, in the future; without it, never. A new version may say another time."
    ),
]
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
    again: Again = False
    expires_at: Expiry = None


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


@dataclass(frozen=True, slots=True)
class Line:
    """A line by its number, counted from 1. `content` is None where it is longer than a line may be."""

    number: int
    content: bytes | None


@dataclass(frozen=True, slots=True)
class LineReport:
    """What became of a line: `skipped` was stored before, `forgotten` is not stored again; of a `failed` one the name of the
    error as `cause`, its words, and the places of invalid fields with what is wrong there."""

    number: int
    outcome: LineOutcome
    source_id: str = ""
    records: tuple[UUID, ...] = ()
    cause: str = ""
    detail: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class LineSplitter:
    """Cuts bytes into lines. Holds at most one line, and of one that is too long nothing. Empty lines have a number, and are
    left out."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._number = most_bytes, 0
        self._parts: list[bytes] = []
        self._held, self._too_long = 0, False

    def take(self, data: bytes) -> list[Line]:
        """The lines that end in these bytes."""
        *ended, rest = data.split(b"\n")
        found = []
        for part in ended:
            self._keep(part)
            found += self.end()
        self._keep(rest)
        return found

    def end(self) -> list[Line]:
        """The line that ends here, as the last one of a stream may without a line feed."""
        content, too_long = b"".join(self._parts), self._too_long
        self._parts, self._held, self._too_long = [], 0, False
        self._number += 1
        if self._number == 1:
            content = content.removeprefix(_BOM)
        if too_long:
            return [Line(self._number, None)]
        return [Line(self._number, content)] if content.strip() else []

    def _keep(self, part: bytes) -> None:
        self._held += len(part)
        self._too_long = self._held > self._most
        if self._too_long:
            self._parts = []
        elif part:
            self._parts.append(part)


def batches(lines: list[Line], most: int) -> list[list[Line]]:
    """The lines in groups of so many at most."""
    return [lines[start : start + most] for start in range(0, len(lines), most)]


def line_of(value: Any) -> bytes:
    """The value as one line; fields that hold nothing are left out."""
    plain = to_jsonable_python(value, exclude_none=True)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


@dataclass(frozen=True, slots=True)
class ExportPlace:
    """How far an export is. `until`: what came in later does not belong to it; `after`: time and id of the last input before."""

    until: datetime
    after: tuple[datetime, UUID] | None = None


@dataclass(frozen=True, slots=True)
class ExportedLine:
    """A source as a line; without `body` it cannot be given: the name of the error as `cause`, and its words."""

    source_id: str
    body: LineBody | None
    cause: str = ""
    detail: str = ""

    def written(self, instance: str) -> bytes:
        """The line, without what an import takes for granted; for a source that cannot be given its problem, with the path of
        the export as `instance`."""
        if self.body is not None:
            return line_of(self.body.model_dump(mode="json", exclude_defaults=True))
        kind = kind_of(getattr(errors, self.cause, errors.InvalidInput)) or UNEXPECTED
        return line_of({"source_id": self.source_id, "problem": members_of(kind, instance, self.detail)})


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Some lines, until where they go, and whether there may be more. `withdrawn`: sources that hold no longer."""

    lines: tuple[ExportedLine, ...]
    withdrawn: int
    place: ExportPlace
    more: bool


@dataclass(frozen=True, slots=True)
class LeftOutOfExport:
    """What an export does not give: inputs that personas stored, turns of streamed conversations that wait to be stored."""

    of_others: int
    waiting: int


class ExportCount:
    """Writes the pages of an export and counts them, for its last line. `instance`: its path, which problems name."""

    def __init__(self, user_id: UUID) -> None:
        self.instance = f"/v1/users/{user_id}/export"
        self._counts: Counter[str] = Counter()

    def written(self, page: ExportPage) -> bytes:
        """The lines of a page."""
        self._counts.update("lines" if line.body else "failed" for line in page.lines)
        self._counts["withdrawn"] += page.withdrawn
        return b"".join(line.written(self.instance) for line in page.lines)

    def totals(self, left_out: LeftOutOfExport | None, problem: Any = None) -> dict[str, Any]:
        """The last line: what was given and left out; of an export that ended early its problem."""
        counts = {name: self._counts[name] for name in ("lines", "failed", "withdrawn")}
        others = (left_out.of_others, left_out.waiting) if left_out else (0, 0)
        return {
            "done": problem is None,
            **counts,
            "of_personas": others[0],
            "waiting_turns": others[1],
            **({"problem": problem} if problem else {}),
        }
