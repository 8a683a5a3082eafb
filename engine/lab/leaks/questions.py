"""Questions through the public API: drawn at random, run, and judged by the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Iterator
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any
from uuid import UUID

from engine.domain.node import all_records
from engine.lab.leaks import expected
from engine.lab.leaks.asking import Draws, Operation, any_principal, outcome_of, question, some_node
from engine.lab.leaks.model import World
from engine.lab.leaks.past import some_moment
from engine.lab.leaks.stored import SHARED_ALIAS
from engine.lab.leaks.things import Asker

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.neurigraph import Engine


draws = Draws()


@draws.of("shell", 14)
def shell(world: World, rng: Random) -> Operation:
    """The shell of a node."""
    asker = any_principal(world, rng)
    node, moment = some_node(world, asker, rng), some_moment(world, asker, rng)
    judge = partial(expected.shell, world, asker, node, moment)
    return question(world, asker, str(node), lambda memory: memory.nodes.shell(node, moment), judge, moment)


@draws.of("children", 3)
def children(world: World, rng: Random) -> Operation:
    """The children of a node, without its shell."""
    asker = any_principal(world, rng)
    node, moment = some_node(world, asker, rng), some_moment(world, asker, rng)

    def judge(outcome: object) -> Iterator[str]:
        if not world.reads_here(asker, node, moment.earliest) or expected.later(moment, world.places[node].made_at):
            yield from expected.denied(outcome)
        elif moment.earliest is None:
            seen = {(one.node_id, one.name) for one in world.children[node] if world.reads(asker, one.node_id)}
            given = {(one.node_id, one.name) for one in outcome} if isinstance(outcome, tuple) else outcome
            yield from expected.differing("children", seen, given)

    return question(world, asker, str(node), lambda memory: memory.nodes.children(node, moment), judge, moment)


@draws.of("tree", 2)
def tree(world: World, rng: Random) -> Operation:
    """All nodes of a graph, only for its owner."""
    asker = any_principal(world, rng)
    moment = some_moment(world, asker, rng)

    def judge(outcome: object) -> Iterator[str]:
        if not expected.is_owner(asker):
            yield from expected.denied(outcome)
        elif moment.earliest is None:
            seen = {(one.node_id, one.parent_id, one.name) for one in world.readable(asker, asker.graph)}
            given = (
                {(one.node_id, one.parent_id, one.name) for one in outcome} if isinstance(outcome, tuple) else outcome
            )
            yield from expected.differing("tree", seen, given)

    return question(world, asker, "", lambda memory: memory.nodes.tree(moment), judge, moment)


@draws.of("timeline", 1)
def timeline(world: World, rng: Random) -> Operation:
    """How many records each node of a graph has, day by day, only for its owner."""
    asker = any_principal(world, rng)

    def judge(outcome: object) -> Iterator[str]:
        if not expected.is_owner(asker):
            yield from expected.denied(outcome)
        else:
            nodes = [place.node_id for place in world.readable(asker, asker.graph)]
            held = {node: len(world.held[node]) for node in nodes if world.held[node]}
            given: Counter[UUID] = Counter()
            for one in outcome if isinstance(outcome, tuple) else ():
                given[one.node_id] += one.records
            yield from expected.differing("timeline", held, dict(given))

    return question(world, asker, "", lambda memory: memory.nodes.timeline(), judge)


@draws.of("metadata", 10)
def metadata(world: World, rng: Random) -> Operation:
    """All pages of a node's records."""
    asker = any_principal(world, rng)
    node, limit, moment = some_node(world, asker, rng), rng.choice((1, 3, 50)), some_moment(world, asker, rng)
    judge = partial(expected.metadata, world, asker, node, moment)

    def ask(memory: Memory) -> Awaitable[object]:
        return all_records(partial(memory.nodes.metadata, node, limit=limit, moment=moment))

    return question(world, asker, str(node), ask, judge, moment)


@draws.of("anchors", 8)
def anchors(world: World, rng: Random) -> Operation:
    """All nodes with a name."""
    asker = any_principal(world, rng)
    node = world.places.get(some_node(world, asker, rng))
    name = node.name if node and rng.random() < 0.5 else SHARED_ALIAS
    formers = list(world.former)
    name = rng.choice(formers) if formers and rng.random() < 0.1 else name
    moment = some_moment(world, asker, rng)

    def judge(outcome: object) -> Iterator[str]:
        if name not in world.former:
            yield from expected.anchors(world, asker, name, moment, outcome)

    return question(world, asker, name, lambda memory: memory.nodes.anchors(name, moment), judge, moment)


