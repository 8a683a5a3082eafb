"""The tools with their titles, and what each may do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

from api.mcp.knowledge import explain, get_entity, get_status, list_entities
from api.mcp.memories import add_memory, delete_memory, get_memory, search_memories, update_memory
from api.mcp.more import add_fact, get_context, list_memories, undo

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
Function = Callable[..., Awaitable[dict[str, Any]]]


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
