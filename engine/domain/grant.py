"""Grants: rights on single nodes that their owner gave to a persona or an integration, and the log of them.

    active   granted_at <= now < expires_at, not revoked
    expired  its time is over
    revoked  its owner ended it; every later statement sees that

A grant is never changed: another right is another grant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.errors import InvalidInput

SubjectKind = Literal["persona", "third_party"]
GrantMode = Literal["read", "read_write"]
Field = Literal["records", "items", "files"]
FIELDS: tuple[Field, ...] = ("records", "items", "files")
"""What of a node's content can be granted: its records (titles, summaries, keywords), what a search finds in them
(which needs the records too), and its files. The shell, without its manifest, comes with every grant."""
LONGEST_PURPOSE = 500
LITTLE_CONFIDENCE = 0.8
"""The confidence below which a record is shown before its node is granted."""


@dataclass(frozen=True, slots=True)
class Integration:
    """An application. `created` is False where the one of that name existed already."""

    integration_id: UUID
    name: str
    created_at: datetime
    created: bool


@dataclass(frozen=True, slots=True)
class NewGrant:
    """A right to give: one node, to one subject. `depth` layers below the node are included (none by default).

    Integrations read; personas may write where all fields are granted. The node is shown from the grant on, on both clocks;
    with `past` also as it was before.
    """

    node_id: UUID
    subject_kind: SubjectKind
    subject_id: UUID
    mode: GrantMode = "read"
    depth: int = 0
    fields: tuple[Field, ...] = FIELDS
    purpose: str = ""
    expires_at: datetime | None = None
    past: bool = False

    def checked(self) -> NewGrant:
        """The grant with its fields once and in order; raises InvalidInput for an invalid one."""
        if self.subject_kind == "third_party" and self.mode != "read":
            raise InvalidInput("An integration can be granted to read, never to write.")
        if not 0 <= self.depth <= 5:
            raise InvalidInput("A grant reaches 0 to 5 layers below its node.")
        if not set(self.fields) <= set(FIELDS) or (self.fields and "records" not in self.fields):
            raise InvalidInput(f"The fields of a grant are some of {', '.join(FIELDS)}, and never without records.")
        if self.mode == "read_write" and set(self.fields) != set(FIELDS):
            raise InvalidInput("A grant to write needs all fields.")
        if len(self.purpose) > LONGEST_PURPOSE or not self.purpose.isprintable():
            raise InvalidInput(f"A purpose is one line of at most {LONGEST_PURPOSE} characters.")
        if not isinstance(self.past, bool):
            raise InvalidInput("`past` is True or False: what is unclear opens nothing.")
        if self.expires_at is not None and self.expires_at.tzinfo is None:
            raise InvalidInput("The end of a grant needs a time zone.")
        return replace(self, fields=tuple(field for field in FIELDS if field in self.fields))


@dataclass(frozen=True, slots=True)
class RevokedGrant:
    """A grant that has ended."""

    grant_id: UUID
    revoked_at: datetime


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant as it was given; `revoked_at` and `expires_at` say when it ends."""

    grant_id: UUID
    node_id: UUID
    node_name: str
    subject_kind: SubjectKind
    subject_id: UUID
    subject_name: str | None
    mode: GrantMode
    depth: int
    fields: tuple[Field, ...]
    purpose: str
    granted_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    past: bool


@dataclass(frozen=True, slots=True)
class GivenGrant:
    """The answer to granting: the grant's id, and whether it is new."""

    grant_id: UUID
    granted_at: datetime
    created: bool


@dataclass(frozen=True, slots=True)
class UnsureRecord:
    """A record that a grant would open and that was placed with little confidence. `entry_id` is the decision's; `suggested` is
    the path of the node that came next, or of the one above, where it would lie safely; empty for the root."""

    entry_id: int
    record_id: UUID
    title: str
    confidence: float
    decided_by: str
    suggested: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenedNode:
    """What a grant would open of one node: how much, the latest titles, what stays closed as private, what may not belong."""

    node_id: UUID
    path: tuple[str, ...]
    records: int
    items: int
    private_records: int
    titles: tuple[str, ...]
    unsure: tuple[UnsureRecord, ...]


@dataclass(frozen=True, slots=True)
class GrantPreview:
    """What a grant on a node would open, node by node, at most 200. `below`: the confidence that counts as low."""

    node_id: UUID
    depth: int
    below: float
    nodes: tuple[OpenedNode, ...]


@dataclass(frozen=True, slots=True)
class Viewer:
    """A principal that could see a node at a time, and why: as its owner, by the own subtree, or by a grant.
    `past`: also as it was before the right began."""

    subject_kind: Literal["user", "persona", "third_party"]
    subject_id: UUID
    subject_name: str | None
    reason: str
    mode: GrantMode
    depth: int
    fields: tuple[Field, ...]
    grant_id: UUID | None
    past: bool


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A line of the audit log of a user's graph.

    Refused requests of one actor and operation are one line an hour: `requests` counts them, `node_id` is the one that was
    asked for last. An actor that the user of the graph may not know is a `stranger` without id.
    """

    entry_id: int
    occurred_at: datetime
    event: str
    node_id: UUID | None
    actor_kind: str
    actor_id: UUID | None
    subject_kind: str | None
    subject_id: UUID | None
    grant_id: UUID | None
    detail: str
    requests: int
    last_at: datetime
