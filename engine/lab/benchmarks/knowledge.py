"""The knowledge graph: to which of 10,000 entities a name belongs, an entity with 1,000 relations, why a relation is believed,
and what a fact costs where many are known.

The neighbourhood is read beside the same rows by a statement by hand, which asks for no rights and knows no merges.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

from engine.commit.changes import EntitiesMentioned, RelationsStated
from engine.domain.entity import TextPiece
from engine.domain.graph import EntityMention, EntityName, RecordMentions, RecordRelations, StatedRelation
from engine.domain.history import Conversation, Turn
from engine.domain.names import name_key
from engine.entities.resolution.romanized import canonical_key
from engine.ingest.pipeline import Ingest
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.knowledge_facts import ReadsLines, measured
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.naming.mentions import SourceText
from engine.progress import Progress
from engine.settings import Settings
from engine.stores.statements import cypher

ENTITIES, RELATIONS, NAMES, ROUNDS, PAGE, FACTS = 10_000, 1_000, 200, 40, 500, 10_000
HUB = "Halvard Ost"
_PARTS = (
    "bar den fol gor hal jen kal lem mor nor pel rin sol tor vel".split(),
    "a e i o u".split(),
    "ck ld m nd rt sk".split(),
)
_FIRST = [f"{a}{b}n".capitalize() for a, b in product(_PARTS[0], _PARTS[1])]
_LAST = [f"{a}{b}{c}".capitalize() for a, b, c in product(*_PARTS)]
_TASK = "entities"


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = FACTS) -> Report:
    """A user with 10,000 entities, one of which has 1,000 relations, and one with `items` facts; `data` is not read."""
    rng = Random(7)
    names = [HUB, *(f"{first} {last}" for first, last in rng.sample(list(product(_FIRST, _LAST)), ENTITIES - 1))]
    async with empty_ground(settings, progress) as ground:
        memory = await ground.memory()
        record = await _filled(ground, memory, names, progress)
        before = ground.meter.read()
        resolved, trips = await _resolved(ground, memory, _asked(names, rng))
        hub = (await memory.entities.list(name=HUB.split()[0], limit=1))[0].entity_id
        relation = (await memory.entities.relations(hub, limit=1))[0].relation_id
        by_hand = {"entity_id": str(hub), "limit": RELATIONS}
        timed = {
            "relations of an entity with 1,000": lambda: memory.entities.relations(hub, limit=RELATIONS),
            "the same by hand": lambda: ground.engine.neo4j.read(cypher("bench/relations"), **by_hand),
            "why a relation": lambda: memory.entities.why(relation),
            "the first page of 10,000": lambda: memory.entities.list(limit=100, everything=True),
            "an entity": lambda: memory.entities.get(hub),
        }
        seconds = {name: await _timed(ground, way) for name, way in timed.items()}
        async with counted(ground.engine) as read:
            await memory.entities.relations(hub, limit=RELATIONS)
        whole = ground.meter.read().since(before)
    figures = [*percentiles("a name among 10,000", resolved), Figure("Neo4j trips of it", trips, "trips")]
    for name, found in seconds.items():
        figures += percentiles(name, found)
    neighbours, why = (
        sorted(seconds[name])[ROUNDS // 2] * 1000 for name in ("relations of an entity with 1,000", "why a relation")
    )
    figures += [
        at_most("the median of its relations", round(neighbours, 1), "ms", 50),
        at_most("the median of why", round(why, 1), "ms", 20),
        at_most("Neo4j trips of its relations", read.neo4j, "trips", 1),
    ]
    async with empty_ground(settings, progress, ReadsLines()) as ground:
        figures += await measured(ground, names, items, progress)
    return Report(
        "knowledge", tuple(figures), whole.wall, dict(whole.cpu), {"entities": len(names), "record": str(record)}
    )


async def _filled(ground: Ground, memory: Memory, names: Sequence[str], progress: Progress) -> UUID:
    """Enters the entities and relations as a commit does, at one record; returns it."""
    report = await memory.records.remember(Conversation("bench", (Turn("Bench", "A note."),)))
    stored, now, units = report.records[0], datetime.now(UTC), ground.engine.parts[Ingest].commit.units
    place: tuple[Any, ...] = (stored.record_id, memory.principal.user_id, stored.node_id, uuid4(), None, now, now)
    said = dict(
        zip(("record_id", "user_id", "node_id", "commit_id", "revision", "known_from", "at"), place, strict=True)
    )
    progress.start(_TASK, len(names), "entities")
    for start in range(0, len(names), PAGE):
        page = names[start : start + PAGE]
        async with units.begin(memory.principal) as unit:
            await unit.accept(EntitiesMentioned([RecordMentions(**said, entities=[_entity(name) for name in page])]))
        progress.advance(_TASK, len(page))
    relations = [_relation(HUB, name) for name in names[1 : RELATIONS + 1]]
    async with units.begin(memory.principal) as unit:
        await unit.accept(RelationsStated([RecordRelations(**said, stated=relations)]))
    progress.finish(_TASK)
    return stored.record_id


def _entity(name: str) -> EntityMention:
    key = name_key(name)
    return EntityMention(
        key=canonical_key("person", name),
        entity_id=uuid4(),
        name=name,
        name_key=key,
        kind="person",
        label="Person",
        role="mention",
        names=[key],
        spans=[],
        count=1,
        context="",
        aliases=[EntityName(type="name", key=key, value=name)],
    )


def _relation(source: str, target: str) -> StatedRelation:
    return StatedRelation(
        relation_id=uuid4(),
        type="FRIEND_OF",
        name="FRIEND_OF",
        functional=False,
        source=canonical_key("person", source),
        target=canonical_key("person", target),
        weight=0.9,
        item_id=uuid4(),
        span="0-1",
        since=None,
        until=None,
        ended=False,
    )


def _asked(names: Sequence[str], rng: Random) -> list[str]:
    """Names as texts bring them: known ones, first names, misspelt ones, unknown ones."""
    known = rng.sample(names, NAMES)
    ways: list[Callable[[str], str]] = [
        lambda name: name,
        lambda name: name.split()[0],
        lambda name: name[:-2] + name[-1],
        lambda name: f"Quentin {name.split()[1]}ovich",
    ]
    return [ways[number % len(ways)](name) for number, name in enumerate(known)]


async def _resolved(ground: Ground, memory: Memory, names: Sequence[str]) -> tuple[list[float], int]:
    """The seconds for each name, and the round trips of one."""
    entities = ground.engine.parts[Ingest].entities

    async def of_text(name: str) -> object:
        text = SourceText(uuid4(), TextPiece(f"Yesterday we met {name} at the harbour.", "Bench"))
        return await entities.spoken(memory.principal, [[text]])

    await of_text(names[0])
    seconds = []
    for name in names:
        before = ground.meter.read()
        await of_text(name)
        seconds.append(ground.meter.read().since(before).wall)
    async with counted(ground.engine) as trips:
        await of_text(names[0])
    return seconds, trips.neo4j


async def _timed(ground: Ground, way: Callable[[], Awaitable[object]]) -> list[float]:
    """The seconds of each round, after some that warm up."""
    for _ in range(10):
        await way()
    seconds = []
    for _ in range(ROUNDS):
        before = ground.meter.read()
        await way()
        seconds.append(ground.meter.read().since(before).wall)
    return seconds
