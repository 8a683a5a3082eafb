"""Request bodies, and the answers that are not the engine's own frozen values. Clients use them: no server is imported here.

Bodies that change something hold the new values of fields, and the time from which they hold.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints

from engine.domain.file_state import LONGEST_NOTE
from engine.domain.grant import FIELDS, GrantMode
from engine.domain.grant import Field as GrantField
from engine.domain.ingest import LineOutcome
from engine.domain.occasion import LONGEST_NAME, MOST_PARTICIPANTS, OccasionKind
from engine.domain.principal import LONGEST_GRACE, TokenKind
from engine.domain.scope import LONGEST_SCOPE_ID, Privacy, ScopeKind, SourceKind
from engine.domain.stream import LAST_NUMBER, LONGEST_REF, LONGEST_TITLE, MOST_APPENDED, StreamedTurn
from engine.domain.written import RECORDS_SHOWN, Again, Body, ConversationBody, Expiry, Instant, RecordBody

PropertyName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
PropertyText = Annotated[str, StringConstraints(max_length=2000)]
NodeName = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Participant = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Words = Annotated[list[Annotated[str, StringConstraints(max_length=500)]], Field(max_length=200)]


class FieldProblem(BaseModel):
    """One invalid field of the request."""

    location: str = Field(examples=["body.conversation.turns[0].text"])
    detail: str = Field(examples=["Field required"])


class Problem(BaseModel):
    """An error (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="URI of the kind of problem.", examples=["urn:neurigraph:problem:not-found"])
    title: str = Field(description="The kind of problem in words.", examples=["Not found."])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(description="The cause of this occurrence.", examples=["Not found."])
    instance: str = Field(description="The path of the request.", examples=["/v1/users/by-handle/unknown"])
    errors: list[FieldProblem] = Field(default=[], description="The invalid fields of the request.")


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
    past: Annotated[bool, Strict()] = Field(False, description="Also opens the node's history before the grant.")


class Review(Body):
    """A note that a failed entry was reviewed."""

    note: str = Field(default="", max_length=LONGEST_NOTE, examples=["Restored from the backup."])


class ReviewedEntry(BaseModel):
    """The entry of the state log that records the review."""

    entry_id: int


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
    again: Again = False
    expires_at: Expiry = None
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


class NewRecord(RecordBody):
    """A record to store: exactly one of a conversation and a text."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": RECORDS_SHOWN})

    again: Again = False
    expires_at: Expiry = None
    limits: WriteLimits | None = None


class Move(Body):
    """Moves a record to another node."""

    to_node_id: UUID = Field(description="The node where it belongs.")
    reason: str = Field(default="", max_length=500, examples=["It is about the other Dave."])


class ReportedLine(BaseModel):
    """What became of a line of an import."""

    line: int = Field(description="The number of the line, counted from 1.", examples=[1])
    status: LineOutcome = Field(
        description="`skipped`: it was stored before. `forgotten`: it is not stored again. `stored`: it is durable."
    )
    source_id: str = Field(default="", description="As reports of ingests have it.", examples=["c1"])
    record_ids: list[UUID] = Field(default=[], description="The records that it became.")
    problem: Problem | None = Field(default=None, description="Why it failed.")


class LineWithoutSource(BaseModel):
    """A line of an export in place of a source that cannot be given."""

    source_id: str
    problem: Problem


class ExportTotals(BaseModel):
    """The last line of an export: without it the answer was cut. An import passes it over."""

    done: bool = Field(description="Whether all was read; if not, `problem` says why.", examples=[True])
    lines: int = Field(description="Sources before this line.", examples=[2])
    failed: int = Field(description="Sources that could not be given.")
    withdrawn: int = Field(description="Sources that hold no longer and are left out.")
    of_personas: int = Field(default=0, description="Inputs that personas of the user stored; they are left out.")
    waiting_turns: int = Field(default=0, description="Turns of streamed conversations that wait to be stored.")
    problem: Problem | None = None


class ImportTotals(BaseModel):
    """The last line of the answer to an import: without it the answer was cut."""

    done: bool = Field(description="Whether all was read; if not, `problem` says why.", examples=[True])
    lines: int = Field(description="Lines that are reported before this one.", examples=[2])
    stored: int = Field(examples=[2])
    skipped: int = Field(description="Lines that were stored before.")
    failed: int = 0
    forgotten: int = Field(default=0, description="Lines that were forgotten, and not stored again.")
    problem: Problem | None = None


class ProposedNodeBody(Body):
    """One node of a proposal."""

    path: list[NodeName] = Field(min_length=1, max_length=5)
    node_type: Literal["concept", "persona"] = "concept"
    summary: Annotated[str, StringConstraints(max_length=2000)] = ""
    keywords: list[str] = Field(default=[], max_length=100)
    aliases: list[str] = Field(default=[], max_length=100)


class ProposalBody(Body):
    """The nodes to create, as proposed or edited."""

    nodes: list[ProposedNodeBody] = Field(min_length=1, max_length=40)


class StoreState(BaseModel):
    """Whether a store answers."""

    store: str = Field(examples=["neo4j"])
    healthy: bool
    detail: str = ""


class Liveness(BaseModel):
    """The process is alive."""

    alive: bool = Field(examples=[True])


class DegradedState(BaseModel):
    """Damage and failed writes, although all stores answer."""

    damaged_nodes: int = Field(description="Number of nodes known to be damaged; `neurigraph doctor` lists them.")
    commits_set_aside: int = Field(description="Number of commits set aside; `neurigraph commits list` shows them.")


class Readiness(BaseModel):
    """The state of all stores. `degraded` is null while no damage is known and no commit is set aside."""

    ready: bool
    stores: list[StoreState]
    degraded: DegradedState | None = None


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
    again: Again = False
    expires_at: Expiry = None


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
    again: Again = False
    expires_at: Expiry = None


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
