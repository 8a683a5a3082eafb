"""What a model reads out of what is stored; without it, or with an answer that cannot be used, nothing is lost."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope
from engine.domain.search import Hit, SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.door import new_door
from tests.model_server import (
    BROKEN,
    ERROR_INSIDE,
    NOT_JSON,
    WRONG_FORM,
    Misbehaviour,
    ModelServer,
)
from tests.reader import ANSWER, TURNS, WHEN, kinds, reader, windowed

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users


async def fields(memory: Memory, hit: Hit) -> dict[str, Any]:
    state = await memory.history.state("item", hit.item_id, node_id=hit.node_id)
    assert state.fields is not None
    return dict(state.fields)


# without a model ------------------------------------------------------------------------------------------


@pytest.mark.ledger("L02")
async def test_without_a_model_the_whole_input_is_one_fact(memory: Memory, user: User) -> None:
    report = await memory.records.remember(Conversation("c", TURNS, started_at=WHEN))
    assert (report.items, report.extraction.whole, report.extraction.model) == (3, 1, "")
    [fact] = await kinds(memory, "fact")
    assert fact.content == "\n".join(turn.text for turn in TURNS)
    assert (fact.section, fact.source, fact.record_id) == ("", "ingested", report.records[0].record_id)
    assert (await fields(memory, fact))["category"] == "whole"
    usual = await memory.search(SearchRequest("Ellen tea sister", limit=100, widen="always"))
    assert (usual.items_searched, {hit.kind for hit in usual.hits}) == (3, {"turn"})
    assert (await memory.nodes.shell(user.user_id)).items == 3


async def test_a_long_input_is_not_stored_twice(memory: Memory) -> None:
    text = "\n\n".join(f"Paragraph {number} tells of the harbour and its boats." for number in range(1200))
    await memory.records.remember_text("Harbour", text)
    [fact] = await kinds(memory, "fact", query="harbour")
    assert len(fact.content) < 5000 and "harbour" in fact.content


# with a model ---------------------------------------------------------------------------------------------


@pytest.mark.ledger("N09", "N17", "L01", "F04")
async def test_a_model_gives_summary_keywords_facts_and_observations(
    reads: Engine, user: User, server: ModelServer
) -> None:
    memory = reads.memory(user.user_id)
    report = await memory.records.remember(Conversation("c", TURNS, "A call", WHEN))
    found = report.extraction
    assert (found.model, found.calls, found.cached, found.whole) == (
        "openai:small",
        2,
        0,
        0,
    )  # where it goes, what it says
    assert (found.facts, found.observations, found.summaries, found.failures) == (2, 2, 0, ())
    assert (found.input_tokens, found.output_tokens, found.cost) == (200, 40, 0.0006)
    assert report.items == 7
    record = (await memory.nodes.metadata(user.user_id)).records[0]
    assert record.summary == ANSWER["summary"]
    assert (list(record.kw_entities), list(record.kw_relationships)) == (["Ellen", "Duluth"], ["sister"])
    assert (list(record.kw_topics), list(record.kw_dates)) == (["moving"], ["2024-05-03"])
    moved, tea = sorted(await kinds(memory, "fact"), key=lambda hit: hit.content, reverse=True)
    moved, tea = (moved, tea) if moved.content.startswith("Ellen") else (tea, moved)
    assert (moved.section, moved.source, moved.source_ref, moved.position) == ("event", "extracted", "t0", 0)
    assert moved.occurred_at == datetime(2024, 5, 3, tzinfo=UTC)
    known = await fields(memory, moved)
    assert (known["category"], known["tags"], known["subjects"]) == ("family", ["move"], ["Ellen"])
    assert (known["confidence"], known["importance"]) == (0.9, 0.7)
    assert (tea.section, tea.source_ref, tea.occurred_at) == ("preference", "t2", WHEN)
    known = await fields(memory, tea)
    assert (known["category"], known["confidence"], known["importance"]) == ("", 1.0, 0.5)
    assert {hit.content for hit in await kinds(memory, "observation")} == {
        "Bob keeps in touch with his sister.", "Bob misses his sister.",
    }  # fmt: skip
    assert "[0] Bob: My sister Ellen" in server.requests[0].text and "2024-05-08" in server.requests[0].text
    names = (str(user.user_id), (await memory.nodes.shell(user.user_id)).schema_name)
    findings = await reads.doctor.examine()
    assert [found for found in findings if any(name in found.subject for name in names)] == []


async def test_what_is_found_is_searched_beside_the_turns_and_by_its_source(reads: Engine, user: User) -> None:
    memory = reads.memory(user.user_id)
    await memory.records.remember(Conversation("c", TURNS, started_at=WHEN))
    hits = (await memory.search(SearchRequest("Who moved to Duluth?", limit=3))).hits
    assert any(hit.kind == "fact" and "Duluth" in hit.content for hit in hits)
    hits = (await memory.search(SearchRequest("Who moved to Duluth?", limit=9, sources=("ingested",)))).hits
    assert {hit.kind for hit in hits} == {"turn"}


@pytest.mark.ledger("F04")
async def test_an_observation_has_its_fields_and_a_private_one_is_the_users_alone(reads: Engine, user: User) -> None:
    memory = reads.memory(user.user_id)
    await memory.records.remember(Conversation("c", TURNS, "A call", WHEN), node_id=user.user_id)
    kept = next(hit for hit in await kinds(memory, "observation") if "keeps in touch" in hit.content)
    known = await fields(memory, kept)
    assert (known["importance"], known["tags"], known["subjects"]) == (0.4, ["family"], ["Bob"])
    dave = await memory.nodes.provision(NewNode(user.user_id, "Dave", "persona"))
    await memory.grants.give(NewGrant(user.user_id, "persona", dave.node_id))
    persona = reads.memory_as(Principal("persona", dave.node_id, user.user_id))
    assert {hit.content for hit in await kinds(persona, "observation")} == {"Bob keeps in touch with his sister."}
    assert len(await kinds(memory, "observation")) == 2


@pytest.mark.ledger("F04")
async def test_an_observation_stands_once_in_a_node(reads: Engine, user: User) -> None:
    memory = reads.memory(user.user_id)
    node = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    first = await memory.records.remember(Conversation("a", TURNS, started_at=WHEN))
    both = await memory.records.remember(Conversation("b", (Turn("Bob", "Ellen called again."),)))
    beside = await memory.records.remember(Conversation("d", (Turn("Bob", "Ellen wrote."),)), node_id=node.node_id)
    counts = [report.extraction.observations for report in (first, both, beside)]
    assert counts == [2, 0, 2]
    assert Counter(hit.content for hit in await kinds(memory, "observation")).most_common(1)[0][1] == 2


async def test_what_is_private_is_the_users_alone(reads: Engine, user: User) -> None:
    memory = reads.memory(user.user_id)
    await memory.within(MemoryScope("thread", "t1")).records.remember(Conversation("s", TURNS))
    assert await kinds(memory, "fact", "observation") == []
    inside = memory.within(MemoryScope("thread", "t1"))
    assert len(await kinds(inside, "fact", "observation")) == 4
    assert {hit.source for hit in await kinds(inside, "fact")} == {"extracted"}


@pytest.mark.ledger("F05")
async def test_a_long_record_has_summaries_of_windows_that_cover_it(
    engine: Engine, settings: Settings, server: ModelServer, user: User
) -> None:
    server.reply = windowed
    turns = tuple(Turn("Bob", f"Heron number {number} nests at the bay.", ref=f"t{number}") for number in range(90))
    async with reader(settings, server, language_model_characters=3000) as reads:
        memory = reads.memory(user.user_id)
        report = await memory.records.remember(Conversation("c", turns))
        assert report.extraction.calls - len(server.placements) == len(server.requests) > 1
        spans = await covered(reads, user)
        assert report.extraction.summaries == len(spans)
    assert sorted(place for start, end in spans for place in range(start, end)) == list(range(90))


AT_LIMIT = Misbehaviour(content='{"summary": "Herons nest", "facts": [{"text": "Heron', at_limit=True)


@pytest.mark.ledger("L02")
async def test_a_record_whose_answer_was_cut_is_read_in_halves(reads: Engine, user: User, server: ModelServer) -> None:
    server.reply, server.script = windowed, [AT_LIMIT, AT_LIMIT]
    turns = tuple(Turn("Bob", f"Heron number {number} nests at the bay.", ref=f"t{number}") for number in range(8))
    memory = reads.memory(user.user_id)
    found = (await memory.records.remember(Conversation("c", turns))).extraction
    assert (found.whole, found.failures, len(server.requests)) == (0, (), 5), (
        "all, a half, its two quarters, the other half"
    )
    spans = await covered(reads, user)
    assert sorted(place for start, end in spans for place in range(start, end)) == list(range(8))


@pytest.mark.ledger("L02")
async def test_what_cannot_be_read_in_its_smallest_part_is_told(reads: Engine, user: User, server: ModelServer) -> None:
    server.script = [AT_LIMIT] * 100
    found = (await reads.memory(user.user_id).records.remember(Conversation("c", TURNS, "A call", WHEN))).extraction
    assert found.whole == 1 and len(server.requests) == 5
    [failure] = found.failures
    assert "cut" in failure.reason


async def covered(engine: Engine, user: User, kind: str = "summary") -> list[tuple[int, int]]:
    """The spans of the items of a kind at the root, as they are stored."""
    schema = (await engine.memory(user.user_id).nodes.writable())[0].schema_name
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            f"SELECT lower(span) AS first, upper(span) AS last FROM {schema}.memory_items WHERE kind = %s", [kind]
        )
        return [(row["first"], row["last"]) for row in await cursor.fetchall()]


async def test_a_fact_of_a_document_says_at_which_characters_it_stands(
    reads: Engine, user: User, server: ModelServer
) -> None:
    text = "# Boat\n\nThe boat was sold in May.\n\n# House\n\nThe house needs a roof.\n"
    fact = {"text": "The house needs a roof.", "first_line": 1, "last_line": 1}
    server.reply = lambda asked: {"summary": "A boat, a house.", "facts": [fact]}
    await reads.memory(user.user_id).records.remember_text("Things", text)
    assert [text[start:end] for start, end in await covered(reads, user, "fact")] == ["The house needs a roof."]
    assert "[1] House: The house" in server.requests[0].text


async def test_who_is_not_the_user_neither_reads_nor_keeps_answers(
    reads: Engine, user: User, server: ModelServer
) -> None:
    owner = reads.memory(user.user_id)
    dave = await owner.nodes.provision(NewNode(user.user_id, "Dave", "persona"))
    await owner.grants.give(NewGrant(dave.node_id, "persona", dave.node_id, "read_write"))
    persona = reads.memory_as(Principal("persona", dave.node_id, user.user_id))
    for name in ("a", "b"):
        report = await persona.records.remember(Conversation(name, TURNS, "A call", WHEN), node_id=dave.node_id)
        assert (report.extraction.calls, report.extraction.cached, report.extraction.failures) == (1, 0, ())
    again = await owner.records.remember(Conversation("c", TURNS, "A call", WHEN), node_id=dave.node_id)
    assert again.extraction.calls == 1
    observations = await kinds(persona, "observation")
    assert len([hit for hit in observations if hit.content == "Bob keeps in touch with his sister."]) == 2


async def test_the_same_content_again_is_not_paid_twice(
    reads: Engine, user: User, server: ModelServer, engine: Engine
) -> None:
    memory = reads.memory(user.user_id)
    await memory.records.remember(Conversation("a", TURNS, "A call", WHEN))
    again = await memory.records.remember(Conversation("b", TURNS, "A call", WHEN))
    assert (again.extraction.calls, again.extraction.cached, again.extraction.input_tokens) == (0, 2, 0)
    assert (again.extraction.facts, again.extraction.cost, len(server.requests)) == (2, 0, 1)
    other = await engine.workspace.users.create(f"{user.handle}-2")
    theirs = await reads.memory(other.user_id).records.remember(Conversation("a", TURNS, "A call", WHEN))
    assert (theirs.extraction.calls, theirs.extraction.cached) == (2, 0)  # what is kept is each user's own


@pytest.mark.ledger("L02")
@pytest.mark.parametrize(
    "scripted",
    [NOT_JSON, WRONG_FORM, ERROR_INSIDE, BROKEN, Misbehaviour(content='{"summary": "x", "facts": "none"}')],
    ids=["prose", "another form", "an error inside", "500", "facts that are none"],
)
async def test_an_answer_that_cannot_be_used_loses_nothing(
    reads: Engine, user: User, server: ModelServer, scripted: Misbehaviour
) -> None:
    memory = reads.memory(user.user_id)
    server.script = [scripted]
    report = await memory.records.remember(Conversation("c", TURNS, "A call", WHEN))
    [failure] = report.extraction.failures
    assert (failure.record_id, failure.title) == (report.records[0].record_id, "A call") and failure.reason
    assert (report.turns, report.items, report.extraction.whole, report.extraction.facts) == (3, 3, 1, 0)
    [fact] = await kinds(memory, "fact")
    assert fact.content == "\n".join(turn.text for turn in TURNS)
    assert (await memory.nodes.metadata(user.user_id)).records[0].summary
    again = await memory.records.remember(Conversation("d", TURNS, "A call", WHEN))  # a failure is not kept
    assert (again.extraction.calls, again.extraction.facts) == (1, 2)


async def test_what_cannot_be_stored_is_taken_out_of_an_answer(reads: Engine, user: User, server: ModelServer) -> None:
    odd = {"text": "A\x00 \ud800fact", "event_date": "9999-99-99", "tags": ["a\x00", 7, None], "first_line": -5}
    odd |= {"type": "joke", "confidence": float("nan"), "last_line": 10**12, "subjects": None}
    server.script = [Misbehaviour(content=json.dumps({"summary": "S\x00", "facts": [odd, {"text": ""}, 7, odd]}))]
    report = await reads.memory(user.user_id).records.remember(Conversation("c", TURNS))
    assert (report.extraction.facts, report.extraction.failures) == (1, ())
    [fact] = await kinds(reads.memory(user.user_id), "fact")
    assert (fact.content, fact.section) == ("A fact", "fact")


async def test_a_search_never_asks_the_model(reads: Engine, user: User, server: ModelServer) -> None:
    memory = reads.memory(user.user_id)
    await memory.records.remember(Conversation("c", TURNS))
    asked = len(server.requests)
    await memory.search(SearchRequest("tea"))
    await memory.nodes.shell(user.user_id)
    assert len(server.requests) == asked == 1


async def test_the_answer_of_rest_tells_what_models_did(reads: Engine, user: User) -> None:
    turns = [{"speaker": turn.speaker, "text": turn.text} for turn in TURNS]
    transport = httpx.ASGITransport(new_door(reads.settings, engine=reads), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        body = {"conversation": {"id": "c", "turns": turns}}
        answer = await door.post(f"/v1/users/{user.user_id}/records", json=body)
    extraction = answer.json()["extraction"]
    assert (answer.status_code, extraction["calls"], extraction["facts"], extraction["cost"]) == (201, 2, 2, 0.0006)


# recorded answers -----------------------------------------------------------------------------------------
