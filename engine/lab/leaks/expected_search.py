"""The expected answers of searches, from the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from engine.domain.clock import NOW
from engine.domain.context import Context, ContextRequest
from engine.domain.grant import Field
from engine.domain.names import name_key
from engine.domain.scope import MemoryScope
from engine.domain.search import Hit, SearchAnswer, SearchRequest
from engine.errors import InvalidInput
from engine.lab.leaks import filtering
from engine.lab.leaks.expected import anchor_of, denied, differing, is_owner, later, outside, scope_text, short
from engine.lab.leaks.grouped import found_entity
from engine.lab.leaks.model import World
from engine.lab.leaks.things import Asker, Written


def searched(request: SearchRequest, record: Written) -> bool:
    """Whether a search covers a record: only in the scopes and sources that it names."""
    named = {"user", *(scope_text(scope.kind, scope.scope_id) for scope in request.scopes)}
    return record.scope in named and (request.sources is None or record.source in request.sources)


def _refuses(world: World, asker: Asker, scopes: Sequence[MemoryScope]) -> bool:
    return (bool(scopes) and not is_owner(asker)) or outside(world, asker)


def _refused(world: World, asker: Asker, request: SearchRequest, outcome: object) -> Iterator[str]:
    """What is wrong where an answer was refused, or should have been."""
    if request.scopes and not is_owner(asker):
        yield from differing("refused as", InvalidInput, type(outcome))
    elif outside(world, asker) or filtering.unknown_entity(world, asker, request):
        yield from denied(outcome)
    else:
        yield f"not given: {short(outcome)}"


def search(world: World, asker: Asker, request: SearchRequest, wanted: Written, outcome: object) -> Iterator[str]:
    """Only readable hits and anchors with readable paths, counts of readable rows, and the wanted record."""
    if not isinstance(outcome, SearchAnswer) or _refuses(world, asker, request.scopes):
        yield from _refused(world, asker, request, outcome)
        return
    if filtering.unknown_entity(world, asker, request):
        yield from denied(outcome)
        return
    at = request.moment.earliest
    yield from world.foreign(asker, replace(outcome, query=""), at=at)
    if at is not None:
        yield from _searched_past(world, asker, request, outcome)
        return
    for anchor in outcome.anchors:
        yield from anchor_of(world, asker, anchor)
    for hit in outcome.hits:
        yield from _hit(world, asker, request, hit)
    yield from _counted(world, asker, request, wanted, outcome)


def search_decayed(world: World, asker: Asker, request: SearchRequest, outcome: object) -> Iterator[str]:
    """Only readable hits, and counts of readable rows."""
    if not isinstance(outcome, SearchAnswer) or _refuses(world, asker, request.scopes):
        yield from _refused(world, asker, request, outcome)
        return
    if filtering.unknown_entity(world, asker, request):
        yield from denied(outcome)
        return
    at = request.moment.earliest
    yield from world.foreign(asker, replace(outcome, query=""), at=at)
    if at is not None:
        yield from _searched_past(world, asker, request, outcome)
        return
    for hit in outcome.hits:
        yield from _hit(world, asker, request, hit)
    yield from _amounts(world, asker, request, outcome)


def _amounts(world: World, asker: Asker, request: SearchRequest, outcome: SearchAnswer) -> Iterator[str]:
    """How much a search looked at that looks at all of its scope."""
    scope = filtering.searched_nodes(world, asker, request)
    items = sum(_items(world, asker, place.node_id, request) for place in scope)
    given = (outcome.nodes_searched, outcome.items_searched)
    if not filtering.by_content(request.filters):
        yield from differing("nodes and items searched", (len(scope), items), given)
    elif given[0] > len(scope) or given[1] > items:
        yield f"searched {given}, readable are {(len(scope), items)}"


def _counted(
    world: World, asker: Asker, request: SearchRequest, wanted: Written, outcome: SearchAnswer
) -> Iterator[str]:
    """How much was searched, and that the wanted record is found where all of it is, and all that was found is shown: the
    ranking may place it anywhere, as the words of documents count little."""
    scope = filtering.searched_nodes(world, asker, request)
    items = sum(_items(world, asker, place.node_id, request) for place in scope)
    given = (outcome.nodes_searched, outcome.items_searched)
    named = request.nodes is not None or bool(request.filters.below)
    whole = named or request.widen == "always" or outcome.widened
    if whole or filtering.by_content(request.filters):
        yield from _amounts(world, asker, request, outcome)
    elif given[0] > len(scope) or given[1] > items:
        yield f"searched {given}, readable are {(len(scope), items)}"
    mine = world.sees(asker, wanted, "items") and searched(request, wanted)
    mine = mine and wanted.node_id in {place.node_id for place in scope}
    mine = mine and not wanted.part and whole and outcome.next_cursor is None
    mine = mine and request.kinds is None and not filtering.by_content(request.filters)
    if mine and wanted.record_id not in {hit.record_id for hit in outcome.hits}:
        yield f"record {wanted.record_id} is not found by its own word"


def _items(world: World, asker: Asker, node_id: UUID, request: SearchRequest) -> int:
    return sum(
        row.place == "memory_items"
        and row.until is None
        and (row.detail != "whole" if request.kinds is None else row.detail.replace("whole", "fact") in request.kinds)
        and row.record_id is not None
        and world.sees(asker, world.written[row.record_id], "items")
        and searched(request, world.written[row.record_id])
        for row in world.rows[node_id]
    )


def _searched_past(world: World, asker: Asker, request: SearchRequest, answer: SearchAnswer) -> Iterator[str]:
    """Of the past: hits and nodes that were readable then; their number, if everything was searched."""
    at = request.moment.earliest
    for hit in answer.hits:
        record = world.written.get(hit.record_id)
        if record is None or not world.sees(asker, record, "items", at):
            yield f"hit {hit.item_id} is not readable as it was"
    if world.owns(asker, asker.graph) or request.moment.as_of is not None or request.nodes or not answer.widened:
        return
    every = [
        place
        for place in world.readable(asker, asker.graph)
        if not later(request.moment, place.made_at)
        and at is not None
        and (world.reads_from(asker, place.node_id, "items") or world.reads_from(asker, place.node_id) or at) <= at
    ]
    yield from differing("nodes searched in the past", len(every), answer.nodes_searched)


def _hit(world: World, asker: Asker, request: SearchRequest, hit: Hit) -> Iterator[str]:
    record = world.written.get(hit.record_id)
    if record is None or record.node_id != hit.node_id or not world.sees(asker, record, "items"):
        yield f"hit {hit.item_id} is not readable"
        return
    if not searched(request, record):
        yield f"hit {hit.item_id} belongs to {record.scope} and came in as {record.source}, which was not asked for"
    yield from filtering.passes(world, asker, request, record, hit.occurred_at)
    shown = (scope_text(hit.scope, hit.scope_id), hit.source)
    yield from differing("hit's scope and source", (record.scope, record.source), shown)
    yield from differing("hit's path", world.path(asker, hit.node_id), hit.path)
    if hit.reached is not None and hit.reached.from_record is not None:
        start = world.written.get(hit.reached.from_record)
        if start is None or not world.sees(asker, start, "items") or not searched(request, start):
            yield f"hit {hit.item_id} was reached from {hit.reached.from_record}, which is not readable or was not asked for"
    if hit.reached is not None and hit.reached.entity_id is not None and not is_owner(asker):
        known = found_entity(world, asker, hit.reached.entity_id, NOW)
        if known is None or name_key(hit.reached.entity or "") not in known.keys:
            yield f"hit {hit.item_id} was reached over {hit.reached.entity}, a name that nothing readable gives the entity"
    files = world.sees(asker, record, "files")
    yield from differing("hit's file", record.file_id if files else None, hit.file_id)
    yield from differing("hit's file name", files, hit.file_name is not None)


def context(world: World, asker: Asker, request: ContextRequest, wanted: Written, outcome: object) -> Iterator[str]:
    """Only pieces that may be read, of the scopes that are named, and the wanted record where everything is searched."""
    unknown = filtering.unknown_entity(world, asker, request.search)
    if not isinstance(outcome, Context) or _refuses(world, asker, request.scopes) or unknown:
        yield from (
            denied(outcome)
            if isinstance(outcome, Context) and unknown
            else _refused(world, asker, request.search, outcome)
        )
        return
    at = request.moment.earliest
    yield from world.foreign(asker, replace(outcome, question=""), at=at)
    for piece in outcome.pieces:
        record = world.written.get(piece.record_id)
        field: Field = "records" if piece.kind == "profile" else "items"
        if record is None or not world.sees(asker, record, field, at):
            yield f"piece {piece.item_id or piece.text} is not readable"
        elif piece.kind != "profile" and not searched(request.search, record):
            yield f"piece {piece.item_id} belongs to {record.scope} and came in as {record.source}, which was not asked for"
    mine = (
        at is None
        and request.widen == "always"
        and request.nodes is None
        and request.tokens > 1000
        and outcome.items_searched <= request.limit
        and not request.filtered
    )
    mine = mine and world.sees(asker, wanted, "items") and searched(request.search, wanted) and not wanted.part
    if mine and wanted.record_id not in {piece.record_id for piece in outcome.pieces}:
        yield f"record {wanted.record_id} is not in the context of its own word"
