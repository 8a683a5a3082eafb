"""Questions about single records, items, edges and documents, their past states and their history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from engine.domain.delta import SubjectState
from engine.domain.occasion import Wanted
from engine.errors import NotFound
from engine.lab.leaks import expected
from engine.lab.leaks.asking import Draws, Operation, any_principal, question
from engine.lab.leaks.model import World
from engine.lab.leaks.past import some_moment
from engine.lab.leaks.things import Asker, Former, Written

if TYPE_CHECKING:
    from engine.memory import Memory


draws = Draws()


@draws.of("state", 6)
def state(world: World, rng: Random) -> Operation:
    """A record as it is, or was."""
    asker = any_principal(world, rng)
    record, moment = _record(world, asker, rng), some_moment(world, asker, rng)
    judge = partial(expected.state, world, asker, record, moment)
    return question(
        world, asker, str(record.record_id),
        lambda memory: memory.history.state("record", record.record_id, node_id=record.node_id, moment=moment), judge, moment,
    )  # fmt: skip


def _record(world: World, asker: Asker, rng: Random) -> Written:
    """Any record, often one of the graph with a past."""
    every = list(world.written.values())
    changed = [one for one in every if one.titles and world.places[one.node_id].user_id == asker.graph]
    return rng.choice(changed if changed and rng.random() < 0.5 else every)


@draws.of("item state", 3)
def item_state(world: World, rng: Random) -> Operation:
    """An item as it is, or was: returned to askers who can find it."""
    asker = any_principal(world, rng)
    record, moment = _record(world, asker, rng), some_moment(world, asker, rng)
    rows = [one for one in world.rows[record.node_id] if one.record_id == record.record_id and one.until is None]
    item = next((UUID(one.id) for one in rows if one.place == "memory_items"), uuid4())

    def judge(outcome: object) -> Iterator[str]:
        there = world.reads_here(asker, record.node_id, moment.earliest)
        if not (there and world.sees(asker, record, "items")):
            yield from expected.denied(outcome)
        elif isinstance(outcome, SubjectState) and not world.sees(asker, record, "items", moment.earliest):
            yield from expected.differing("state", None, outcome.fields)

    return question(
        world, asker, str(item),
        lambda memory: memory.history.state("item", item, node_id=record.node_id, moment=moment), judge, moment,
    )  # fmt: skip


@draws.of("history", 6)
def history(world: World, rng: Random) -> Operation:
    """The history of a record, for askers who may change it, from the time on at which they may read it."""
    asker = any_principal(world, rng)
    if rng.random() < 0.6:
        rights = [right for right in world.rights.values() if right.mode == "read_write" and not right.ended]
        if rights:
            right = rng.choice(rights)
            asker = Asker("persona", right.subject_id, world.places[right.node_id].user_id)
    writable = [one for one in world.written.values() if world.writes(asker, one.node_id)]
    record = rng.choice(writable) if writable and rng.random() < 0.8 else _record(world, asker, rng)

    def judge(outcome: object) -> Iterator[str]:
        if not world.reads_here(asker, record.node_id):
            yield from expected.denied(outcome)
        elif not isinstance(outcome, tuple):
            yield f"not given: {outcome!r}"
        elif outcome and not (world.writes(asker, record.node_id) and world.sees(asker, record)):
            yield "deltas for a reader who may not change the record"

    return question(
        world, asker, str(record.record_id),
        lambda memory: memory.history.deltas("record", record.record_id, node_id=record.node_id), judge,
    )  # fmt: skip


@draws.of("edge", 3)
def edge(world: World, rng: Random) -> Operation:
    """One edge, as it is or was."""
    asker = any_principal(world, rng)
    link, moment = rng.choice(list(world.links.values())), some_moment(world, asker, rng)
    judge = partial(expected.edge, world, asker, link, moment)
    return question(
        world, asker, str(link.edge_id),
        lambda memory: memory.history.state("edge", link.edge_id, moment=moment), judge, moment,
    )  # fmt: skip


@draws.of("older file", 3)
def older_file(world: World, rng: Random) -> Operation:
    """The file of an older version, at a node of its document."""
    asker = any_principal(world, rng)
    if not world.formers:
        return documents(world, rng)
    former = rng.choice([one for one in world.formers if _graph(world, one) == asker.graph] or world.formers)
    node = world.written[former.record_id].node_id
    judge = partial(expected.older_file, world, asker, former)
    return question(world, asker, str(former), lambda memory: memory.files.read(node, former.file_id), judge)


def _graph(world: World, former: Former) -> UUID:
    return world.places[world.written[former.record_id].node_id].user_id


@draws.of("documents", 2)
def documents(world: World, rng: Random) -> Operation:
    """The documents: all for the user, for a persona those that it stored and may read."""
    asker = any_principal(world, rng)

    def judge(outcome: object) -> Iterator[str]:
        if asker.kind == "third_party" or expected.outside(world, asker):
            yield from expected.denied(outcome)
            return
        mine = {
            one.record_id
            for one in world.written.values()
            if one.document and world.places[one.node_id].user_id == asker.graph and _lists(world, asker, one)
        }
        given = {one.document_id for one in outcome} if isinstance(outcome, tuple) else outcome
        yield from expected.differing("documents", mine, given)

    return question(world, asker, "", lambda memory: memory.documents.list(limit=500), judge)


def _lists(world: World, asker: Asker, record: Written) -> bool:
    own = asker.kind == "persona" and record.author == asker.principal_id
    return world.owns(asker, record.node_id) or (own and world.sees(asker, record))


@draws.of("document", 2)
def document(world: World, rng: Random) -> Operation:
    """The versions of a document."""
    asker = any_principal(world, rng)
    own = [one for one in world.written.values() if one.document and one.author == asker.principal_id]
    record = rng.choice(own or [one for one in world.written.values() if one.document])
    asked = rng.choice(("versions", "chunks", "read"))

    def judge(outcome: object) -> Iterator[str]:
        at_home = world.places[record.node_id].user_id == asker.graph
        if not (at_home and _lists(world, asker, record)):
            yield from expected.denied(outcome)

    about = f"{asked} {record.record_id}"
    return question(world, asker, about, lambda memory: getattr(memory.documents, asked)(record.record_id), judge)


@draws.of("own lists", 2)
def own_lists(world: World, rng: Random) -> Operation:
    """Lists for the user only: decisions, raw inputs, events, differences between two times."""
    asker = any_principal(world, rng)
    moment = some_moment(world, asker, rng)
    known = moment.known_at or moment.as_of
    wanted = rng.choice(("assignments", "resources", "events", "difference"))

    async def ask(memory: Memory) -> object:
        if wanted == "events":
            return await memory.events.list(Wanted(known_at=known))
        if wanted == "difference":
            return await memory.history.difference(
                known or datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC), limit=20
            )
        return await (memory.records.assignments() if wanted == "assignments" else memory.resources.list())

    def judge(outcome: object) -> Iterator[str]:
        if not expected.is_owner(asker) and wanted != "difference":
            yield from expected.denied(outcome)
        elif not expected.is_owner(asker):
            if not isinstance(outcome, NotFound) and asker.kind != "user":
                yield from expected.differing(wanted, (), outcome)
        elif isinstance(outcome, Exception):
            yield f"not given: {outcome!r}"

    return question(world, asker, wanted, ask, judge)
