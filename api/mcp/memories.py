"""Tools that store, find and change memories. Each is a function of a memory: its
docstring and the descriptions of its arguments are what the assistant reads."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from api.mcp.arguments import MemoryId, Message, UndoId, parsed, turns_of
from engine.domain.assignment import AssignmentFilter
from engine.domain.clock import Moment
from engine.domain.delta import Change
from engine.domain.document import DocumentChunk
from engine.domain.fact import DAY_PASSED
from engine.domain.forgetting import ForgettingSubject
from engine.domain.history import Conversation
from engine.domain.retraction import RetractionSubject
from engine.domain.search import AskedRelation, Hit, SearchRequest
from engine.domain.shown import beginning
from engine.domain.written import Instant
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory

MemoryIdText = Annotated[
    str, Field(description="As an answer of this server gives it: item/NODE/ID or record/NODE/ID.")
]
Reason = Annotated[str, Field(description="Why, for the history.")]
Again = Annotated[
    bool, Field(strict=True, description="True only if the user wants back what was forgotten: stores it anew.")
]
Expiry = Annotated[
    Instant | None, Field(description="When it is to be forgotten by itself, only if the user said so; a time to come.")
]
Limit = Annotated[int, Field(ge=1, le=100, description="How many at most, 1 to 100.")]

NOTHING, NO_MORE = "Nothing was found.", "There is nothing more."


async def add_memory(  # noqa: PLR0913 (the parameters of a tool are its parameters)
    memory: Memory,
    text: Annotated[str, Field(description="A note, a fact, a document.")] = "",
    messages: Annotated[list[Message], Field(description="Or a conversation, in order.")] = [],  # noqa: B006
    title: Annotated[str, Field(description="What it is called; without it, its beginning.")] = "",
    id: Annotated[
        str,
        Field(
            max_length=200,
            description="Your own id: a changed text becomes its next version. Without it the same text is stored once.",
        ),
    ] = "",
    node_id: Annotated[
        UUID | None, Field(description="Id of the node at which to store; without it the content decides.")
    ] = None,
    again: Again = False,
    expires_at: Expiry = None,
) -> dict[str, Any]:
    """Stores a text or a conversation in the user's long-term memory. Send one of `text` and `messages`. Store what will matter
    later, in whole sentences with names and dates. Returns what was stored and where."""
    text, title, memory = text.strip(), title.strip(), memory.anew(again).until(expires_at)
    if bool(text) == bool(messages):
        raise InvalidInput("Send exactly one of text and messages.")
    empty = 0
    if messages:
        turns, empty = turns_of(messages)
        if not turns:
            raise InvalidInput("messages: none of them says anything.")
        source = id or content_id([(one.speaker, one.text.strip(), str(one.at or "")) for one in turns])
        conversation = Conversation(source, turns, title or beginning(turns[0].text))
        report = await memory.records.remember(conversation, node_id=node_id)
    else:
        source = id or content_id(text)
        report = await memory.records.remember_text(title, text, source_id=source, node_id=node_id)
    stored = [
        {
            "memory_id": str(MemoryId("record", one.node_id, one.record_id)),
            "path": "/".join(one.path),
            "title": one.title,
            "node_created": one.node_created or None,
        }
        for one in report.records
    ]
    versions = [
        {"memory_id": str(MemoryId("record", one.node_id, one.document_id)), "version": one.version}
        for one in report.documents
        if one.version > 1
    ]
    skipped = [one.reason for one in report.skipped]
    there = await _there(memory, f"conversation:{source}" if messages else f"text:{source}", text) if skipped else {}
    return {
        "stored": stored, "new_versions": versions, "skipped": skipped, **there, "redacted": report.redacted,
        "empty_messages_passed_over": empty or None,
    }  # fmt: skip


def content_id(content: object) -> str:
    """The id of a memory that has none of its own: the same content has the same one."""
    return f"sha256-{sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()}"


async def _there(memory: Memory, source_id: str, text: str) -> dict[str, Any]:
    """The memory that is there already, and that it says something else by now, for its user."""
    if not memory.principal.owns:
        return {}
    for one in await memory.resources.list(source_id=source_id, limit=1):
        (place, *_) = await memory.records.assignments(AssignmentFilter(record_id=one.record_id, limit=1))
        named = MemoryId("record", place.node_id, one.record_id)
        says = " ".join(chunk.content for chunk in await _chunks(memory, named)).split()
        changed = bool(text) and bool(says) and not set(says) >= set(text.split())
        note = "It was changed since, and keeps its text; update_memory changes it."
        return {"already_there": str(named), "notes": [note] if changed else []}
    return {}


async def search_memories(
    memory: Memory,
    query: Annotated[str, Field(min_length=1, description="A question or words; names help.")],
    limit: Limit = 10,
    as_of: Annotated[
        Instant | None, Field(description="What was true then, a date or a time; without it, now.")
    ] = None,
    cursor: Annotated[str | None, Field(description="`next_cursor` of the answer before.")] = None,
) -> dict[str, Any]:
    """Searches the user's long-term memory. Call it before you answer anything about the user, people they know, or earlier
    conversations. Returns relations that the query asks for, and hits, the best first, with place, time and the reason why
    each was found; scores order the hits of one answer only, and may be negative."""
    found = await memory.search(SearchRequest(query, limit, moment=Moment(as_of), cursor=cursor, relations=True))
    nothing = () if found.hits or found.relations else (NO_MORE,) if cursor else (NOTHING,)
    left_out = (f"Node {one.node_id} was left out: {one.reason}" for one in found.left_out)
    return {
        "relations": [_shown_relation(one) for one in found.relations],
        "hits": [shown_hit(hit) for hit in found.hits],
        "notes": [*nothing, *found.notes, *left_out],
        "next_cursor": found.next_cursor,
    }


def _shown_relation(one: AskedRelation) -> dict[str, Any]:
    return {
        "says": one.relation.statement(one.entity_name),
        "relation_id": one.relation.relation_id,
        "text": one.text,
        "title": one.title,
        "at": one.at,
        "record": str(MemoryId("record", one.node_id, one.record_id)),
    }


def shown_hit(hit: Hit) -> dict[str, Any]:
    """A hit as an assistant reads it."""
    return {
        "memory_id": str(MemoryId("item", hit.node_id, hit.item_id)),
        "content": hit.content,
        "speaker": hit.speaker,
        "kind": hit.kind,
        "path": "/".join(hit.path),
        "occurred_at": hit.occurred_at,
        "title": hit.record_title,
        "section": hit.section,
        "why": hit.why,
        **({"doubt": hit.doubt.told} if hit.doubt else {}),
        **({"plan": DAY_PASSED} if hit.passed else {}),
        "score": round(hit.score, 3),
        "record": str(MemoryId("record", hit.node_id, hit.record_id)),
    }


async def get_memory(
    memory: Memory,
    memory_id: MemoryIdText,
    after: Annotated[int, Field(ge=-1, description="Of a record: `index` of the last passage that you have.")] = -1,
) -> dict[str, Any]:
    """One memory by its id: an item with its text, or a record with title, summary and its passages in order."""
    named = parsed(memory_id)
    state = await memory.history.state(named.kind, named.id, node_id=named.node_id)
    if state.fields is None:
        raise NotFound
    answer: dict[str, Any] = {"memory_id": str(named), "revision": state.revision, **state.fields}
    if state.record_id is not None:
        answer["record"] = str(MemoryId("record", named.node_id, state.record_id))
    if named.kind == "record":
        chunks = await _chunks(memory, named, after)
        answer["passages"] = [
            {"index": one.index, "memory_id": str(MemoryId("item", named.node_id, one.item_id)), "content": one.content}
            for one in chunks
        ]
        if not chunks and after < 0 and state.resource_id is not None:  # a conversation: as it came in
            answer["text"] = (await memory.resources.content(state.resource_id)).content.decode("utf-8", "replace")
    return answer


async def _chunks(memory: Memory, record: MemoryId, after: int = -1) -> tuple[DocumentChunk, ...]:
    """The passages of a document that hold now; of other records none."""
    try:
        chunks = await memory.documents.chunks(record.id, after=after)
    except NotFound:
        return ()
    return tuple(one for one in chunks if not one.superseded)


async def update_memory(  # noqa: PLR0913 - the arguments of a tool are its parameters
    memory: Memory,
    memory_id: MemoryIdText,
    content: Annotated[str | None, Field(description="The new text of an item, or of a record of one passage.")] = None,
    text: Annotated[str | None, Field(description="The same as content.")] = None,
    title: Annotated[str | None, Field(description="Of a record.")] = None,
    summary: Annotated[str | None, Field(description="Of a record.")] = None,
    correction: Annotated[bool, Field(description="It was always so; otherwise it is so from now on.")] = False,
    reason: Reason = "",
) -> dict[str, Any]:
    """Changes a memory. The state before stays readable in its history. For something new, add a memory instead."""
    named = parsed(memory_id)
    if content is not None and text is not None and content != text:
        raise InvalidInput("content and text are two names for the new text: send one.")
    content = text if content is None else content
    fields = {"content": content, "title": title, "summary": summary}
    given = {name: value for name, value in fields.items() if value is not None}
    if not given:
        raise InvalidInput("Send at least one of content, title and summary.")
    if named.kind == "item" and given.keys() != {"content"}:
        raise InvalidInput("An item has neither title nor summary: send content, or the memory_id of its record.")
    if named.kind == "record" and content is not None:
        if len(given) > 1:
            raise InvalidInput("Change the text of a record and its title or summary in two calls.")
        await memory.history.state("record", named.id, node_id=named.node_id)  # raises NotFound
        chunks = await _chunks(memory, named)
        if len(chunks) != 1:
            raise InvalidInput(
                "This record has several passages: change the item that search_memories or get_memory gives."
            )
        named = MemoryId("item", named.node_id, chunks[0].item_id)
    change = Change(named.kind, named.id, given, named.node_id, correction=correction, reason=reason)
    changed = await memory.history.change(change)
    return {
        "memory_id": str(named),
        "revision": changed.revision,
        "changed": changed.changed,
        "from": changed.effective_at,
        "undo": str(UndoId("change", named, changed.revision)) if changed.changed else None,
    }


async def delete_memory(
    memory: Memory,
    memory_id: MemoryIdText,
    reason: Reason = "",
    forever: Annotated[
        bool,
        Field(strict=True, description="Erase a record or a fact in all stores; only where the user asks for that."),
    ] = False,
) -> dict[str, Any]:
    """Withdraws a memory: a record with all that it alone supports, one fact, or one passage. No read finds it any more. The
    history keeps it: the tool undo takes the `undo` of the answer. With `forever` nothing keeps it, and there is no undo."""
    named = parsed(memory_id)
    if forever:
        forgotten = ForgettingSubject("record" if named.kind == "record" else "item", str(named.id))
        one = await memory.forgettings.forget(forgotten, reason)
        return {
            "forgotten": str(named),
            "state": one.state,
            "receipt_from": one.settles_at,
            "forgetting_id": one.forgetting_id,
        }
    try:
        # Also of an item: what is withdrawn as a fact takes with it what it superseded.
        subject = RetractionSubject("record" if named.kind == "record" else "fact", str(named.id))
        done = await memory.retractions.retract(subject, reason)
    except NotFound:
        if named.kind == "record":
            raise
        # From the beginning on: a read of a day before shows it no more either.
        change = Change("item", named.id, {"ended": True}, named.node_id, correction=True, reason=reason)
        changed = await memory.history.change(change)
        undo = str(UndoId("change", named, changed.revision)) if changed.changed else None
        shell = f"neurigraph change item {named.id} ended=false --correction --node {named.node_id}"
        return {"deleted": str(named), "changed": changed.changed, "undo": undo, "undo_in_shell": shell}
    undo, shell = str(UndoId("retraction", done.retraction_id)), f"neurigraph retractions undo {done.retraction_id}"
    return {
        "deleted": str(named), "records": done.records, "facts": done.facts, "undo": undo, "undo_in_shell": shell,
    }  # fmt: skip
