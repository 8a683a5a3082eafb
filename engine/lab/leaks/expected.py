"""Compares answers of the public API with the expected ones from the model; returns differences as sentences.

Both directions are checked: an extra value is a leak, a missing value shows that the fuzzer would pass blindly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.delta import SubjectState
from engine.domain.file_state import FileStatus
from engine.domain.node import Anchor, Edge, RecordMetadata, RegisteredEdge, Shell
from engine.errors import Conflict, NotFound
from engine.lab.leaks.model import World
from engine.lab.leaks.things import Asker, Former, Link, Place, Written

EdgeSeen = tuple[str, UUID, str, tuple[str, ...], bool]


def denied(outcome: object) -> Iterator[str]:
    """Missing and forbidden must give exactly the same answer."""
    if not (isinstance(outcome, NotFound) and outcome.detail == NotFound().detail):
        yield f"not refused as missing: {short(outcome)}"


def outside(world: World, asker: Asker) -> bool:
    """Whether the graph is another's: the asker gets the answers of an unknown user. An integration gets empty ones of all."""
    place = world.places.get(asker.principal_id)
    if asker.kind == "persona":
        return place is None or place.node_type != "persona" or place.user_id != asker.graph
    return asker.kind == "user" and asker.principal_id != asker.graph


def is_owner(asker: Asker) -> bool:
    """Whether it is the user whose graph it is."""
    return asker.kind == "user" and asker.principal_id == asker.graph


def differing(name: str, expected: object, given: object) -> Iterator[str]:
    """One sentence if the values differ."""
    if expected != given:
        yield f"{name}: expected {short(expected)}, given {short(given)}"


def short(value: object) -> str:
    """A value, shortened for a message."""
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def state(world: World, asker: Asker, record: Written, moment: Moment, outcome: object) -> Iterator[str]:
    """A record as its readers see it, or saw it."""
    at = moment.earliest
    if not (world.reads_here(asker, record.node_id, at) and world.sees(asker, record)):
        yield from denied(outcome)
    elif not isinstance(outcome, SubjectState):
        yield f"not given: {short(outcome)}"
    elif not world.sees(asker, record, "records", at) or later(moment, record.made_at):
        yield from differing("state", None, outcome.fields)
    elif moment.as_of is None:
        title = outcome.fields["title"] if outcome.fields else None
        yield from differing("title", record.title_at(moment.known_at), title)


def later(moment: Moment, time: datetime) -> bool:
    """Whether something was not known yet at the time."""
    return moment.known_at is not None and moment.known_at < time


def shell(world: World, asker: Asker, node_id: UUID, moment: Moment, outcome: object) -> Iterator[str]:
    """The whole shell: path, children, edges, manifest and all counts; of the past only whether it is returned."""
    if not world.reads_here(asker, node_id, moment.earliest) or later(moment, world.places[node_id].made_at):
        yield from denied(outcome)
        return
    if not isinstance(outcome, Shell):
        if moment.as_of is None:
            yield f"not given: {short(outcome)}"
        return
    if moment.earliest is not None:
        return
    place = world.places[node_id]
    owns = world.owns(asker, node_id)
    above = place.parent_id if place.parent_id and world.reads(asker, place.parent_id) else None
    yield from differing("parent", above, outcome.parent_id)
    yield from differing("path", world.path(asker, node_id), outcome.path)
    yield from differing("schema", place.schema_name if owns else None, outcome.schema_name)
    yield from differing("revision", owns, outcome.revision is not None)
    yield from differing("counts", _counts(world, asker, node_id), (outcome.records, outcome.items))
    children = {
        (child.node_id, child.name, _counts(world, asker, child.node_id)[0], len(_children(world, asker, child)))
        for child in _children(world, asker, place)
    }
    given = {(child.node_id, child.name, child.records, child.children) for child in outcome.children}
    yield from differing("children", children, given)
    yield from edges_of(world, asker, node_id, outcome.edges)
    manifest = {record.record_id: world.sees(asker, record, "files") for record in world.seen(asker, node_id)}
    given_lines = {line.record_id: line.file_name is not None or line.file_id is not None for line in outcome.manifest}
    yield from differing("manifest (with file names)", manifest, given_lines)


def _children(world: World, asker: Asker, place: Place) -> list[Place]:
    return [child for child in world.children[place.node_id] if world.reads(asker, child.node_id)]


def _counts(world: World, asker: Asker, node_id: UUID) -> tuple[int, int]:
    seen = world.seen(asker, node_id)
    return len(seen), sum(record.items for record in seen)


def edges_of(world: World, asker: Asker, node_id: UUID, given: Iterable[Edge]) -> Iterator[str]:
    """The edges of a readable node: those with a readable other end."""
    seen: set[EdgeSeen] = {
        (edge.edge_type, edge.other_id, edge.other_name, edge.other_path, edge.outgoing) for edge in given
    }
    expected: set[EdgeSeen] = set()
    for link in world.links.values():
        if node_id in (link.source, link.target):
            other = world.places[link.target if link.source == node_id else link.source]
            if world.reads(asker, other.node_id):
                path = world.path(asker, other.node_id)
                expected.add((link.edge_type, other.node_id, other.name, path, link.source == node_id))
    yield from differing("edges", expected, seen)


def anchors(world: World, asker: Asker, name: str, moment: Moment, outcome: object) -> Iterator[str]:
    """Every readable node of that name or alias, with its path and its edges."""
    if outside(world, asker):
        yield from denied(outcome)
        return
    if not isinstance(outcome, tuple):
        yield f"not given: {short(outcome)}"
        return
    if moment.earliest is not None:
        yield from (
            f"anchor {one.node_id}" for one in outcome if not world.reads(asker, one.node_id, None, moment.earliest)
        )
        return
    named = {place.node_id for place in world.readable(asker, asker.graph) if name in (place.name, *place.aliases)}
    yield from differing("anchors", named, {anchor.node_id for anchor in outcome})
    for anchor in outcome:
        yield from anchor_of(world, asker, anchor)


