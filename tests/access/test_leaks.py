"""The leak fuzzer over the whole public surface and the request role; `test_leaks_…` prove that it would notice a hole."""

from __future__ import annotations

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.search import Filters, SearchRequest
from engine.errors import NotFound, StoreUnavailable
from engine.lab.leaks import expected_search, fuzzer, people
from engine.lab.leaks.asking import outcome_of
from engine.lab.leaks.fuzzer import DRAWS, Run, fuzz
from engine.lab.leaks.model import World
from engine.lab.leaks.stored import owner
from engine.neurigraph import Engine
from engine.stores.limits import ending_within
from tests.access.mutations import SMALL

OPERATIONS, OPERATIONS_OF_LONG_FORM, ABOUT_ENTITIES = 400, 10_000, 300


@pytest.mark.ledger("N28", "N29", "N30", "N31", "X01", "F01")
async def test_random_operations_leak_nothing(engine: Engine, long: bool) -> None:
    count = OPERATIONS_OF_LONG_FORM if long else OPERATIONS
    report = await fuzz(engine, count=count, seed=20, size=None if long else SMALL)
    listed = "\n".join(f"{leak.operation} by {leak.asker}: {leak.wrong}" for leak in report.leaks)
    assert not report.leaks, listed
    assert report.operations >= count
    assert set(DRAWS) <= set(report.by_kind)


@pytest.mark.ledger("X01", "F01", "F09")
async def test_questions_about_entities_leak_nothing(engine: Engine, world: World) -> None:
    """Entities that are merged are asked for by few of all operations: here by each."""
    run = Run(engine, world, seed=1, kinds=people.draws, at_once=4)
    await run.go(ABOUT_ENTITIES, changing=False)
    assert not run.leaks, "\n".join(f"{one.operation} by {one.asker}: {one.wrong}" for one in run.leaks)


@pytest.mark.ledger("X01", "F01")
async def test_an_entity_of_another_graph_is_missing_for_a_user_as_for_anybody(engine: Engine, world: World) -> None:
    """The model says so, too: a run draws such a search once in a few hundred operations."""
    user, other = world.users
    wanted = next(one for one in world.written.values() if world.places[one.node_id].user_id == user)
    for moment in (NOW, Moment(known_at=world.marks[user][0])):
        for graph in (other, user):
            entity = next(one.entity_id for one in world.spoken.said if one.user_id == graph)
            request = SearchRequest(wanted.marker, moment=moment, filters=Filters(entities=(entity,)))
            outcome = await outcome_of(engine.memory(user).search(request))
            assert isinstance(outcome, NotFound) == (graph == other)
            assert not [*expected_search.search(world, owner(user), request, wanted, outcome)]


@pytest.mark.ledger("X01")
async def test_a_store_that_does_not_answer_is_no_leak(
    engine: Engine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the plan of a mutated statement may take longer than a read may: that is not that it was noticed."""
    monkeypatch.setattr(fuzzer, "PAUSES", (0.0,))
    run = Run(engine, world, seed=1, kinds=["tree"], at_once=2)
    with ending_within(0.0), pytest.raises(StoreUnavailable):
        await run.go(50, changing=False)
    assert not run.leaks
