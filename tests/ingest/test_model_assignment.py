"""A language model says where content goes, over its service's real protocol; where it says nothing usable, the rules do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import pytest

from engine.domain.assignment import AssignmentFilter
from engine.domain.history import Conversation, History, Turn
from engine.domain.ingest import Limits, Terms
from engine.domain.node import NewNode, User
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.model_server import BROKEN, NOT_JSON, WRONG_FORM, Asked, Misbehaviour, ModelServer, model_server
from tests.reader import reader

READ = {"summary": "Bob spoke.", "facts": []}
MIXED = (
    Turn("Bob", "The hull needs paint before spring."),
    Turn("Iris", "Which colour?"),
    Turn("Bob", "Blue. And the auditor comes on Monday."),
    Turn("Iris", "Are the books closed?"),
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: READ) as running:
        yield running


@pytest.fixture
async def mine(engine: Engine, settings: Settings, server: ModelServer, user: User) -> AsyncIterator[Memory]:
    async with reader(settings, server) as opened:
        yield opened.memory(user.user_id)


@pytest.fixture
async def places(memory: Memory, user: User) -> dict[str, UUID]:
    """Nodes whose names say nothing that the content says."""
    return {
        name: (await memory.nodes.provision(NewNode(user.user_id, name, keywords=(word,)))).node_id
        for name, word in (("Loon", "sailing"), ("Taxes", "accounting"))
    }


def parts(*placed: tuple[int, int, int, float], new: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    found = [
        {"first_piece": first, "last_piece": last, "node": node, "confidence": sure, "reason": f"about {node}"}
        for first, last, node, sure in placed
    ]
    return {"parts": found, "new_nodes": list(new)}


def number_of(asked: Asked, name: str) -> int:
    """The number under which the model was told of a node."""
    line = next(line for line in asked.text.splitlines() if line.startswith("[") and f"/{name}" in line.split(" (")[0])
    return int(line[1 : line.index("]")])


@pytest.mark.ledger("N07", "N14")
async def test_the_model_parts_a_conversation_and_its_reasons_are_kept(
    mine: Memory, server: ModelServer, places: dict[str, UUID]
) -> None:
    server.place = lambda asked: parts((0, 1, number_of(asked, "Loon"), 0.9), (2, 9, number_of(asked, "Taxes"), 0.6))
    report = await mine.records.remember(Conversation("c", MIXED, "An evening"))
    assert {record.node_id: record.confidence for record in report.records} == {
        places["Loon"]: 0.9,
        places["Taxes"]: 0.6,
    }
    [asked] = server.placements
    assert "(sailing)" in asked.text and "[3] Iris: Are the books closed?" in asked.text
    lines = await mine.records.assignments(AssignmentFilter(decided_by="model"))
    assert {line.node_id for line in lines} == set(places.values())
    assert all(line.reasons["model"] == "openai:small" and line.reasons["units"] == 2 for line in lines)
    assert report.extraction.calls == 3  # one says where, one reads each record
    longer = (*MIXED, Turn("Bob", "Yes, all of them."))
    await mine.records.remember(Conversation("c", longer, "An evening"))
    assert "hull" not in server.placements[-1].text.split("pieces:")[1]  # what is stored is not placed again
    report = await mine.records.remember(Conversation("d", MIXED), node_id=places["Loon"])
    assert [record.node_id for record in report.records] == [places["Loon"]] and len(server.placements) == 2


@pytest.mark.ledger("N07")
@pytest.mark.parametrize("sure", [0.9, 0.5])
async def test_a_node_that_the_model_misses_is_created_where_it_is_sure(
    mine: Memory, server: ModelServer, user: User, places: dict[str, UUID], sure: float
) -> None:
    def place(asked: Asked) -> dict[str, Any]:
        wanted = {"name": "Hull", "parent": number_of(asked, "Loon"), "type": "concept", "keywords": ["paint"],
                  "summary": "The hull of the Loon.", "confidence": sure}  # fmt: skip
        return parts((0, 3, 3, sure), new=(wanted,))

    server.place = place
    report = await mine.records.remember(Conversation("c", MIXED))
    assert "nodes may be created" in server.placements[0].text
    [record] = report.records
    [line] = await mine.records.assignments()
    if sure < 0.8:
        assert (record.node_id, report.nodes_created) == (places["Loon"], 0)
        return
    shell = await mine.nodes.shell(record.node_id)
    assert (shell.name, shell.summary, shell.keywords) == ("Hull", "The hull of the Loon.", ("paint",))
    assert (report.nodes_created, line.created_node, line.decided_by) == (1, True, "model")
    private = await mine.records.remember(Conversation("p", MIXED), privacy="private")
    assert "no nodes may be created" in server.placements[-1].text and private.nodes_created == 0


async def test_what_is_beyond_one_call_is_placed_by_the_rules(
    engine: Engine, settings: Settings, server: ModelServer, user: User, places: dict[str, UUID]
) -> None:
    server.place = lambda asked: parts((0, 999, number_of(asked, "Loon"), 0.9))
    turns = tuple(Turn("Bob", f"Accounting, number {number}, and nothing else but accounting.") for number in range(60))
    async with reader(settings, server, language_model_characters=1000) as opened:
        report = await opened.memory(user.user_id).records.remember(Conversation("c", turns))
        lines = await opened.memory(user.user_id).records.assignments()
    shown = sum(line.startswith("[") for line in server.placements[0].text.split("pieces:")[1].splitlines())
    assert 0 < shown < 60
    assert report.turns == 60
    units = {line.node_id: (line.decided_by, line.reasons["units"]) for line in lines}
    assert units == {places["Loon"]: ("model", shown), places["Taxes"]: ("engine", 60 - shown)}


async def test_many_sources_are_asked_about_at_once_and_found_again_for_nothing(
    mine: Memory, server: ModelServer, user: User, places: dict[str, UUID]
) -> None:
    server.pause = 0.2
    server.place = lambda asked: parts((0, 3, number_of(asked, "Loon"), 0.9))
    talks = tuple(Conversation(f"c{number}", (*MIXED, Turn("Bob", f"Number {number}."))) for number in range(5))
    report = await mine.ingests.history(History(user.handle, user.display_name, talks))
    assert len(server.placements) == 5 and server.most_at_once > 1
    assert {record.node_id for record in report.records} == {places["Loon"]} and report.nodes_created == 0


@pytest.mark.parametrize(
    "bad", [NOT_JSON, WRONG_FORM, BROKEN, Misbehaviour(content='{"parts": [{"first_piece": 0, "last_piece": 3, "node": 99}]}')],
    ids=["prose", "another form", "500", "a node that is not there"],
)  # fmt: skip
async def test_without_a_usable_answer_the_rules_decide(
    mine: Memory, server: ModelServer, places: dict[str, UUID], bad: Misbehaviour
) -> None:
    server.place_script = [bad]
    report = await mine.records.remember(
        Conversation("c", (Turn("Bob", "Sailing on the Loon, and then more sailing."),))
    )
    assert [record.node_id for record in report.records] == [places["Loon"]]
    [line] = await mine.records.assignments()
    assert line.decided_by == "engine" and line.reasons["words"]


@pytest.mark.ledger("N07")
async def test_a_limit_leaves_the_place_to_the_rules_and_says_so(
    mine: Memory, server: ModelServer, places: dict[str, UUID]
) -> None:
    limited = mine.on_terms(Terms(limits=Limits(model_calls=0)))
    report = await limited.records.remember(
        Conversation("c", (Turn("Bob", "Sailing on the Loon, and then more sailing."),))
    )
    assert server.placements == [] and [record.node_id for record in report.records] == [places["Loon"]]
    assert {one.what for one in report.left_out} >= {"placements", "readings"}
