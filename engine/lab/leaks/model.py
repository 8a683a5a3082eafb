"""The rules of access again, over dictionaries. It queries no database and uses none of the engine's own checks.

It knows what the fuzzer made; what a principal may see follows from the documented rules, not from their
implementation in the databases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from engine.domain.grant import Field, GrantMode
from engine.lab.leaks.spoken import Spoken
from engine.lab.leaks.things import ALWAYS, Asker, Former, Link, Place, Right, Row, Written, tokens


@dataclass(slots=True)
class World:
    """Everything that was made, and who may see it."""

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
    former: dict[str, tuple[str, UUID, datetime]] = field(default_factory=dict)
    """By marker: the thing that it named, and until when. A reader whose right began later may not see it."""
    marks: defaultdict[UUID, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    """Of each user: times between two changes."""
    formers: list[Former] = field(default_factory=list)
    people: dict[UUID, tuple[str, ...]] = field(default_factory=dict)
    """Of each user: people whom several records speak of; then an animal."""
    spoken: Spoken = field(default_factory=Spoken)
    speaking: defaultdict[UUID, set[UUID]] = field(default_factory=lambda: defaultdict(set))
    """Of each entity, relation and shared name: the records that speak of it."""
    children: defaultdict[UUID, list[Place]] = field(default_factory=lambda: defaultdict(list))
    """The nodes right below a node."""
    held: defaultdict[UUID, list[Written]] = field(default_factory=lambda: defaultdict(list))
    """The records at a node."""
    _files: defaultdict[UUID, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[object, ...], datetime | None] = field(default_factory=dict)

    # the world -------------------------------------------------------------------------------------------

    def add_place(self, place: Place, markers: Iterable[str] = ()) -> None:
        """Adds a node; its markers are as secret as the node."""
        self.places[place.node_id] = place
        if place.parent_id is not None:
            self.children[place.parent_id].append(place)
        self._name("node", place.node_id, place.node_id, place.name, *markers)

    def add_written(self, record: Written, markers: Iterable[str] = ()) -> None:
        """Adds a record; its file's id is a thing of its own, which may lie at several nodes."""
        self.written[record.record_id] = record
        self.held[record.node_id].append(record)
        self._files[record.file_id].append(record.record_id)
        self._name("record", record.record_id, record.record_id, record.title, record.marker, *markers)
        self._name("file", record.file_id, record.file_id)

    def change_written(
        self, record: Written, changed: Written, former: tuple[str, ...] = (), markers: Iterable[str] = ()
    ) -> None:
        """A record was renamed or moved; `former`: texts that named it until now."""
        self.written[record.record_id] = changed
        self.held[record.node_id].remove(record)
        self.held[changed.node_id].append(changed)
        self._ended("record", record.record_id, former)
        self._name("record", record.record_id, changed.title, *markers)
        if changed.file_id != record.file_id:
            self._files[changed.file_id].append(record.record_id)
            self._name("file", changed.file_id, changed.file_id)

    def add_former(self, former: Former, *texts: str) -> None:
        """An older version of a document, with its content and further texts in it."""
        self.formers.append(former)
        self._files[former.file_id].append(former.record_id)
        self._name("file", former.file_id, former.file_id)
        self._ended("record", former.record_id, (former.marker, *texts))

    def change_place(
        self, place: Place, changed: Place, former: tuple[str, ...] = (), markers: Iterable[str] = ()
    ) -> None:
        """A node without children was renamed, or moved."""
        self.places[place.node_id] = changed
        if place.parent_id is not None:
            self.children[place.parent_id].remove(place)
        if changed.parent_id is not None:
            self.children[changed.parent_id].append(changed)
        self._ended("node", place.node_id, former)
        self._name("node", place.node_id, changed.name, *markers)
        self._known.clear()

    def _ended(self, kind: str, thing: UUID, texts: Iterable[str]) -> None:
        for text in texts:
            self.things.pop(text, None)
            self.former[text] = (kind, thing, datetime.now(UTC))

    def mark(self, user: UUID) -> None:
        """Nothing of the user's changes at this moment."""
        self.marks[user].append(datetime.now(UTC))

    def add_reason(self, reason: str, source: UUID) -> None:
        """The reason of a move away from a node: as secret as the node."""
        self._name("node", source, reason)

    def add_scopes(self, user: UUID, scopes: tuple[tuple[str, str], ...]) -> None:
        """The threads and workflows of a user; only the user may see their ids."""
        self.scopes[user] = scopes
        self._name("scope", user, *(scope_id for _, scope_id in scopes))

    def add_link(self, link: Link, markers: Iterable[str] = ()) -> None:
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
            for token in tokens(str(text)):
                self.things.setdefault(token, (kind, thing))

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

    def reads(self, asker: Asker, node_id: UUID, part: Field | None = None, at: datetime | None = None) -> bool:
        """The node as such, or a part of its content; as it is, or as it was at a time on both clocks."""
        since = self.reads_from(asker, node_id, part)
        return since is not None and (at is None or since <= at)

    def reads_from(self, asker: Asker, node_id: UUID, part: Field | None = None) -> datetime | None:
        """Since when, on both clocks; None: not at all."""
        key = (asker.kind, asker.principal_id, node_id, part)
        if key not in self._known:
            self._known[key] = self._reads_from(asker, node_id, part) if node_id in self.places else None
        return self._known[key]

    def reads_here(self, asker: Asker, node_id: UUID, at: datetime | None = None) -> bool:
        """The node, if it is in the asker's graph: nodes of other graphs are not found, even the asker's own."""
        return self.reads(asker, node_id, None, at) and self.places[node_id].user_id == asker.graph

    def _reads_from(self, asker: Asker, node_id: UUID, part: Field | None) -> datetime | None:
        if asker.kind == "user":
            return ALWAYS if self.owns(asker, node_id) else None
        since = self._granted(asker, node_id, part, "read") if asker.kind in ("persona", "third_party") else []
        if asker.kind == "persona":
            myself = self.places.get(asker.principal_id)
            if myself is None or myself.node_type != "persona":
                return None
            if myself in self.way(node_id):
                since.append(self._placed_below(node_id, myself.node_id))
        return min(since, default=None)

    def _placed_below(self, node_id: UUID, top: UUID) -> datetime:
        """Since when the nodes between a node and one above it have had their parents."""
        latest = ALWAYS
        for place in self.way(node_id):
            if place.node_id == top:
                break
            latest = max(latest, place.placed_at)
        return latest

    def writes(self, asker: Asker, node_id: UUID) -> bool:
        """Records may be stored at the node."""
        if asker.kind == "user":
            return self.owns(asker, node_id)
        mine = self.places.get(asker.principal_id)
        if asker.kind != "persona" or mine is None or mine.node_type != "persona" or node_id not in self.places:
            return False
        return bool(self._granted(asker, node_id, None, "read_write"))

    def _granted(self, asker: Asker, node_id: UUID, part: Field | None, mode: GrantMode) -> list[datetime]:
        """Since when each active right covers the node."""
        distance = {place.node_id: steps for steps, place in enumerate(self.way(node_id))}
        return [
            max(ALWAYS if right.past else right.granted_at, self._placed_below(node_id, right.node_id))
            for right in self.rights.values()
            if right.subject_kind == asker.kind
            and right.subject_id == asker.principal_id
            and not right.ended
            and distance.get(right.node_id, 99) <= right.depth
            and (mode == "read" or right.mode == "read_write")
            and (part is None or part in right.fields)
        ]

    def sees(self, asker: Asker, record: Written, part: Field = "records", at: datetime | None = None) -> bool:
        """A record, its items, or its file. Private records and those of a thread or workflow are only for
        the owner; a moved record is visible from the move on."""
        if self.owns(asker, record.node_id):
            return True
        if record.private or record.scope != "user" or (at is not None and record.moved_at > at):
            return False
        return self.reads(asker, record.node_id, "records", at) and self.reads(asker, record.node_id, part, at)

    def seen(self, asker: Asker, node_id: UUID) -> list[Written]:
        """The records of a node that the asker may see."""
        return [record for record in self.held[node_id] if self.sees(asker, record)]

    def readable(self, asker: Asker, graph: UUID | None = None) -> list[Place]:
        """All nodes that the asker may read, of one graph or of all."""
        return [
            place
            for place in self.places.values()
            if (graph is None or place.user_id == graph) and self.reads(asker, place.node_id)
        ]

    def path(self, asker: Asker, node_id: UUID) -> tuple[str, ...]:
        """The names on the path of a node that the asker may know."""
        return tuple(place.name for place in reversed(self.way(node_id)) if self.reads(asker, place.node_id))

    def may_know(self, asker: Asker, kind: str, thing: UUID, at: datetime | None = None) -> bool:
        """Whether a thing's marker or id may be in an answer about a time."""
        if kind == "node":
            return self.reads(asker, thing, None, at)
        if kind == "edge":
            return all(self.reads(asker, end, None, at) for end in (self.links[thing].source, self.links[thing].target))
        if kind == "grant":
            return self.owns(asker, self.rights[thing].node_id)
        if kind == "scope":
            return asker.kind == "user" and asker.principal_id == thing
        if kind == "spoken":
            return any(self.sees(asker, self.written[one], "records", at) for one in self.speaking[thing])
        if kind == "file":
            held = [self.written[one] for one in self._files[thing]]  # the record's past shows the file's id
            return any(
                self.sees(asker, one, "records", at)
                and (self.sees(asker, one, "files") or one.author == asker.principal_id)  # the author knows its id
                for one in held
            )
        return self.sees(asker, self.written[thing], "items" if kind == "item" else "records", at)

    def may_know_former(self, asker: Asker, kind: str, thing: UUID, until: datetime) -> bool:
        """Whether a text that named a thing until then may be in an answer."""
        if not self.may_know(asker, kind, thing):
            return False
        if kind == "node":
            return (self.reads_from(asker, thing) or ALWAYS) < until
        record = self.written[thing]
        if asker.kind == "persona" and record.author == asker.principal_id:
            return True  # the asker set that title
        moved = ALWAYS if self.owns(asker, record.node_id) else record.moved_at
        return max(self.reads_from(asker, record.node_id, "records") or ALWAYS, moved) < until

    def foreign(
        self, asker: Asker, answer: object, known: frozenset[str] = frozenset(), at: datetime | None = None
    ) -> Iterator[str]:
        """Things named anywhere in an answer that the asker may not know and did not name."""
        known |= {str(asker.principal_id), str(asker.graph)}
        for token in tokens(repr(answer)) - known:
            thing, former = self.things.get(token), self.former.get(token)
            if thing is not None and not self.may_know(asker, *thing, at):
                yield f"{thing[0]} {token} is named"
            if former is not None and not self.may_know_former(asker, *former):
                yield f"{former[0]} {token} of before is named"
