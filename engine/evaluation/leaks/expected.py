"""What answers of the public API must hold for an asker, from the model; what differs, as sentences.

An answer is compared in both directions: too much is a leak, too little shows that the fuzzer would pass blindly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from engine.domain.delta import SubjectState
from engine.domain.file_state import FileStatus
from engine.domain.node import Edge, Shell
from engine.domain.search import Anchor, Hit, SearchAnswer, SearchRequest
from engine.errors import Conflict, InvalidInput, NotFound
from engine.evaluation.leaks.model import Asker, Place, World, Written
from engine.hierarchy.shells import RecordMetadata, RegisteredEdge

EdgeSeen = tuple[str, UUID, str, tuple[str, ...], bool]


def denied(outcome: object) -> Iterator[str]:
    """Missing and forbidden are one answer, word for word."""
    if not (isinstance(outcome, NotFound) and outcome.detail == NotFound().detail):
        yield f"not refused as missing: {_short(outcome)}"


def differing(name: str, expected: object, given: object) -> Iterator[str]:
    """One sentence where something is not as it must be."""
    if expected != given:
        yield f"{name}: expected {_short(expected)}, given {_short(given)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def state(world: World, asker: Asker, record: Written, outcome: object) -> Iterator[str]:
    """A record as its readers see it."""
    if not (world.reads_here(asker, record.node_id) and world.sees(asker, record)):
        yield from denied(outcome)
    elif not isinstance(outcome, SubjectState) or outcome.fields is None:
        yield f"not given: {_short(outcome)}"
    else:
        yield from differing("title", record.title, outcome.fields["title"])


def shell(world: World, asker: Asker, node_id: UUID, outcome: object) -> Iterator[str]:
    """The whole shell: path, children, edges, manifest and all counts."""
    if not world.reads_here(asker, node_id):
        yield from denied(outcome)
        return
    if not isinstance(outcome, Shell):
        yield f"not given: {_short(outcome)}"
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
    return [child for child in world.children(place.node_id) if world.reads(asker, child.node_id)]


def _counts(world: World, asker: Asker, node_id: UUID) -> tuple[int, int]:
    seen = world.seen(asker, node_id)
    return len(seen), sum(record.items for record in seen)


def edges_of(world: World, asker: Asker, node_id: UUID, given: Iterable[Edge]) -> Iterator[str]:
    """The edges of a node that is readable: those whose other end is, too."""
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


def anchors(world: World, asker: Asker, name: str, outcome: object) -> Iterator[str]:
    """Every readable node of that name or alias, with its way and its edges."""
    if not isinstance(outcome, tuple):
        yield f"not given: {_short(outcome)}"
        return
    named = {place.node_id for place in world.readable(asker, asker.graph) if name in (place.name, *place.aliases)}
    yield from differing("anchors", named, {anchor.node_id for anchor in outcome})
    for anchor in outcome:
        yield from _anchor(world, asker, anchor)


def _anchor(world: World, asker: Asker, anchor: Anchor) -> Iterator[str]:
    if not world.reads(asker, anchor.node_id):
        yield f"anchor {anchor.node_id} is not readable"
        return
    yield from differing("anchor's path", world.path(asker, anchor.node_id), anchor.path)
    yield from edges_of(world, asker, anchor.node_id, anchor.edges)


def edges(world: World, asker: Asker, outcome: object) -> Iterator[str]:
    """Every edge of the graph of which both ends are readable."""
    if not isinstance(outcome, tuple):
        yield f"not given: {_short(outcome)}"
        return
    expected = {
        (link.edge_id, link.edge_type, link.source, link.target)
        for link in world.links.values()
        if world.places[link.source].user_id == asker.graph
        and world.reads(asker, link.source)
        and world.reads(asker, link.target)
    }
    lines: Sequence[RegisteredEdge] = outcome
    given = {(line.edge_id, line.edge_type, line.source_id, line.target_id) for line in lines}
    yield from differing("edge registry", expected, given)


def metadata(world: World, asker: Asker, node_id: UUID, outcome: object) -> Iterator[str]:
    """The records of a node, all pages together; files only where they are granted."""
    if not world.reads_here(asker, node_id):
        yield from denied(outcome)
        return
    if not isinstance(outcome, list):
        yield f"not given: {_short(outcome)}"
        return
    records: list[RecordMetadata] = outcome
    expected = {
        (
            record.record_id,
            record.title,
            record.file_id if world.sees(asker, record, "files") else None,
            record.scope,
            record.source,
        )
        for record in world.seen(asker, node_id)
    }
    given = [
        (record.record_id, record.title, record.file_id, scope_text(record.scope, record.scope_id), record.source)
        for record in records
    ]
    yield from differing("records", sorted(expected, key=str), sorted(given, key=str))


def scope_text(kind: str, scope_id: str | None) -> str:
    """A scope as the model writes it."""
    return kind if scope_id is None else f"{kind}:{scope_id}"


def searched(request: SearchRequest, record: Written) -> bool:
    """Whether a search looks at a record: not outside of the threads that it names, not at other sources."""
    named = {"user", *(scope_text(scope.kind, scope.scope_id) for scope in request.scopes)}
    return record.scope in named and (request.sources is None or record.source in request.sources)


def file(world: World, asker: Asker, node_id: UUID, record: Written, outcome: object) -> Iterator[str]:
    """The bytes of a file where node and file belong together and are readable."""
    if node_id != record.node_id or not world.reads_here(asker, node_id) or not world.sees(asker, record, "files"):
        yield from denied(outcome)
    elif not isinstance(outcome, bytes):
        yield f"not given: {_short(outcome)}"
    elif record.marker.encode() not in outcome:
        yield "another file's bytes"


def file_state(
    world: World, asker: Asker, node_id: UUID, record: Written, writing: bool, outcome: object
) -> Iterator[str]:
    """The state of a file for whoever may read it; whoever puts it to sleep must be let write, too."""
    at_home = node_id == record.node_id and world.reads_here(asker, node_id)
    if not (at_home and world.sees(asker, record, "files") and (not writing or world.writes(asker, node_id))):
        yield from denied(outcome)
    elif isinstance(outcome, FileStatus):
        yield from differing("file", (node_id, record.file_id), (outcome.node_id, outcome.file_id))
    elif not (writing and isinstance(outcome, Conflict)):  # somebody else restores it at this moment
        yield f"not given: {_short(outcome)}"


def search(world: World, asker: Asker, request: SearchRequest, wanted: Written, outcome: object) -> Iterator[str]:
    """Only readable hits and anchors with readable ways, counts of what may be counted; the record that was asked for."""
    if request.scopes and (asker.kind != "user" or asker.principal_id != asker.graph):
        yield from differing("refused as", InvalidInput, type(outcome))
        return
    if not isinstance(outcome, SearchAnswer):
        yield f"not given: {_short(outcome)}"
        return
    yield from world.foreign(asker, replace(outcome, query=""))
    for anchor in outcome.anchors:
        yield from _anchor(world, asker, anchor)
    for hit in outcome.hits:
        yield from _hit(world, asker, request, hit)
    every = world.readable(asker, asker.graph)
    scope = every if request.nodes is None else [place for place in every if place.node_id in request.nodes]
    items = sum(_items(world, asker, place.node_id, request) for place in scope)
    given = (outcome.nodes_searched, outcome.items_searched)
    if request.nodes is not None or request.widen == "always" or outcome.widened:
        yield from differing("nodes and items searched", (len(scope), items), given)
        mine = world.sees(asker, wanted, "items") and searched(request, wanted)
        mine = mine and wanted.node_id in {place.node_id for place in scope}
        if mine and request.kinds is None and wanted.record_id not in {hit.record_id for hit in outcome.hits}:
            yield f"record {wanted.record_id} is not found by its own word"
    elif given[0] > len(scope) or given[1] > items:
        yield f"searched {given}, readable are {(len(scope), items)}"


def _items(world: World, asker: Asker, node_id: UUID, request: SearchRequest) -> int:
    return sum(
        row.place == "memory_items"
        and (row.detail != "whole" if request.kinds is None else row.detail.replace("whole", "fact") in request.kinds)
        and row.record_id is not None
        and world.sees(asker, world.written[row.record_id], "items")
        and searched(request, world.written[row.record_id])
        for row in world.rows[node_id]
    )


def _hit(world: World, asker: Asker, request: SearchRequest, hit: Hit) -> Iterator[str]:
    record = world.written.get(hit.record_id)
    if record is None or record.node_id != hit.node_id or not world.sees(asker, record, "items"):
        yield f"hit {hit.item_id} is not readable"
        return
    if not searched(request, record):
        yield f"hit {hit.item_id} belongs to {record.scope} and came in as {record.source}, which was not asked for"
    shown = (scope_text(hit.scope, hit.scope_id), hit.source)
    yield from differing("hit's scope and source", (record.scope, record.source), shown)
    yield from differing("hit's path", world.path(asker, hit.node_id), hit.path)
    files = world.sees(asker, record, "files")
    yield from differing("hit's file", record.file_id if files else None, hit.file_id)
    yield from differing("hit's file name", files, hit.file_name is not None)
