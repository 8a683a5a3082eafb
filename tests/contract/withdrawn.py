"""A memory in which something of every kind was withdrawn, ended or changed, and a look for what was in it alone.

A new write that changes what was stored has to be a kind here, or says why it hides nothing (`test_withdrawn_reads`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.memory import Memory


@dataclass
class Life:
    """A memory in which something of every kind is gone: the words that were in it alone, and all ids that there were before."""

    user: User
    memory: Memory
    node_id: UUID | None = None
    """Where it is stored; None: where the engine puts it."""
    gone: dict[str, str] = field(default_factory=dict)
    ids: dict[str, set[str]] = field(default_factory=dict)
    stays: str = "Ormskirkel"

    def note(self, **ids: object) -> None:
        for name, value in ids.items():
            self.ids.setdefault(name, set()).add(str(value))

    def note_time(self) -> None:
        """A time at which something holds that is then withdrawn or changed."""
        self.note(as_of=datetime.now(UTC).isoformat())


Kind = Callable[[Life, str], Awaitable[None]]
KINDS: dict[str, tuple[str, Kind]] = {}
"""A kind of change by its name: the operation that makes it, and what is stored and then changed; the given word is gone."""


def kind(operation: str) -> Callable[[Kind], Kind]:
    def noted(one: Kind) -> Kind:
        KINDS[one.__name__] = (operation, one)
        return one

    return noted


async def stored_text(life: Life, text: str, **more: Any) -> Any:
    report = await life.memory.records.remember_text(more.pop("title", ""), text, node_id=life.node_id, **more)
    return await _noted(life, report)


async def stored_chat(life: Life, *texts: str, **more: Any) -> Any:
    turns = tuple(Turn("Bob", text) for text in texts)
    return await _noted(
        life, await life.memory.records.remember(Conversation(uuid4().hex, turns, **more), node_id=life.node_id)
    )


async def _noted(life: Life, report: Any) -> Any:
    """The record, after all ids that lead to it were read."""
    (record,) = report.records
    life.note(record_id=record.record_id, document_id=record.record_id, node_id=record.node_id, file_id=record.file_id)
    life.note(resource_id=record.file_id, session_id=report.session_id)
    await _entities(life)
    return record


async def stated(life: Life, text: str) -> Any:
    (fact,) = await life.memory.facts.write(WrittenFact(text), node_id=life.node_id)
    life.note(fact_id=fact.fact_id, item_id=fact.fact_id, record_id=fact.record_id, document_id=fact.record_id)
    for one in await life.memory.resources.list(limit=1):
        life.note(resource_id=one.resource_id, file_id=one.resource_id)
    await _entities(life)
    return fact


async def _entities(life: Life) -> None:
    for one in await life.memory.entities.list(limit=100):
        life.note(entity_id=one.entity_id)
        for relation in await life.memory.entities.relations(one.entity_id):
            life.note(relation_id=relation.relation_id)


async def item_of(life: Life, word: str) -> Any:
    hits = (await life.memory.search(_query(word))).hits
    return next(hit for hit in hits if word in hit.content)


def _query(text: str) -> SearchRequest:
    return SearchRequest(text, 20)


async def withdraw(life: Life, kind: str, subject: object) -> None:
    life.note_time()
    await life.memory.retractions.retract(RetractionSubject(kind, str(subject)), "wrong")


@kind("retractions.retract")
async def record_withdrawn(life: Life, word: str) -> None:
    record = await stored_text(
        life, f"Mrs. {word} opens the gate of Harbor House with the code 5512. She lives in Hull."
    )
    await withdraw(life, "record", record.record_id)


@kind("retractions.retract")
async def document_withdrawn(life: Life, word: str) -> None:
    record = await stored_text(life, f"# Rent\n\n{word} pays 900.", title="Lease", source_id=f"lease {uuid4()}")
    await withdraw(life, "document", record.record_id)


@kind("retractions.retract")
async def source_withdrawn(life: Life, word: str) -> None:
    source = uuid4().hex
    turns = (Turn("Bob", f"My aunt {word} lives in Bergen."), Turn("Ann", "I see."))
    await _noted(life, await life.memory.records.remember(Conversation(source, turns), node_id=life.node_id))
    await withdraw(life, "source", source)


@kind("retractions.retract")
async def fact_withdrawn(life: Life, word: str) -> None:
    fact = await stated(life, f"{word} works at Brightline.")
    await withdraw(life, "fact", fact.fact_id)


NAMED = ("Nadia", "Marcus", "Teresa", "Elena", "Tobias", "Ingrid")
"""First names that stay, each beside a family name that is gone."""


async def name_beside(life: Life, first: str, word: str) -> Any:
    """A record that alone has somebody's full name: others, before and after it, have the first name."""
    await stored_chat(life, f"{first} sings in {life.stays}.")
    record = await stored_chat(life, f"{first} {word} rents a garden.", "The lamp is green.")
    await stored_chat(life, f"{first} came by with a cake.")
    found = await life.memory.entities.list(name=word, everything=True)
    assert [first in one.names for one in found] == [True], "both names are one's"
    return record


