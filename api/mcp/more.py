"""Tools beside those for single memories: the newest ones, context for an answer, stating a fact, and undo."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from api.mcp.ids import MemoryId, undone
from api.mcp.memories import NOTHING, Limit
from engine.domain.assignment import AssignmentFilter
from engine.domain.clock import Moment
from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.written import Instant
from engine.errors import Conflict, InvalidInput, NotFound
from engine.memory import Memory

WHERE = "Say at which node: node_id, as the hits of search_memories have it in their memory_id."
OWN_NODE = "These are of your own node alone. For those of another node name its node_id, as the hits of search_memories have it."


async def list_memories(
    memory: Memory,
    limit: Limit = 20,
    node_id: Annotated[UUID | None, Field(description="Only those of this node; without it, all.")] = None,
    cursor: Annotated[str | None, Field(description="`next_cursor` of the answer before.")] = None,
) -> dict[str, Any]:
    """The newest memories, the latest first: what was stored last, with title and summary. For a question, search instead."""
    notes: list[str] = []
    if node_id is None and memory.principal.owns:
        shown, more = await _newest(memory, limit, cursor)
    else:
        if node_id is None:
            if memory.principal.kind != "persona":
                raise InvalidInput(WHERE)
            node_id, notes = memory.principal.principal_id, [OWN_NODE]
        shown, more = await _of_node(memory, node_id, limit), None
    return {"memories": shown, "notes": notes if shown else [NOTHING, *notes], "next_cursor": more}


async def _newest(memory: Memory, limit: int, cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
    """Of all nodes, for the user: where each record lies was decided when it was stored."""
    try:
        before = int(cursor) if cursor else None
    except ValueError as error:
        raise InvalidInput("cursor: not one of an answer of list_memories.") from error
    shown: list[dict[str, Any]] = []
    while page := await memory.records.assignments(AssignmentFilter(before=before, limit=100)):
        for one in page:
            before = one.entry_id
            try:
                state = await memory.history.state("record", one.record_id, node_id=one.node_id)
            except NotFound:
                continue
            if state.fields is not None:  # else it ended
                named = str(MemoryId("record", one.node_id, one.record_id))
                shown.append({"memory_id": named, **_said(state.fields), "stored_at": one.decided_at})
            if len(shown) == limit:
                return shown, str(before)
    return shown, None


def _said(fields: Any) -> dict[str, Any]:
    return {name: fields[name] for name in ("title", "summary", "occurred_at")}


async def _of_node(memory: Memory, node_id: UUID, limit: int) -> list[dict[str, Any]]:
    records = (await memory.nodes.metadata(node_id, limit=limit)).records
    return [
        {
            "memory_id": str(MemoryId("record", node_id, one.record_id)), "title": one.title, "summary": one.summary,
            "occurred_at": one.occurred_at, "stored_at": one.created_at,
        }
        for one in records
    ]  # fmt: skip


async def get_context(
    memory: Memory,
    question: Annotated[str, Field(min_length=1, description="What is to be answered.")],
    tokens: Annotated[int, Field(ge=50, le=32_000, description="Tokens of the text at most.")] = 1500,
    as_of: Annotated[
        Instant | None, Field(description="What was true then, a date or a time; without it, now.")
    ] = None,
) -> dict[str, Any]:
    """What the memory holds that matters to a question, as one text to answer from, with the memory of each numbered line.
    Best for answering; search_memories finds single memories."""
    context = await memory.context(ContextRequest(question, tokens, moment=Moment(as_of)))
    sources = {
        f"[{piece.mark}]": str(MemoryId("item", piece.node_id, piece.item_id))
        for piece in context.pieces
        if piece.item_id is not None and piece.node_id is not None
    }
    notes = [*([] if context.text else [NOTHING]), *context.notes, *context.partial]
    return {"context": context.text, "sources": sources, "notes": notes}


async def add_fact(
    memory: Memory,
    text: Annotated[str, Field(min_length=1, description="One sentence that stands by itself: Dave lives in Galway.")],
    about: Annotated[
        list[str], Field(description="Whom or what it is about; without it, the name that it begins with.")
    ] = [],  # noqa: B006
    at: Annotated[Instant | None, Field(description="From when on it holds; without it, now.")] = None,
    node_id: Annotated[UUID | None, Field(description="Node to store it at; without it, where it belongs.")] = None,
) -> dict[str, Any]:
    """States a fact: it ends the fact that it replaces, which stays in its chain. For whole texts use add_memory."""
    if not memory.principal.owns:
        raise InvalidInput("Only the user states facts; store a text with add_memory.")
    chain = await memory.facts.write(WrittenFact(text, tuple(about), at=at), node_id=node_id)
    return {
        "facts": [
            {
                "memory_id": one.node_id and str(MemoryId("item", one.node_id, one.fact_id)),
                **{name: getattr(one, name) for name in ("text", "status", "valid_from", "valid_to", "confirmations")},
            }
            for one in chain
        ]
    }


async def undo(
    memory: Memory,
    id: Annotated[str, Field(description="`undo` of an answer, as retraction/ID; or merge/ID of a merge of entities.")],
) -> dict[str, Any]:
    """Takes back a delete_memory, an update_memory, a retraction or a merge of entities. What came since stays."""
    named = undone(id)
    if isinstance(named.of, MemoryId):
        return await _changed_back(memory, named.of, named.revision, id)
    if named.kind == "merge":
        await memory.entities.undo_merge(named.of)
        return {"undone": id}
    done = await memory.retractions.undo(named.of)
    return {"undone": id, "state": done.state}


async def _changed_back(memory: Memory, named: MemoryId, revision: int, id: str) -> dict[str, Any]:
    """Gives the fields of a change the values before it, from the same time on."""
    after = max(0, revision - 1)
    deltas = await memory.history.deltas(named.kind, named.id, node_id=named.node_id, after=after)
    made = next((one for one in deltas if one.revision == revision), None)
    if made is None:
        raise NotFound
    later = {name for one in deltas if one.revision > revision for name in one.fields}
    if touched := sorted(made.fields.keys() & later):
        raise Conflict(f"Undo what was changed later first: {', '.join(touched)}.")
    before = {name: one.before for name, one in made.fields.items()}
    at = made.effective_at
    change = Change(
        named.kind, named.id, before, named.node_id, effective_at=at, correction=at is None, reason="undone"
    )
    changed = await memory.history.change(change)
    return {"undone": id, "revision": changed.revision}
