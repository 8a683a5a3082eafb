"""A search explains itself on request: what was read, what found the candidates, the parts of each score, what was left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.read_limits import ReadLimits
from engine.domain.search import Explanation, SearchAnswer, SearchRequest
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

BOATS = tuple(Turn(("Bob", "Iris")[n % 2], f"The boat number {n} leaks at the {place}.") for n, place in enumerate(
    ("pier", "weir", "quay", "dune", "ford", "mill", "lock", "reef", "spit", "tarn")))  # fmt: skip
ASKED = SearchRequest("Which boat leaks at the quay?", 3, explain=True)


@pytest.fixture
async def lake(memory: Memory, user: User) -> UUID:
    """Ten turns about boats at Lake, beside Work and the root."""
    lake = await memory.nodes.provision(NewNode(user.user_id, "Lake"))
    await memory.nodes.provision(NewNode(user.user_id, "Work"))
    await memory.records.remember(Conversation("boats", BOATS), node_id=lake.node_id)
    return lake.node_id


def explanation(answer: SearchAnswer) -> Explanation:
    assert answer.explanation is not None
    shown, left = len(answer.hits), answer.explanation.not_shown
    reasons = left.limit + left.tokens + left.earlier_pages + left.damaged + left.gone
    assert shown + reasons == answer.explanation.candidates.total, "each candidate is a hit, or it is said why not"
    return answer.explanation


@pytest.mark.ledger("X02", "L06")
async def test_an_answer_says_what_was_read_and_what_found_its_candidates(memory: Memory, lake: UUID) -> None:
    told = explanation(await memory.search(replace(ASKED, nodes=(lake,))))
    assert (told.searched, told.nodes_exact, told.nodes_by_index, told.items_read) == ("asked", 1, (), 10)
    found = told.candidates
    assert (found.total, found.words, found.meaning, found.entities, found.neighbours) == (10, 10, 10, 0, 0)
    assert (told.not_shown.limit, told.not_shown.other_nodes) == (7, 2), "the root and Work"
    everywhere = explanation(await memory.search(replace(ASKED, widen="always")))
    assert (everywhere.searched, everywhere.nodes_exact, everywhere.not_shown.other_nodes) == ("all", 3, 0)
    led = explanation(await memory.search(replace(ASKED, query="Which boat leaks at Lake?", widen="never")))
    assert led.searched == "anchors" and led.recall is None


@pytest.mark.ledger("X02", "L06")
async def test_without_anchors_and_not_widened_nothing_was_searched(memory: Memory) -> None:
    told = explanation(await memory.search(replace(ASKED, query="Zzyzx?", widen="never")))
    assert (told.searched, told.nodes_exact, told.items_read, told.not_shown.other_nodes) == ("anchors", 0, 0, 1)


@pytest.mark.ledger("X02", "L06")
async def test_the_parts_of_a_score_make_the_score(memory: Memory, lake: UUID) -> None:
    answer = await memory.search(ASKED)
    for hit in answer.hits:
        assert hit.explanation is not None and hit.explanation.weights == "turn"
        parts = hit.explanation.signals
        assert hit.explanation.offset + sum(one.share for one in parts.values()) == pytest.approx(hit.score, abs=0.002)
        assert {name: one.share for name, one in parts.items() if one.share} == hit.signals
        assert all(one.share == pytest.approx(one.value * one.weight, abs=0.002) for one in parts.values())
        assert "meaning" in hit.explanation.found_by
    assert answer.hits[0].explanation.signals["words"].value > 1, "scores before they are weighed"


@pytest.mark.ledger("X02", "N24")
async def test_an_explanation_costs_no_trip_and_is_not_there_unasked(
    engine: Engine, memory: Memory, lake: UUID
) -> None:
    plain = await memory.search(replace(ASKED, explain=False))
    assert plain.explanation is None and {hit.explanation for hit in plain.hits} == {None}
    async with counted(engine) as trips:
        answer = await memory.search(replace(ASKED, recall=True))
    assert (trips.neo4j, trips.postgres) == (1, 2)
    assert explanation(answer).recall is None, "nothing was searched by index"
    assert [(hit.item_id, hit.score) for hit in answer.hits] == [(hit.item_id, hit.score) for hit in plain.hits]


@pytest.mark.ledger("X02", "L06")
async def test_what_tokens_and_earlier_pages_leave_out_is_counted(memory: Memory, lake: UUID) -> None:
    cut = await memory.search(ASKED, ReadLimits(max_tokens=15))
    assert explanation(cut).not_shown.tokens == 3 - len(cut.hits) > 0
    first = await memory.search(replace(ASKED, explain=False))
    second = await memory.search(replace(ASKED, cursor=first.next_cursor))  # a page may explain itself alone
    assert explanation(second).not_shown.earlier_pages == 3


@pytest.mark.ledger("X01", "X02")
async def test_an_explanation_counts_only_what_may_be_read(engine: Engine, memory: Memory, lake: UUID) -> None:
    secret = Conversation("secret", (Turn("Bob", "The boat at the quay is the smuggler's."),), privacy="private")
    await memory.records.remember(secret, node_id=lake)
    integration = await engine.workspace.integrations.create(f"reader {uuid4().hex[:6]}")
    await memory.grants.give(NewGrant(lake, "third_party", integration.integration_id))
    reader = engine.memory_as(Principal("third_party", integration.integration_id, memory.principal.user_id))
    told = explanation(await reader.search(replace(ASKED, widen="always", recall=True)))
    assert (told.items_read, told.candidates.total, told.nodes_exact, told.not_shown.other_nodes) == (10, 10, 1, 0)


@pytest.mark.ledger("X02", "L06")
async def test_rest_and_the_shell_explain(engine: Engine, user: User, lake: UUID, tmp_path: Path) -> None:
    transport = httpx.ASGITransport(new_door(engine=engine), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        url, body = f"/v1/users/{user.user_id}/search", {"query": ASKED.query, "limit": 3}
        plain, told = [(await door.post(url, json=body | more)).json() for more in ({}, {"explain": True})]
        assert plain["explanation"] is None and plain["hits"][0]["explanation"] is None
        assert told["explanation"]["candidates"]["total"] == 10 and told["explanation"]["nodes_by_index"] == []
        assert told["hits"][0]["explanation"]["signals"]["words"].keys() == {"value", "weight", "share"}
        assert (await door.post(url, json=body | {"explain": "yes"})).status_code == 422
    shell = Shell(engine, tmp_path, user.handle)
    said = await shell.prints("ask", ASKED.query, "--limit", "3", "--explain")
    assert (
        "10 by words, 10 by meaning" in said and "by the limit of hits" in said and "found by words and meaning" in said
    )
    assert "--explain" in (await typed(engine, tmp_path, user.handle, "ask", "boat", "--answer", "--explain")).stderr
