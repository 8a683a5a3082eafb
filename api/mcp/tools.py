"""The tools with their titles, and what each may do. Those that store, find and change single memories stand in `memories`; here
are the newest ones, context for an answer, stating a fact, undo, and what a memory knows, why, and its status.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import Field

from api.mcp.arguments import MemoryId, parsed, undone
from api.mcp.memories import (
    NOTHING,
    Again,
    Expiry,
    Limit,
    add_memory,
    delete_memory,
    get_memory,
    search_memories,
    shown_hit,
    update_memory,
)
from engine.domain.assignment import AssignmentFilter
from engine.domain.clock import Moment
from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import DAY_PASSED, WrittenFact
from engine.domain.search import SearchRequest
from engine.domain.written import Instant
from engine.errors import Conflict, InvalidInput, NotFound
from engine.memory import Memory

WHERE = "Say at which node: node_id, as the hits of search_memories have it in their memory_id."
OWN_NODE = "These are of your own node alone. For those of another node name its node_id, as the hits of search_memories have it."
MOST_HITS = 200
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
Function = Callable[..., Awaitable[dict[str, Any]]]


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


async def add_fact(  # noqa: PLR0913 (the parameters of a tool are its parameters)
    memory: Memory,
    text: Annotated[str, Field(min_length=1, description="One sentence that stands by itself: Dave lives in Galway.")],
    about: Annotated[
        list[str], Field(description="Whom or what it is about; without it, the name that it begins with.")
    ] = [],  # noqa: B006
    at: Annotated[Instant | None, Field(description="From when on it holds; without it, now.")] = None,
    node_id: Annotated[UUID | None, Field(description="Node to store it at; without it, where it belongs.")] = None,
    again: Again = False,
    expires_at: Expiry = None,
) -> dict[str, Any]:
    """States a fact: it ends the fact that it replaces, which stays in its chain. For whole texts use add_memory."""
    if not memory.principal.owns:
        raise InvalidInput("Only the user states facts; store a text with add_memory.")
    chain = (
        await memory.anew(again).until(expires_at).facts.write(WrittenFact(text, tuple(about), at=at), node_id=node_id)
    )
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


async def list_entities(
    memory: Memory,
    name: Annotated[str, Field(description="Beginning of a word of the name; without it, those mentioned most.")] = "",
    kinds: Annotated[list[str], Field(description="As person, organization, place.")] = [],  # noqa: B006
    limit: Limit = 20,
) -> dict[str, Any]:
    """People, places and things that the memory knows, those mentioned most first."""
    page = await memory.entities.list(kinds=kinds, name=name, limit=limit)
    shown = ("entity_id", "name", "kind", "names", "mentions", "last_mentioned_at", "fact_count", "summary")
    return {
        "entities": [{field: getattr(one, field) for field in shown} for one in page],
        "notes": [] if page else [NOTHING, *await _kinds(memory, kinds)],
        "left_out": page.left_out or None,
    }


async def _kinds(memory: Memory, asked: list[str]) -> list[str]:
    """Which kinds there are, where none of those that were asked for is one of them."""
    there = {one.kind for one in await memory.entities.list(limit=100)} if asked else set()
    unknown = ", ".join(one[:50] for one in asked if one not in there)
    return [f"No entity is of kind {unknown}; there are {', '.join(sorted(there)) or 'none'}."] if unknown else []


async def get_entity(
    memory: Memory,
    entity_id: Annotated[UUID, Field(description="As list_entities gives it; find a name with list_entities first.")],
    ended: Annotated[bool, Field(description="Also relations and facts that are over.")] = False,
    limit: Limit = 30,
) -> dict[str, Any]:
    """One person, place or thing: profile, facts, relations with their ids, and where it is mentioned."""
    entity = await memory.entities.get(entity_id)
    profile = await memory.profiles.entity(entity.entity_id)
    facts = await memory.entities.facts(entity.entity_id, ended=ended, limit=limit)
    relations = await memory.entities.relations(entity.entity_id, ended=ended, limit=limit)
    return {
        "entity_id": entity.entity_id,
        "name": entity.name,
        "kind": entity.kind,
        "names": entity.names,
        "profile": profile.text,
        "facts": [
            {
                "memory_id": one.fact_id and one.node_id and str(MemoryId("item", one.node_id, one.fact_id)),
                **{field: getattr(one, field) for field in ("text", "status", "valid_from", "valid_to", "relation_id")},
                **({"doubt": one.doubt.told} if one.doubt else {}),
                **({"plan": DAY_PASSED} if one.passed else {}),
            }
            for one in facts
        ],
        "relations": [
            {
                **{
                    field: getattr(one, field)
                    for field in ("relation_id", "reads", "other_id", "other_name", "other_kind")
                },
                **{field: getattr(one, field) for field in ("strength", "since", "until")},
                "direction": "to" if one.outgoing else "from",
            }
            for one in relations
        ],
        "ended_left_out": await _ended(memory, entity.entity_id, len(facts) + len(relations), limit)
        if not ended
        else None,
        "mentions": entity.mentions,
        "mentioned_in": [str(MemoryId("record", one.node_id, one.record_id)) for one in entity.latest],
    }


async def _ended(memory: Memory, entity_id: UUID, shown: int, limit: int) -> int | None:
    """How many relations and facts that are over an answer of so many leaves out."""
    facts = await memory.entities.facts(entity_id, ended=True, limit=limit)
    relations = await memory.entities.relations(entity_id, ended=True, limit=limit)
    return max(0, len(facts) + len(relations) - shown) or None


async def explain(
    memory: Memory,
    relation_id: Annotated[UUID | None, Field(description="As get_entity gives it: which records state it.")] = None,
    query: Annotated[str, Field(description="Or a search: how its hits were found and scored.")] = "",
    memory_id: Annotated[str, Field(description="With query: only this hit.")] = "",
) -> dict[str, Any]:
    """Why a relation is believed, or why a search gives a hit."""
    if (relation_id is None) == (not query):
        raise InvalidInput("Send exactly one of relation_id and query.")
    if relation_id is not None:
        why = await memory.entities.why(relation_id)
        return {
            "relation": f"{why.source_name} {why.reads} {why.target_name}",
            "evidence": [
                {
                    "record": str(MemoryId("record", one.node_id, one.record_id)),
                    "item": one.item_id and str(MemoryId("item", one.node_id, one.item_id)),
                    **{field: getattr(one, field) for field in ("title", "at", "text", "weight", "since", "until")},
                }
                for one in why.evidence
            ],
            "notes": [] if why.evidence else [NOTHING],
        }
    wanted = parsed(memory_id) if memory_id else None
    found = await memory.search(SearchRequest(query, MOST_HITS if wanted else 10, explain=True))
    hits = [hit for hit in found.hits if wanted is None or wanted.id in (hit.item_id, hit.record_id)]
    if wanted is not None and not hits:
        raise NotFound(f"This memory is not among the first {MOST_HITS} hits of the query, or it is not yours to see.")
    shown = [shown_hit(hit) | {"explanation": hit.explanation} for hit in hits]
    return {"hits": shown, "search": found.explanation, "notes": [*([] if hits else [NOTHING]), *found.notes]}


async def get_status(memory: Memory) -> dict[str, Any]:
    """Whose memory this is, how much it holds, and what waits for the user."""
    principal = memory.principal
    status: dict[str, Any] = {"user_id": principal.user_id, "acting_as": principal.kind}
    if not principal.owns:
        if principal.kind == "persona":
            shell = await memory.nodes.shell(principal.principal_id)
            status |= {"node": "/".join(shell.path), "records": shell.records, "items": shell.items}
        return status
    tree = await memory.nodes.tree()
    return status | {
        "name": tree[0].name,
        "nodes": len(tree),
        "records": sum(one.records for one in tree),
        "items": sum(one.items for one in tree),
        "entities": bool(await memory.entities.list(limit=1)),
        "failures": len(await memory.failures.list()),
        "writes_set_aside": len(await memory.commits.list()),
        "pairs_to_review": len(await memory.entities.review()),
    }


def _tool(function: Function, title: str, annotations: ToolAnnotations) -> Tool:
    return Tool.from_function(
        function, title=title, annotations=annotations, description=" ".join((function.__doc__ or "").split()),
        context_kwarg="memory", structured_output=False,  # as text alone: clients pass on both, which costs twice the tokens
    )  # fmt: skip


TOOLS = {
    tool.name: tool
    for tool in (
        _tool(add_memory, "Add a memory", ADDS),
        _tool(search_memories, "Search memories", READS),
        _tool(get_memory, "Get a memory", READS),
        _tool(update_memory, "Update a memory", CHANGES),
        _tool(delete_memory, "Delete a memory", DELETES),
        _tool(list_memories, "List the newest memories", READS),
        _tool(get_context, "Get context for an answer", READS),
        _tool(add_fact, "State a fact", ADDS),
        _tool(undo, "Undo a change or a deletion", CHANGES),
        _tool(list_entities, "List people, places and things", READS),
        _tool(get_entity, "Get a person, place or thing", READS),
        _tool(explain, "Explain a relation or a hit", READS),
        _tool(get_status, "Status of the memory", READS),
    )
}