@kind("retractions.retract")
async def full_name_withdrawn(life: Life, word: str) -> None:
    record = await name_beside(life, NAMED[0], word)
    await withdraw(life, "record", record.record_id)


@kind("retractions.retract")
async def first_name_withdrawn(life: Life, word: str) -> None:
    """The record that made the entity, whose key has its name."""
    record = await stored_chat(life, f"{NAMED[1]} {word} has a canoe.")
    await stored_chat(life, f"{NAMED[1]} came by with a cake.")
    await withdraw(life, "record", record.record_id)


@kind("retractions.retract")
async def name_of_whole_withdrawn(life: Life, word: str) -> None:
    """What was merged into it, and is mentioned yet, has another name."""
    record = await stored_chat(life, f"{NAMED[2]} {word} has a kayak.")
    await stored_chat(life, f"{NAMED[3]} Moreira has a kayak.")
    whole, part = [
        (await life.memory.entities.list(name=name, everything=True))[0].entity_id for name in (word, "Moreira")
    ]
    await life.memory.entities.merge(whole, part, "one person")
    await withdraw(life, "record", record.record_id)


@kind("history.change")
async def full_name_ended(life: Life, word: str) -> None:
    record = await name_beside(life, NAMED[4], word)
    await life.memory.history.change(Change("record", record.record_id, {"ended": True}, record.node_id))


@kind("history.change")
async def full_name_changed(life: Life, word: str) -> None:
    record = await name_beside(life, NAMED[5], word)
    hit = await item_of(life, word)
    fields = {"content": f"{NAMED[5]} rents a garden."}
    await life.memory.history.change(Change("item", hit.item_id, fields, record.node_id, correction=True))
    life.note(item_id=hit.item_id)


@kind("history.change")
async def record_ended(life: Life, word: str) -> None:
    record = await stored_text(life, f"The boat of {word} is called Iltis.")
    await life.memory.history.change(Change("record", record.record_id, {"ended": True}, record.node_id))


@kind("history.change")
async def text_changed(life: Life, word: str) -> None:
    record = await stored_text(life, f"{word} teaches the piano on Tuesdays.")
    hit = await item_of(life, word)
    life.note(held_at=datetime.now(UTC).isoformat())
    await life.memory.history.change(
        Change("item", hit.item_id, {"content": "Mr. Brandt teaches on Fridays."}, record.node_id)
    )
    life.note(item_id=hit.item_id)


@kind("history.change")
async def text_corrected(life: Life, word: str) -> None:
    record = await stored_text(life, f"The cellar of {word} floods in May.")
    hit = await item_of(life, word)
    fields = {"content": "The cellar floods in June."}
    await life.memory.history.change(Change("item", hit.item_id, fields, record.node_id, correction=True))
    life.note(item_id=hit.item_id)


@kind("history.change")
async def turn_changed(life: Life, word: str) -> None:
    record = await stored_chat(life, f"The shed of {word} opens with 1111.", f"The wood is dry in {life.stays}.")
    hit = await item_of(life, word)
    await life.memory.history.change(
        Change("item", hit.item_id, {"content": "The shed opens with 2222."}, record.node_id)
    )
    life.note(item_id=hit.item_id)


@kind("history.change")
async def turn_ended(life: Life, word: str) -> None:
    record = await stored_chat(life, f"My nephew {word} lives in Skien.", "The lamp is blue.", title="Family")
    hit = await item_of(life, word)
    await life.memory.history.change(Change("item", hit.item_id, {"ended": True}, record.node_id))
    life.note(item_id=hit.item_id)


@kind("history.change")
async def only_turn_ended(life: Life, word: str) -> None:
    record = await stored_chat(life, f"My dentist is Dr. {word} of Lyon.")
    hit = await item_of(life, word)
    await life.memory.history.change(Change("item", hit.item_id, {"ended": True}, record.node_id))
    life.note(item_id=hit.item_id)


@kind("history.change")
async def fact_ended(life: Life, word: str) -> None:
    fact = await stated(life, f"{word} plays chess.")
    assert fact.node_id
    await life.memory.history.change(Change("item", fact.fact_id, {"ended": True}, fact.node_id))


@kind("history.change")
async def fact_changed(life: Life, word: str) -> None:
    fact = await stated(life, f"Bob's locker is painted by {word}.")
    fields = {"content": "Bob's locker is painted by nobody."}
    await life.memory.history.change(Change("item", fact.fact_id, fields, fact.node_id))


@kind("history.change")
async def fact_corrected(life: Life, word: str) -> None:
    fact = await stated(life, f"Bob's bike is a {word}.")
    fields = {"content": "Bob's bike is green."}
    await life.memory.history.change(Change("item", fact.fact_id, fields, fact.node_id, correction=True))


