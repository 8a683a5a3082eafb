"""Values of the model: principals, nodes, records, edges, grants, rows. Times are taken after a call returned."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import cast
from uuid import UUID

from engine.domain.grant import Field, GrantMode
from engine.domain.principal import Principal, PrincipalKind

_TOKEN = re.compile(r"qz[0-9a-f]{8}q|qz[a-p]{8}q|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def marker(rng: Random) -> str:
    """A unique word."""
    return f"qz{rng.getrandbits(32):08x}q"


def person(rng: Random, given: str = "") -> str:
    """A name of which the second word is unique, and a marker."""
    word = "".join("abcdefghijklmnop"[int(digit, 16)] for digit in f"{rng.getrandbits(32):08x}")
    return f"{given or rng.choice(GIVEN)} Qz{word}q"


GIVEN = tuple(
    """
    Nora Karl Ingrid Pablo Heidi Oscar Paula Victor Alma Bruno Clara Dmitri Edith Felix Greta Hugo Irene Julian Katja Leon Miriam
    Nils Olga Pedro Quentin Rosa Stefan Teresa Ursula Vera Walter Xenia Yusuf Zoe Anton Berta Cesar Dora Emil Frieda
    """.split()
)
SHARED_GIVEN = ("Tomas", "Ellen", "Marta", "Jonas")
"""First names of people whom several records of a graph speak of."""


def tokens(text: str) -> frozenset[str]:
    """The markers and ids in a text."""
    return frozenset(_TOKEN.findall(text.lower()))


ALWAYS = datetime.min.replace(tzinfo=UTC)
"""A time before everything else."""


@dataclass(frozen=True, slots=True)
class Asker:
    """A principal, real or forged, in the graph of a user."""

    kind: str
    principal_id: UUID
    graph: UUID

    @property
    def principal(self) -> Principal:
        """As the engine's value."""
        return Principal(cast(PrincipalKind, self.kind), self.principal_id, self.graph)

    def __str__(self) -> str:
        return f"{self.kind} {str(self.principal_id)[:8]} in {str(self.graph)[:8]}"


@dataclass(frozen=True, slots=True)
class Place:
    """A node. The root's id is its user's."""

    node_id: UUID
    user_id: UUID
    parent_id: UUID | None
    name: str
    aliases: tuple[str, ...]
    node_type: str
    layer: int
    schema_name: str
    made_at: datetime = ALWAYS
    placed_at: datetime = ALWAYS
    """When it was moved to its parent."""


@dataclass(frozen=True, slots=True)
class Written:
    """A record with its file. `marker` is only in its text."""

    record_id: UUID
    node_id: UUID
    file_id: UUID
    title: str
    marker: str
    private: bool
    items: int
    scope: str = "user"
    """`user`, or `thread:ID` or `workflow:ID`."""
    source: str = "ingested"
    part: bool = False
    """Its file lies at another node, too."""
    document: bool = False
    author: UUID | None = None
    """The persona that stored it."""
    made_at: datetime = ALWAYS
    moved_at: datetime = ALWAYS
    """When it was moved to its node from another one."""
    named: tuple[str, ...] = ()
    """Names of people in its text."""
    titles: tuple[tuple[datetime, str], ...] = ()
    """Former titles, each with the time at which it ended."""

    def title_at(self, known_at: datetime | None) -> str:
        """The title as it was known at a time."""
        if known_at is None:
            return self.title
        return next((title for until, title in self.titles if known_at < until), self.title)


@dataclass(frozen=True, slots=True)
class Link:
    """A cross-node edge; its type is a marker."""

    edge_id: UUID
    edge_type: str
    source: UUID
    target: UUID
    made_at: datetime = ALWAYS


@dataclass(frozen=True, slots=True)
class Right:
    """A grant; `ended` if it was revoked or has expired."""

    grant_id: UUID
    node_id: UUID
    subject_kind: str
    subject_id: UUID
    mode: GrantMode
    depth: int
    fields: tuple[Field, ...]
    granted_at: datetime = ALWAYS
    past: bool = False
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a node's tables as stored, regardless of rights."""

    place: str
    id: str
    record_id: UUID | None
    private: bool
    detail: str
    known_from: datetime
    known_to: datetime | None
    until: datetime | None
    """When its state ended, on the clock on which that was first; None: it still holds."""
    moved_at: datetime | None
    pointer: str | None
    """Of a state of a record and of a file: where the file is stored."""
    part: bool


@dataclass(frozen=True, slots=True)
class Former:
    """The file of an older version of a document; it contains `marker`."""

    record_id: UUID
    file_id: UUID
    marker: str
    until: datetime
