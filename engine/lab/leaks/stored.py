"""Nodes, edges and records, made through the public API and recorded in the model."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.report import IngestReport
from engine.domain.scope import INGESTED, MemoryScope, Origin, Privacy, SourceKind
from engine.lab.leaks.model import World
from engine.lab.leaks.spoken import add_people
from engine.lab.leaks.things import GIVEN, SHARED_GIVEN, Asker, Link, Place, Written, marker, person

if TYPE_CHECKING:
    from engine.neurigraph import Engine

SHARED_ALIAS = "Walleye"
"""An alias that many nodes of all graphs share, so that a name matches several."""


def owner(user_id: UUID) -> Asker:
    """The user of a graph."""
    return Asker("user", user_id, user_id)


async def add_node(engine: Engine, world: World, above: Place, rng: Random, *, persona: bool) -> Place:
    """A child with a name, summary and keywords that are markers."""
    name, word, keyword = (marker(rng) for _ in range(3))
    aliases = (SHARED_ALIAS,) if rng.random() < 0.4 else ()
    new = NewNode(above.node_id, name, "persona" if persona else "concept", f"All of {word}.", (keyword,), aliases)
    made = await engine.memory(above.user_id).nodes.provision(new)
    own = Random(name)
    if own.random() < 0.4:  # it has a past, too
        later = Change("node", made.node_id, {"summary": f"All of {marker(own)}."})
        await engine.memory(above.user_id).history.change(later)
    place = Place(
        made.node_id, above.user_id, above.node_id, name, aliases, new.node_type, made.layer, made.schema_name,
        made_at=datetime.now(UTC),
    )  # fmt: skip
    world.add_place(place, (word, keyword))
    world.mark(above.user_id)
    return place


async def add_edge(engine: Engine, world: World, rng: Random, ends: list[Place]) -> Link:
    """An edge whose type and property are markers."""
    kind, note = marker(rng), marker(rng)
    source, target = ends
    made = await engine.memory(source.user_id).edges.make(source.node_id, target.node_id, kind, {"note": note})
    link = Link(made.edge_id, kind, source.node_id, target.node_id, datetime.now(UTC))
    world.add_link(link, (note,))
    world.mark(source.user_id)
    return link


def some_source(rng: Random) -> SourceKind:
    """A kind of source, the usual one most often."""
    return rng.choice(("ingested", "ingested", "manual", "extracted"))


def some_scope(world: World, user: UUID, rng: Random) -> Origin:
    """One of the threads and workflows of a user."""
    kind, scope_id = rng.choice(world.scopes[user])
    return Origin(MemoryScope("workflow" if kind == "workflow" else "thread", scope_id), some_source(rng))


def some_people(world: World, asker: Asker, place: Place, rng: Random) -> tuple[tuple[str, ...], str]:
    """Names of people, and what a text says of them: one of the text's own, often some whom other records speak of, too.

    A persona also uses a first name alone, which may be that of somebody hidden from it.
    """
    own, shared = person(rng), world.people.get(place.user_id, ())[: len(SHARED_GIVEN)]
    said, named = [f"{own} was there."], [own]
    for words in ("is good friends with", "is married to"):
        if shared and rng.random() < 0.5:
            ends = [one.split()[0] if rng.random() < 0.3 else one for one in rng.sample(shared, 2)]
            said.append(f"{ends[0]} {words} {ends[1]}.")
            named += ends
    if asker.kind == "persona" and rng.random() < 0.7:
        given = rng.choice((*GIVEN, *SHARED_GIVEN))
        said.append(f"Then {given} came by, and {given} was late.")
    return tuple(dict.fromkeys(named)), " ".join(said)


async def add_record(  # noqa: PLR0913 (what there is, who writes where, and as what)
    engine: Engine, world: World, asker: Asker, place: Place, rng: Random,
    *, private: bool = False, origin: Origin = INGESTED, about: tuple[tuple[str, ...], str] | None = None,
    document: bool = False,
) -> IngestReport:  # fmt: skip
    """Stores a short record at a node, a note or a conversation (`document`: surely a note); returns the report."""
    title, text, source = marker(rng), marker(rng), marker(rng)
    named, said = about or some_people(world, asker, place, rng)
    memory = engine.memory_as(asker.principal).within(origin.scope, source=origin.source)
    privacy: Privacy = "private" if private else "org"
    document = rng.random() < 0.5 or document
    if document:
        report = await memory.records.remember_text(
            title, f"Caught {text}. {said}", source_id=source, node_id=place.node_id, privacy=privacy
        )
    else:
        turns = (Turn("Bob", f"We caught {text}. {said}"), Turn("Iris", "When?"))
        conversation = Conversation(source, turns, title)
        report = await memory.records.remember(conversation, node_id=place.node_id, privacy=privacy)
    for record in report.records:
        made = Written(
            record.record_id, record.node_id, record.file_id, title, text, private, record.items,
            str(origin.scope), origin.source, document=document,
            author=None if asker.kind == "user" else asker.principal_id, made_at=datetime.now(UTC), named=named,
        )  # fmt: skip
        world.add_written(made, (source, *(name for name in named if name not in world.people.get(place.user_id, ()))))
        add_people(world, made)
    world.mark(place.user_id)
    return report
