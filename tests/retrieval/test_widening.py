"""Nodes make a search faster and hide no answer: what lies beside the anchors is searched where it may hold it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.search import SearchAnswer, SearchRequest
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval.pipeline import Search
from engine.retrieval.scoped_search import hides_answer
from engine.retrieval.weights import load_weights
from tests.unit.candidates import turn

WEIGHTS = load_weights()
GARDEN = (
    "The hedge wants cutting before June.",
    "Tomatoes again, four plants.",
    "The pond pump hums at night.",
    "Slugs ate the lettuce.",
)
DOCTOR = (
    "My shoulder aches since the fall.",
    "So I let Petra's wheelbarrow rally go, the physio insists.",
    "Six sessions are paid for.",
)
ASKED = SearchRequest("Why did I skip the wheelbarrow rally in the garden?", 5, explain=True)


@pytest.fixture
async def nodes(memory: Memory, user: User) -> dict[str, UUID]:
    """A garden, which the question names, and a shoulder, where its answer lies."""
    found = {}
    for name, said in (("Garden", GARDEN), ("Shoulder", DOCTOR)):
        node = await memory.nodes.provision(NewNode(user.user_id, name))
        await memory.records.remember(
            Conversation(name, tuple(Turn("Iris", text) for text in said)), node_id=node.node_id
        )
        found[name] = node.node_id
    return found


async def searched(engine: Engine, memory: Memory, request: SearchRequest = ASKED, **limits: float) -> SearchAnswer:
    """The answer with other limits of widening."""
    weights = replace(WEIGHTS, widening=replace(WEIGHTS.widening, **limits))
    return await Search(engine.postgres, engine.neo4j, engine.active, weights).search(memory.principal, request)


def told(answer: SearchAnswer) -> tuple[str | None, int]:
    assert answer.explanation is not None and answer.anchors, "the question leads to a node"
    return answer.explanation.widened_by, answer.nodes_searched


@pytest.mark.ledger("N24", "X02")
async def test_where_little_can_be_read_all_of_it_is_searched(
    engine: Engine, memory: Memory, nodes: dict[str, UUID]
) -> None:
    async with counted(engine) as trips:
        answer = await memory.search(ASKED)
    assert (trips.neo4j, trips.postgres) == (1, 2)
    assert told(answer) == ("few_items", 3) and answer.widened, "the root, too"
    assert answer.hits[0].content == DOCTOR[1] and "few items" in answer.hits[0].why
    kept = await memory.search(replace(ASKED, widen="never"))
    assert told(kept) == (None, 2) and DOCTOR[1] not in {hit.content for hit in kept.hits}


@pytest.mark.ledger("N24", "X02")
async def test_nodes_that_hold_a_rare_word_of_the_question_are_searched_beside_the_anchors(
    engine: Engine, memory: Memory, nodes: dict[str, UUID], user: User
) -> None:
    other = await memory.nodes.provision(NewNode(user.user_id, "Attic"))
    await memory.records.remember(Conversation("attic", (Turn("Iris", "A box of skates."),)), node_id=other.node_id)
    async with counted(engine) as trips:
        answer = await searched(engine, memory, few_items=1, rare_share=0.2, weak_hit=-9)
    assert (trips.neo4j, trips.postgres) == (1, 2)
    assert told(answer) == ("rare_words", 3) and not answer.widened, "garden, shoulder and the root, no attic"
    assert answer.hits[0].content == DOCTOR[1] and "rare word" in answer.hits[0].why
    common = await searched(engine, memory, few_items=1, rare_share=0.01, weak_hit=-9)
    assert told(common) == (None, 2)


@pytest.mark.ledger("N24", "X02")
async def test_a_weak_best_hit_widens_by_one_more_trip(engine: Engine, memory: Memory, nodes: dict[str, UUID]) -> None:
    async with counted(engine) as trips:
        answer = await searched(engine, memory, few_items=1, rare_share=0, weak_hit=99)
    assert (trips.neo4j, trips.postgres) == (1, 3)
    assert told(answer) == ("weak_hit", 3) and answer.widened
    named = await searched(
        engine, memory, replace(ASKED, nodes=(nodes["Garden"],)), few_items=1, rare_share=0, weak_hit=99
    )
    assert named.nodes_searched == 1 and not named.widened


@pytest.mark.ledger("N24", "X01")
async def test_widening_tells_nothing_of_what_is_hidden(engine: Engine, memory: Memory, nodes: dict[str, UUID]) -> None:
    integration = await engine.workspace.integrations.create(f"reader {uuid4().hex[:6]}")
    await memory.grants.give(NewGrant(nodes["Garden"], "third_party", integration.integration_id))
    reader = engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))
    for limits in ({"few_items": 1, "rare_share": 0.3, "weak_hit": -9}, {"few_items": 5}):
        answer = await searched(engine, reader, **limits)
        assert answer.nodes_searched == 1 and told(answer)[0] != "rare_words"
        assert {hit.node_id for hit in answer.hits} == {nodes["Garden"]}
    assert told(answer)[0] == "few_items", "what is hidden is not counted"


def test_what_is_weak_is_told_by_the_nearest_item_and_without_vectors_by_words() -> None:
    limits = replace(WEIGHTS.widening, weak_hit=2.0)
    near, far = turn(0, meaning_overall=2.5), turn(1, meaning_overall=0.5, words_overall=9.0)
    assert (hides_answer([], limits), hides_answer([far], limits)) == ("nothing_found", "weak_hit")
    assert hides_answer([far, near], limits) is None
    assert hides_answer([turn(2, cosine=None, words_overall=3.0)], limits) is None
