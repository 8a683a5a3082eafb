"""Resources: the profile of the user and those of entities, shells of nodes, documents; and prompts: what the memory holds about
a question, and how to store what a conversation brought.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import mcp_types as types

from api.mcp import budget
from api.mcp.memories import NOTHING
from engine.domain.prompt_lines import visible
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.turns import computed

SCHEME = "neurigraph://"
JSON, TEXT = "application/json", "text/plain"
MOST_LISTED = 100
MOST_TOKENS = 20_000
PROMPTS = [
    types.Prompt(
        name="recall",
        title="Answer from memory",
        description="A question, with what the memory holds about it.",
        arguments=[types.PromptArgument(name="question", description="What is asked.", required=True)],
    ),
    types.Prompt(
        name="remember",
        title="Store this conversation",
        description="Asks the assistant to store what will matter later.",
        arguments=[],
    ),
]
REMEMBER = """Go through our conversation. Store with add_memory what will matter later: facts about me and people I know,
decisions, plans, preferences. One memory for each matter, in whole sentences with names and dates. Search first: where a memory
says otherwise, change it with update_memory. Then list what you stored."""


async def listed(memory: Memory) -> list[types.Resource]:
    """The profile and the tree of the user, then the first documents. Others than the user have no list, but can read by id."""
    if not memory.principal.owns:
        return []
    documents = await memory.documents.list(limit=MOST_LISTED)
    return [
        types.Resource(uri=f"{SCHEME}profile", name="profile", title="Facts about the user", mime_type=JSON),
        types.Resource(uri=f"{SCHEME}nodes", name="nodes", title="All nodes of the memory", mime_type=JSON),
        *(
            types.Resource(
                uri=f"{SCHEME}documents/{one.document_id}",
                name=visible(one.file_name),
                title=visible(one.title) or None,
                mime_type=TEXT,
            )
            for one in documents
        ),
    ]


TEMPLATES = [
    types.ResourceTemplate(uri_template=f"{SCHEME}{path}/{{id}}", name=path, title=title, mime_type=media_type)
    for path, title, media_type in (
        ("entities", "Profile of a person, place or thing", TEXT),
        ("nodes", "Shell of a node: place, summary, children, edges, newest records", JSON),
        ("documents", "Text of a document, its newest version", TEXT),
    )
]


async def read(memory: Memory, uri: str) -> types.TextResourceContents:
    """A resource. Raises NotFound, also for an unknown address."""
    kind, _, id = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or kind not in (_OF_ID if id else _WHOLE):
        raise NotFound
    if not id:
        value: Any = await _WHOLE[kind](memory)
    else:
        try:
            value = await _OF_ID[kind](memory, UUID(id))
        except ValueError as error:
            raise NotFound from error
    if isinstance(value, str):
        return types.TextResourceContents(uri=uri, mime_type=TEXT, text=visible(value))
    text = await computed(budget.answer, value, MOST_TOKENS)
    return types.TextResourceContents(uri=uri, mime_type=JSON, text=text)


async def _profile(memory: Memory) -> dict[str, Any]:
    groups = await memory.profiles.user()
    facts = [{"type": one.name, "facts": one.facts, "strongest": one.summary} for one in groups]
    return {"facts": facts, "notes": [] if facts else [NOTHING]}


async def _nodes(memory: Memory) -> dict[str, Any]:
    return {"nodes": await memory.nodes.tree()}


async def _entity(memory: Memory, entity_id: UUID) -> str:
    return (await memory.profiles.entity(entity_id)).text


async def _node(memory: Memory, node_id: UUID) -> dict[str, Any]:
    shell = await memory.nodes.shell(node_id)
    fields = (
        "node_id name node_type layer path state summary keywords aliases records items children edges manifest".split()
    )
    return {field: getattr(shell, field) for field in fields}


async def _document(memory: Memory, document_id: UUID) -> str:
    return (await memory.documents.read(document_id)).decode("utf-8", "replace")


_WHOLE: dict[str, Callable[[Memory], Awaitable[Any]]] = {"profile": _profile, "nodes": _nodes}
_OF_ID: dict[str, Callable[[Memory, UUID], Awaitable[Any]]] = {
    "entities": _entity,
    "nodes": _node,
    "documents": _document,
}


async def made(memory: Memory, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """The messages of a prompt. Raises InvalidInput, NotFound."""
    if params.name == "remember":
        return _result(" ".join(REMEMBER.split()))
    if params.name != "recall":
        raise InvalidInput(f"There is no prompt {params.name[:100]!r}.")
    question = (params.arguments or {}).get("question", "").strip()
    if not question:
        raise InvalidInput("The prompt recall needs a question.")
    context = await memory.context(question)
    held = context.text or "The memory holds nothing about it."
    return _result(f"{held}\n\nAnswer from these memories alone, and say so where they hold no answer: {question}")


def _result(text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=visible(text)))
    return types.GetPromptResult(messages=[message])
