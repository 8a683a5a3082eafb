"""Tools that show what a memory knows, why, and its status."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from api.mcp.ids import MemoryId, parsed
from api.mcp.memories import NOTHING, Limit, shown_hit
from engine.domain.fact import DAY_PASSED
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory

MOST_HITS = 200


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
