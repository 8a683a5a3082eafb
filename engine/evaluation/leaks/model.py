"""The rules of access once more, over dictionaries. It asks no database and none of the engine's own checks.

What the fuzzer made is known here; what somebody may see of it follows from the rules as they are written down, not
from how the databases hold them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast
from uuid import UUID, uuid4

from engine.domain.grant import Field, GrantMode
from engine.domain.principal import Principal, PrincipalKind

_TOKEN = re.compile(r"qz[0-9a-f]{8}q|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""A marker or an id, wherever it stands in an answer."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who asks, truly or by a forged name, in the graph of a user."""

    kind: str
    principal_id: UUID
    graph: UUID

    @property
    def principal(self) -> Principal:
        """As the engine takes it."""
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


@dataclass(frozen=True, slots=True)
class Written:
    """A record with its file. `marker` stands in its text and nowhere else."""

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


@dataclass(frozen=True, slots=True)
class Link:
    """A cross-node edge; its type is a marker."""

    edge_id: UUID
    edge_type: str
    source: UUID
    target: UUID


@dataclass(frozen=True, slots=True)
class Right:
    """A grant; `ended` when it is revoked or its time is over."""

    grant_id: UUID
    node_id: UUID
    subject_kind: str
    subject_id: UUID
    mode: GrantMode
    depth: int
    fields: tuple[Field, ...]
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a node's tables as it is, whoever may see it."""

    place: str
    id: str
    record_id: UUID | None
    private: bool
    detail: str