@kind("history.change")
async def record_of_fact_ended(life: Life, word: str) -> None:
    fact = await stated(life, f"Bob's badge says {word}.")
    await life.memory.history.change(Change("record", fact.record_id, {"ended": True}, fact.node_id))
    life.note(item_id=fact.fact_id)


@kind("history.change")
async def related_record_ended(life: Life, word: str) -> None:
    record = await stored_text(life, f"Dr. {word} Marlow lives in Hull. {word} Marlow is married to Bob Harlan.")
    await life.memory.history.change(Change("record", record.record_id, {"ended": True}, record.node_id))


@kind("history.change")
async def title_changed(life: Life, word: str) -> None:
    record = await stored_text(life, "The ferry leaves at nine.", title=f"Ferry of {word}")
    life.note_time()
    fields = {"title": "Ferry", "summary": "It leaves at nine."}
    await life.memory.history.change(Change("record", record.record_id, fields, record.node_id, correction=True))


@kind("records.remember_text")
async def new_version(life: Life, word: str) -> None:
    source = f"handbook {uuid4()}"
    await stored_text(life, f"Call {word} when the pump is loud.", source_id=source)
    await life.memory.records.remember_text(
        "", "Call the office when the pump is loud.", source_id=source, node_id=life.node_id
    )


async def lived(user: User, memory: Memory, node_id: UUID | None = None) -> Life:
    """All kinds of change, made at a node, or where the engine puts what is stored."""
    one = Life(user, memory, node_id)
    letters = itertools.product("aeiou", repeat=2)
    for (name, (_, made)), (first, second) in zip(KINDS.items(), letters, strict=False):
        word = f"Qu{first}zzl{second}v{uuid4().hex[:4].translate(str.maketrans('0123456789', 'ghijklmnop'))}"
        one.gone[name] = word
        await made(one, word)
    one.note(node_id=user.user_id, version=1, conversation_id="none")
    one.note(version=2)
    return one


OF_THE_PAST = {
    "/v1/users/{user_id}/nodes/{node_id}/records/{record_id}/history": "the chain of changes",
    "/v1/users/{user_id}/nodes/{node_id}/items/{item_id}/history": "the chain of changes",
    "/v1/users/{user_id}/difference": "what differs between two times",
    "history": "the chain of changes",
    "diff": "what differs between two times",
}
"""Reads that are there for what was."""
OLDER_VERSION = re.compile(r"/versions/1/|/versions$|/files/|/resources|/export$|^(document|resource|export)")
"""Where an older version of a document is asked for as such, or all versions are given: `new_version` alone stays there."""
NEEDED = {
    "/v1/users/{user_id}/anchors": [{"name": "Bob"}],
    "/v1/users/{user_id}/entities": [{}, {"all": "true"}],
    "/v1/users/{user_id}/facts": [{}, {"status": "any"}],
    "/v1/users/{user_id}/resources": [{"limit": "100"}],
}
"""Query parameters of requests that need some, or show more with them."""


NEVER_HELD = {name for name, (operation, _) in KINDS.items() if operation == "retractions.retract"} | {
    "text_corrected", "fact_corrected", "full_name_changed", "title_changed"
}  # fmt: skip
"""Kinds after which the word is at no time what held: it was withdrawn, or corrected."""


class Leaks(dict[str, set[str]]):
    """The kinds of change whose word an answer shows, by the read."""

    def look(self, life: Life, read: str, answer: str) -> None:
        plain = answer.casefold()
        shown = {name for name, word in life.gone.items() if word.casefold() in plain}
        if shown := shown - ({"new_version"} if OLDER_VERSION.search(read) else set()):
            self.setdefault(read, set()).update(shown)


def requests_for(life: Life, path: str, **more: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The addresses of a path for all ids there are, with their queries, and `more` in each."""
    names = [name for name in re.findall(r"\{(\w+)\}", path) if name != "user_id"]
    queries = NEEDED.get(path, [{}])
    if path.endswith("/retractions/preview"):
        kinds = {"record": "record_id", "document": "document_id", "fact": "fact_id"}
        queries = [{"kind": kind, "subject": one} for kind, ids in kinds.items() for one in sorted(life.ids[ids])]
    if path.endswith("/forgettings/preview"):
        kinds = {"record": "record_id", "document": "document_id"}
        queries = [{"kind": kind, "subject": one} for kind, ids in kinds.items() for one in sorted(life.ids[ids])]
    if path.endswith(("{user_id}/relations", "{user_id}/entities-together")):
        queries = [{"entity_id": sorted(life.ids["entity_id"])}]
    if path.endswith("/events"):
        queries = [{"wait": "0"}] if names else [{}]
    known = dict(life.ids)
    if life.node_id and len(names) > 1:  # what is at a node
        known["node_id"] = {str(life.node_id)}
    for chosen in itertools.product(*(sorted(known.get(name, {str(uuid4())})) for name in names)):
        here = path.replace("{user_id}", str(life.user.user_id))
        for name, value in zip(names, chosen, strict=True):
            here = here.replace(f"{{{name}}}", value)
        yield from ((here, {**query, **more}) for query in queries)