def anchor_of(world: World, asker: Asker, anchor: Anchor) -> Iterator[str]:
    """One anchor of the present, with its path and its edges."""
    if not world.reads(asker, anchor.node_id):
        yield f"anchor {anchor.node_id} is not readable"
        return
    yield from differing("anchor's path", world.path(asker, anchor.node_id), anchor.path)
    yield from edges_of(world, asker, anchor.node_id, anchor.edges)


def edges(world: World, asker: Asker, moment: Moment, outcome: object) -> Iterator[str]:
    """Every edge of the graph with both ends readable, as they were at the time."""
    if outside(world, asker):
        yield from denied(outcome)
        return
    if not isinstance(outcome, tuple):
        yield f"not given: {short(outcome)}"
        return
    expected = {
        (link.edge_id, link.edge_type, link.source, link.target)
        for link in world.links.values()
        if world.places[link.source].user_id == asker.graph
        and world.may_know(asker, "edge", link.edge_id, moment.earliest)
        and not later(moment, link.made_at)
    }
    lines: Sequence[RegisteredEdge] = outcome
    given = {(line.edge_id, line.edge_type, line.source_id, line.target_id) for line in lines}
    yield from differing("edge registry", expected, given & expected if moment.as_of else given)
    yield from differing("edges too many", set(), given - expected)


def edge(world: World, asker: Asker, link: Link, moment: Moment, outcome: object) -> Iterator[str]:
    """One edge, for readers whose list shows it; its owner also gets it when it did not hold."""
    mine = world.places[link.source].user_id == asker.graph
    if not mine or not world.may_know(asker, "edge", link.edge_id, moment.earliest):
        yield from denied(outcome)
    elif not world.owns(asker, link.source) and (later(moment, link.made_at) or moment.as_of is not None):
        if moment.as_of is None:
            yield from denied(outcome)
    elif not isinstance(outcome, SubjectState):
        yield f"not given: {short(outcome)}"


def metadata(world: World, asker: Asker, node_id: UUID, moment: Moment, outcome: object) -> Iterator[str]:
    """The records of a node as they were at the time, all pages together; files only if they are granted."""
    at = moment.earliest
    if not world.reads_here(asker, node_id, at):
        yield from denied(outcome)
        return
    if not isinstance(outcome, list):
        yield f"not given: {short(outcome)}"
        return
    records: list[RecordMetadata] = outcome
    owns = world.owns(asker, node_id)
    expected = {
        (record.record_id, record.title_at(moment.known_at), record.part and not owns, record.scope, record.source)
        for record in world.held[node_id]
        if world.sees(asker, record, "records", at) and not later(moment, record.made_at)
    }
    given = [
        (record.record_id, record.title, record.file_part, scope_text(record.scope, record.scope_id), record.source)
        for record in records
    ]
    if moment.as_of is not None:
        yield from differing("records too many", set(), {line[0] for line in given} - {line[0] for line in expected})
        return
    files = {record.record_id: record.file_id is not None for record in records}
    for record in world.held[node_id]:
        if record.record_id in files:
            yield from differing("file of a record", world.sees(asker, record, "files"), files[record.record_id])
    expected = {line if files.get(line[0]) else (*line[:2], False, *line[3:]) for line in expected}
    yield from differing("records", sorted(expected, key=str), sorted(given, key=str))


def scope_text(kind: str, scope_id: str | None) -> str:
    """A scope as the model names it."""
    return kind if scope_id is None else f"{kind}:{scope_id}"


def file(world: World, asker: Asker, node_id: UUID, record: Written, outcome: object) -> Iterator[str]:
    """The bytes of a file, if it lies at the node and is readable."""
    if node_id != record.node_id or not world.reads_here(asker, node_id) or not world.sees(asker, record, "files"):
        yield from denied(outcome)
    elif not isinstance(outcome, bytes):
        yield f"not given: {short(outcome)}"
    elif record.marker.encode() not in outcome:
        yield "another file's bytes"
    elif record.part and not world.owns(asker, node_id) and not outcome.startswith(b"[Part of "):
        yield "a part is not marked as one"


def older_file(world: World, asker: Asker, former: Former, outcome: object) -> Iterator[str]:
    """The file of an older version: for the user, and for readers whose right began before it was replaced."""
    record = world.written[former.record_id]
    shown = world.reads_here(asker, record.node_id) and world.sees(asker, record, "files")
    if not world.owns(asker, record.node_id):
        since = world.reads_from(asker, record.node_id, "files")
        shown = shown and since is not None and max(since, record.moved_at) < former.until
    if not shown:
        yield from denied(outcome)
    elif not isinstance(outcome, bytes) or former.marker.encode() not in outcome:
        yield f"not given: {short(outcome)}"


def file_state(
    world: World, asker: Asker, node_id: UUID, record: Written, writing: bool, outcome: object
) -> Iterator[str]:
    """The state of a file, for askers who may read it; putting it to sleep also needs write access."""
    at_home = node_id == record.node_id and world.reads_here(asker, node_id)
    shown_in_part = record.part and not world.owns(asker, node_id)
    allowed = not writing or (world.writes(asker, node_id) and not shown_in_part)
    if not (at_home and world.sees(asker, record, "files") and allowed):
        yield from denied(outcome)
    elif isinstance(outcome, FileStatus):
        yield from differing("file", (node_id, record.file_id), (outcome.node_id, outcome.file_id))
    elif not (writing and isinstance(outcome, Conflict)):  # another asker restores it at this moment
        yield f"not given: {short(outcome)}"