@dataclass(slots=True)
class World:
    """Everything that was made, and who may see what of it."""

    places: dict[UUID, Place] = field(default_factory=dict)
    written: dict[UUID, Written] = field(default_factory=dict)
    links: dict[UUID, Link] = field(default_factory=dict)
    rights: dict[UUID, Right] = field(default_factory=dict)
    rows: dict[UUID, tuple[Row, ...]] = field(default_factory=dict)
    shared: tuple[dict[str, Any], ...] = ()
    """Rows of the shared tables that belong to users of this world: place, id, user_id, detail."""
    integrations: list[UUID] = field(default_factory=list)
    stranger: UUID = field(default_factory=uuid4)
    """An integration of another workspace."""
    users: list[UUID] = field(default_factory=list)
    scopes: dict[UUID, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Threads and workflows of each user: kind and id."""
    things: dict[str, tuple[str, UUID]] = field(default_factory=dict)
    """By marker and by id: the kind of thing and its id."""
    _children: defaultdict[UUID, list[Place]] = field(default_factory=lambda: defaultdict(list))
    _held: defaultdict[UUID, list[Written]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[object, ...], bool] = field(default_factory=dict)

    # what there is ---------------------------------------------------------------------------------------

    def add_place(self, place: Place, markers: Iterable[str] = ()) -> None:
        """A node; all its markers are as secret as itself."""
        self.places[place.node_id] = place
        if place.parent_id is not None:
            self._children[place.parent_id].append(place)
        self._name("node", place.node_id, place.node_id, place.name, *markers)

    def add_written(self, record: Written, markers: Iterable[str] = ()) -> None:
        """A record; its file's id is a thing of its own."""
        self.written[record.record_id] = record
        self._held[record.node_id].append(record)
        self._name("record", record.record_id, record.record_id, record.title, record.marker, *markers)
        self._name("file", record.record_id, record.file_id)

    def add_scopes(self, user: UUID, scopes: tuple[tuple[str, str], ...]) -> None:
        """The threads and workflows of a user; their ids are the user's alone to know."""
        self.scopes[user] = scopes
        self._name("scope", user, *(scope_id for _, scope_id in scopes))

    def add_link(self, link: Link, markers: Iterable[str] = ()) -> None:
        """An edge."""
        self.links[link.edge_id] = link
        self._name("edge", link.edge_id, link.edge_id, link.edge_type, *markers)

    def add_right(self, right: Right, markers: Iterable[str] = ()) -> None:
        """A grant that is in force."""
        self.rights[right.grant_id] = right
        self._name("grant", right.grant_id, right.grant_id, *markers)
        self._known.clear()

    def end_right(self, grant_id: UUID) -> None:
        """A grant was revoked, or its time is over."""
        self.rights[grant_id] = replace(self.rights[grant_id], ended=True)
        self._known.clear()

    def set_rows(self, node_id: UUID, rows: tuple[Row, ...]) -> None:
        """The rows of a node's tables as the service sees them."""
        self.rows[node_id] = rows
        for row in rows:
            if row.place == "memory_items" and row.record_id is not None:
                self.things[row.id] = ("item", row.record_id)

    def _name(self, kind: str, thing: UUID, *texts: object) -> None:
        for text in texts:
            for token in _TOKEN.findall(str(text)):
                self.things.setdefault(token, (kind, thing))

    def children(self, node_id: UUID) -> list[Place]:
        """The nodes right below a node."""
        return self._children[node_id]

    def held(self, node_id: UUID) -> list[Written]:
        """The records at a node."""
        return self._held[node_id]

    def way(self, node_id: UUID) -> list[Place]:
        """The node and all above it, upwards."""
        found = [self.places[node_id]]
        while found[-1].parent_id is not None:
            found.append(self.places[found[-1].parent_id])
        return found

    # the rules -------------------------------------------------------------------------------------------

    def owns(self, asker: Asker, node_id: UUID) -> bool:
        """A user has everything of the own graph."""
        place = self.places.get(node_id)
        return place is not None and asker.kind == "user" and asker.principal_id == place.user_id

    def reads(self, asker: Asker, node_id: UUID, part: Field | None = None) -> bool:
        """The node as such, or a part of its content."""
        key = (asker.kind, asker.principal_id, node_id, part)
        if key not in self._known:
            self._known[key] = node_id in self.places and self._reads(asker, node_id, part)
        return self._known[key]

    def reads_here(self, asker: Asker, node_id: UUID) -> bool:
        """The node, in the graph in which the asker asks: elsewhere it is not found, whoever's it is."""
        return self.reads(asker, node_id) and self.places[node_id].user_id == asker.graph

    def _reads(self, asker: Asker, node_id: UUID, part: Field | None) -> bool:
        if asker.kind == "user":
            return self.owns(asker, node_id)
        if asker.kind == "persona":
            myself = self.places.get(asker.principal_id)
            if myself is None or myself.node_type != "persona":
                return False
            return myself in self.way(node_id) or self._granted(asker, node_id, part, "read")
        return asker.kind == "third_party" and self._granted(asker, node_id, part, "read")

    def writes(self, asker: Asker, node_id: UUID) -> bool:
        """Records may be stored at the node."""
        if asker.kind == "user":
            return self.owns(asker, node_id)
        mine = self.places.get(asker.principal_id)
        if asker.kind != "persona" or mine is None or mine.node_type != "persona" or node_id not in self.places:
            return False
        return self._granted(asker, node_id, None, "read_write")

    def _granted(self, asker: Asker, node_id: UUID, part: Field | None, mode: GrantMode) -> bool:
        distance = {place.node_id: steps for steps, place in enumerate(self.way(node_id))}
        return any(
            right.subject_kind == asker.kind
            and right.subject_id == asker.principal_id
            and not right.ended
            and distance.get(right.node_id, 99) <= right.depth
            and (mode == "read" or right.mode == "read_write")
            and (part is None or part in right.fields)
            for right in self.rights.values()
        )

    def sees(self, asker: Asker, record: Written, part: Field = "records") -> bool:
        """A record, what a search finds in it, or its file. What is private, or belongs to a thread or a
        workflow, is its user's alone, whoever says to work in that thread."""
        if (record.private or record.scope != "user") and not self.owns(asker, record.node_id):
            return False
        return self.reads(asker, record.node_id, "records") and self.reads(asker, record.node_id, part)

    def seen(self, asker: Asker, node_id: UUID) -> list[Written]:
        """The records of a node that the asker may see."""
        return [record for record in self.held(node_id) if self.sees(asker, record)]

    def readable(self, asker: Asker, graph: UUID | None = None) -> list[Place]:
        """All nodes that the asker may read, of one graph or of all."""
        return [
            place
            for place in self.places.values()
            if (graph is None or place.user_id == graph) and self.reads(asker, place.node_id)
        ]

    def path(self, asker: Asker, node_id: UUID) -> tuple[str, ...]:
        """The names on the way down to a node that the asker may know."""
        return tuple(place.name for place in reversed(self.way(node_id)) if self.reads(asker, place.node_id))

    def may_know(self, asker: Asker, kind: str, thing: UUID) -> bool:
        """Whether a thing's marker or id may stand in an answer."""
        if kind == "node":
            return self.reads(asker, thing)
        if kind == "edge":
            return all(self.reads(asker, end) for end in (self.links[thing].source, self.links[thing].target))
        if kind == "grant":
            return self.owns(asker, self.rights[thing].node_id)
        if kind == "scope":
            return asker.kind == "user" and asker.principal_id == thing
        part: Field = "items" if kind == "item" else "files" if kind == "file" else "records"
        return self.sees(asker, self.written[thing], part)

    def foreign(self, asker: Asker, answer: object, known: frozenset[str] = frozenset()) -> Iterator[str]:
        """Things named anywhere in an answer that the asker may not know and did not name."""
        known |= {str(asker.principal_id), str(asker.graph)}
        for token in set(_TOKEN.findall(repr(answer))) - known:
            thing = self.things.get(token)
            if thing is not None and not self.may_know(asker, *thing):
                yield f"{thing[0]} {token} is named"
