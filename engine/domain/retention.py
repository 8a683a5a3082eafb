"""Rules of retention: what is forgotten once it is old enough, and what they would take now; legal holds: what nothing erases."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from engine.domain.scope import ScopeKind
from engine.errors import InvalidInput

RecordKind = Literal["conversation", "text", "file", "fact", "event"]
HoldKind = Literal["user", "node", "source", "record"]

SHORTEST_DAYS, LONGEST_DAYS = 1 / 24, 36_500.0
LONGEST_SOURCE, LONGEST_TAG, LONGEST_NOTE = 500, 200, 500

EVERYTHING = (
    "This rule names nothing but an age, so it takes all records in time: say everything if that is meant, else name a kind, "
    "a source, a tag, a scope or a node."
)


@dataclass(frozen=True, slots=True)
class NewRetentionRule:
    """What is forgotten: records that were stored, or of which the newest version was stored, more than `older_than_days` ago (an
    hour to 100 years), and that fit all else that is named: their kind, their source by its id or the beginning of it, a tag that
    one of their items has, their scope (with `scope_id`: that thread or workflow), the node where they lie, or one below it.

    `everything`: a rule that names nothing but an age, or that takes all there is at the moment, is meant so. Raises
    InvalidInput.
    """

    older_than_days: float
    kind: RecordKind | None = None
    source: str | None = None
    source_prefix: str | None = None
    tag: str | None = None
    scope: ScopeKind | None = None
    scope_id: str | None = None
    node_id: UUID | None = None
    everything: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        if not SHORTEST_DAYS <= self.older_than_days <= LONGEST_DAYS:
            raise InvalidInput("The age of a rule is an hour to 100 years.")
        for name, known in (("kind", RecordKind), ("scope", ScopeKind)):
            if getattr(self, name) not in (None, *get_args(known)):
                raise InvalidInput(f"The {name} of a rule is one of {', '.join(get_args(known))}.")
        for name, most in (("source", LONGEST_SOURCE), ("source_prefix", LONGEST_SOURCE), ("tag", LONGEST_TAG)):
            value = getattr(self, name)
            if value is not None and not 1 <= len(value) <= most:
                raise InvalidInput(f"The {name.replace('_', ' ')} of a rule has 1 to {most} characters.")
        if self.source is not None and self.source_prefix is not None:
            raise InvalidInput("A rule names a source by its id or by the beginning of it, not by both.")
        if self.scope_id is not None and self.scope not in ("thread", "workflow"):
            raise InvalidInput("A thread or a workflow is named by its id; the scope of the user has none.")
        if len(self.note) > LONGEST_NOTE:
            raise InvalidInput(f"A note has {LONGEST_NOTE} characters at most.")
        if not (self.everything or self.narrow):
            raise InvalidInput(EVERYTHING)

    @property
    def narrow(self) -> bool:
        """Whether it names anything but an age."""
        named = (self.kind, self.source, self.source_prefix, self.tag, self.scope, self.node_id)
        return any(one is not None for one in named)


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """A rule that is set. `number` counts up; `user_id`: whose records, None for those of every user of the workspace."""

    rule_id: UUID
    number: int
    user_id: UUID | None
    older_than_days: float
    kind: RecordKind | None
    source: str | None
    source_prefix: str | None
    tag: str | None
    scope: ScopeKind | None
    scope_id: str | None
    node_id: UUID | None
    everything: bool
    note: str
    set_by: str
    set_at: datetime


@dataclass(frozen=True, slots=True)
class DueRecord:
    """A record that a rule takes; one that is withdrawn without title and source. `stored_at`: when it, or its newest version,
    was stored; `held`: whether a legal hold keeps it."""

    record_id: UUID
    node_id: UUID
    source_id: str
    title: str
    kind: RecordKind
    stored_at: datetime
    held: bool


@dataclass(frozen=True, slots=True)
class RetentionPreview:
    """What a rule takes now: how many records, how many more a legal hold keeps, with examples of both, and how many there are
    in all. `rule`: the rule, None for one that is not set yet, and for what `expired`."""

    rule: RetentionRule | None
    expired: bool
    records: int
    held: int
    in_all: int
    examples: tuple[DueRecord, ...]


@dataclass(frozen=True, slots=True)
class RetentionPreviews:
    """What rules take now, and what has expired."""

    previews: tuple[RetentionPreview, ...]


@dataclass(frozen=True, slots=True)
class HoldSubject:
    """What is held: a user with everything, a node with what lies below, a source by the id that was given for it, a record."""

    kind: HoldKind
    id: str


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold: until it is released nothing erases what it names. `subject`: empty once it is released."""

    hold_id: UUID
    number: int
    user_id: UUID
    kind: HoldKind
    subject: str
    reason: str
    set_by: str
    set_at: datetime
    released_at: datetime | None
    released_by: str | None
    release_reason: str | None