@draws.of("edges", 5)
def edges(world: World, rng: Random) -> Operation:
    """All cross-node edges."""
    asker = any_principal(world, rng)
    moment = some_moment(world, asker, rng)
    judge = partial(expected.edges, world, asker, moment)
    return question(world, asker, "", lambda memory: memory.edges.list(moment), judge, moment)


@draws.of("file", 8)
def read_file(world: World, rng: Random) -> Operation:
    """A file, at its own node or at another."""
    asker = any_principal(world, rng)
    node = some_node(world, asker, rng)
    at_node = world.held[node] if node in world.places else []
    record = rng.choice(at_node or list(world.written.values()))
    node = node if rng.random() < 0.2 else record.node_id
    judge = partial(expected.file, world, asker, node, record)
    about = f"{record.file_id} at {node}"
    return question(world, asker, about, lambda memory: memory.files.read(node, record.file_id), judge)


@draws.of("file state", 6)
def file_state(world: World, rng: Random) -> Operation:
    """The state of a file: read or changed."""
    asker = any_principal(world, rng)
    record = rng.choice(list(world.written.values()))
    node = record.node_id if rng.random() < 0.9 else some_node(world, asker, rng)
    command = rng.choice(("state", "wake", "sleep"))
    judge = partial(expected.file_state, world, asker, node, record, command == "sleep")
    about = f"{command} {record.file_id} at {node}"
    return question(world, asker, about, lambda memory: getattr(memory.files, command)(node, record.file_id), judge)


@draws.of("listing", 3)
def listing(world: World, rng: Random) -> Operation:
    """The grants of the graph, or of one node."""
    asker = any_principal(world, rng)
    node, ended = (some_node(world, asker, rng) if rng.random() < 0.5 else None), rng.random() < 0.5

    def judge(outcome: object) -> Iterator[str]:
        if not expected.is_owner(asker):
            yield from expected.denied(outcome)
            return
        mine = {
            right.grant_id
            for right in world.rights.values()
            if world.owns(asker, right.node_id) and node in (None, right.node_id) and (ended or not right.ended)
        }
        given = {grant.grant_id for grant in outcome} if isinstance(outcome, tuple) else outcome
        yield from expected.differing("grants", mine, given)

    async def ask(memory: Memory) -> object:
        return await memory.grants.list(node_id=node, ended=ended, limit=500)

    return question(world, asker, f"{node} {ended}", ask, judge)


@draws.of("audience", 2)
def audience(world: World, rng: Random) -> Operation:
    """Who can see a node."""
    asker = any_principal(world, rng)
    node = some_node(world, asker, rng)

    def judge(outcome: object) -> Iterator[str]:
        if not (expected.is_owner(asker) and world.owns(asker, node)):
            yield from expected.denied(outcome)
            return
        readers = {Asker("user", world.places[node].user_id, node), *_readers(world, node)}
        given: Any = outcome
        yield from expected.differing(
            "audience", {reader.principal_id for reader in readers}, {viewer.subject_id for viewer in given}
        )

    return question(world, asker, str(node), lambda memory: memory.grants.audience(node), judge)


def _readers(world: World, node: UUID) -> Iterator[Asker]:
    graph = world.places[node].user_id
    for place in world.places.values():
        asker = Asker("persona", place.node_id, graph)
        if place.node_type == "persona" and world.reads(asker, node):
            yield asker
    for integration in world.integrations:
        asker = Asker("third_party", integration, graph)
        if world.reads(asker, node):
            yield asker


@draws.of("log", 2)
def log(world: World, rng: Random) -> Operation:
    """The newest lines of the audit log."""
    asker = any_principal(world, rng)

    def judge(outcome: object) -> Iterator[str]:
        given: Any = outcome
        if not expected.is_owner(asker):
            yield from expected.denied(outcome)
            return
        strange = [entry for entry in given if entry.node_id in world.places and not world.owns(asker, entry.node_id)]
        yield from expected.differing("lines of other graphs", [], strange)
        subjects = {right.subject_id for right in world.rights.values() if world.owns(asker, right.node_id)}
        named = [entry.actor_id for entry in given if entry.actor_kind in ("user", "persona", "third_party")]
        foreign = [actor for actor in named if actor not in subjects and not world.owns(asker, actor)]
        yield from expected.differing("actors that the user may not know", [], foreign)
        if not given:
            yield "the log is empty"

    def ask(memory: Memory) -> Awaitable[object]:
        return memory.grants.log(limit=100)

    async def asked(engine: Engine) -> object:
        return await outcome_of(ask(engine.memory_as(asker.principal)))

    return Operation(asker, "", asked, judge)
