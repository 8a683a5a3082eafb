"""What a write may take of language models, what it leaves out, and what it does at the same time."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from time import monotonic

import httpx
import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.ingest import Limits, Terms
from engine.domain.node import NewNode, User
from engine.domain.report import DeferredWork, IngestReport
from engine.domain.search import SearchRequest
from engine.ingest.extraction.form import Extracted, prompt_for
from engine.ingest.pipeline import Ingest
from engine.memory import Memory
from engine.naming.configuration import load_domain
from engine.neurigraph import Engine
from engine.providers.language import system_message
from engine.settings import Settings
from tests.door import new_door
from tests.encoder import MEETING, embedding
from tests.model_server import HANG, Asked, ModelServer
from tests.reader import ANSWER, TURNS, WHEN, kinds, reader, windowed

PROMPT = prompt_for(load_domain())

HERONS = tuple(Turn("Bob", f"Heron number {number} nests at the bay.", ref=f"t{number}") for number in range(90))


def within(memory: Memory, **limits: int) -> Memory:
    return memory.on_terms(Terms(limits=Limits(**limits)))


def left(report: IngestReport) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in report.left_out:
        assert one.reason
        total[one.what] += one.items
    return dict(total)


# limits ---------------------------------------------------------------------------------------------------


async def test_a_node_that_is_there_already_waits_for_no_vector_of_a_refused_one(engine: Engine, user: User) -> None:
    memory = engine.memory(user.user_id)
    await memory.nodes.provision(NewNode(user.user_id, "Herons"))
    await engine.derivations.run("vectors")
    before = await engine.derivations.waiting("vectors")
    again = await within(memory, tokens=0).nodes.provision(NewNode(user.user_id, "Herons"))
    assert not again.created and (await engine.derivations.waiting("vectors")) == before
    assert (await within(memory, tokens=0).nodes.provision(NewNode(user.user_id, "Egrets"))).created
    assert (await engine.derivations.waiting("vectors")) == before + 1


@pytest.mark.ledger("X08")
@pytest.mark.parametrize("limits", [{"model_calls": 0}, {"tokens": 300}, {"milliseconds": 0}])
async def test_what_a_limit_leaves_unread_holds_its_whole_input_as_a_fact_and_is_told(
    reads: Engine, user: User, server: ModelServer, limits: dict[str, int]
) -> None:
    memory = reads.memory(user.user_id)
    report = await within(memory, **limits).records.remember(
        Conversation("c", TURNS, "A call", WHEN), node_id=user.user_id
    )
    assert (report.turns, report.extraction.whole, report.extraction.calls, server.requests) == (3, 1, 0, [])
    assert report.extraction.failures == () and left(report)["readings"] == 3
    await reads.derivations.run("vectors")  # the fact is found by meaning alone
    [fact] = await kinds(memory, "fact")
    assert fact.content == "\n".join(turn.text for turn in TURNS)
    assert (await memory.search(SearchRequest("Duluth"))).hits
    roomy = within(memory, model_calls=1, tokens=100_000, milliseconds=600_000)
    again = await roomy.records.remember(Conversation("d", TURNS, "A call", WHEN), node_id=user.user_id)
    assert (again.left_out, again.extraction.calls, again.extraction.facts) == ((), 1, 2)


async def test_a_kept_answer_costs_nothing(reads: Engine, user: User, server: ModelServer) -> None:
    memory = reads.memory(user.user_id)
    await memory.records.remember(Conversation("a", TURNS, "A call", WHEN), node_id=user.user_id)
    again = await within(memory, model_calls=0).records.remember(
        Conversation("b", TURNS, "A call", WHEN), node_id=user.user_id
    )
    assert (again.left_out, again.extraction.cached, again.extraction.facts, len(server.requests)) == ((), 1, 2, 1)


async def test_a_long_record_is_read_as_far_as_the_limits_go(
    engine: Engine, settings: Settings, server: ModelServer, user: User
) -> None:
    server.reply = windowed
    async with reader(settings, server, language_model_characters=1500) as reads:
        report = await within(reads.memory(user.user_id), model_calls=2).records.remember(
            Conversation("c", HERONS), node_id=user.user_id
        )
    read = sum(line.startswith("[") for asked in server.requests for line in asked.text.splitlines())
    assert (len(server.requests), report.extraction.calls, report.extraction.whole) == (2, 2, 1)
    assert report.left_out == (DeferredWork("readings", 90 - read, "This operation may call models 2 times."),)
    assert 0 < read < 90 and report.extraction.summaries > 0


@pytest.mark.ledger("X08")
async def test_a_write_ends_at_its_limit_however_slow_the_model_is(
    engine: Engine, settings: Settings, server: ModelServer, user: User
) -> None:
    server.script = [HANG] * 100
    async with reader(settings, server, language_model_characters=1000, language_model_timeout_s=60) as reads:
        memory = reads.memory(user.user_id)
        began = monotonic()
        report = await within(memory, milliseconds=1500).records.remember(
            Conversation("c", HERONS), node_id=user.user_id
        )
        assert monotonic() - began < 30  # one attempt of the model may take 60 s
        assert left(report)["readings"] == 90
        assert {one.reason for one in report.left_out} == {"The 1500 ms of this operation were used up."}
        server.script = []
        assert (
            await memory.records.remember(Conversation("d", TURNS), node_id=user.user_id)
        ).extraction.facts == 2  # nobody holds it to be silent


async def test_what_a_model_found_may_be_left_without_vectors_and_what_came_in_has_its_own(
    reads: Engine, engine: Engine, user: User, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding(engine, monkeypatch) as calls:
        await reads.memory(user.user_id).records.remember(
            Conversation("c", TURNS, "A call", WHEN), node_id=user.user_id
        )
    given = [*calls[0], system_message(PROMPT, Extracted), server.requests[0].text]
    enough = sum(engine.embedder.count_tokens(text) for text in given)
    await engine.derivations.run("vectors")
    memory = reads.memory((await engine.workspace.users.create(f"{user.handle}-2")).user_id)
    report = await within(memory, tokens=enough).records.remember(
        Conversation("c", TURNS, "A call", WHEN), node_id=memory.principal.user_id
    )
    assert (report.embeddings_pending, report.extraction.facts, report.extraction.whole) == (1, 2, 0)
    assert report.left_out == (DeferredWork("embeddings", 5, f"This operation may give {enough} tokens to models."),)
    assert (await memory.nodes.metadata(memory.principal.user_id)).records[0].embedding_pending
    ran = await engine.derivations.run("vectors")
    assert (ran["filled"], ran["settled"]) == (5, 1)  # four items and the summary
    assert not (await memory.nodes.metadata(memory.principal.user_id)).records[0].embedding_pending


@pytest.mark.ledger("X08")
async def test_over_rest_a_write_says_what_was_not_read(reads: Engine, user: User, server: ModelServer) -> None:
    transport = httpx.ASGITransport(new_door(reads.settings, engine=reads), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        body = {"text": "The lease ends in June.", "node_id": str(user.user_id), "limits": {"model_calls": 0}}
        answer = await door.post(f"/v1/users/{user.user_id}/records", json=body)
    assert answer.status_code == 201 and server.requests == []
    assert answer.json()["left_out"] == [
        {"what": "readings", "items": 1, "reason": "This operation may call models 0 times."}
    ]


# at the same time -----------------------------------------------------------------------------------------


@pytest.mark.ledger("N14")
async def test_what_came_in_is_embedded_while_the_model_reads_it(
    reads: Engine, engine: Engine, user: User, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = threading.Barrier(2)

    def reply(_: Asked) -> object:
        met.wait(MEETING)  # broken, and no answer, unless the encoder comes while the model is asked
        return ANSWER

    server.reply = reply
    memory = reads.memory(user.user_id)
    with embedding(engine, monkeypatch, met) as calls:
        report = await memory.records.remember(Conversation("c", TURNS, "A call", WHEN))
    assert (report.extraction.failures, report.extraction.facts, report.left_out) == ((), 2, ())
    came_in, found = calls
    assert len(came_in) == 3 and set(found) == {
        ANSWER["summary"], *(one["text"] for one in (*ANSWER["facts"], *ANSWER["observations"])),
    }  # fmt: skip


@pytest.mark.ledger("F04")
async def test_an_observation_that_two_ingests_bring_at_once_stands_once_and_both_are_stored(
    reads: Engine, user: User
) -> None:
    memory = reads.memory(user.user_id)
    talks = [Conversation(f"c{number}", (Turn("Bob", f"Ellen called, number {number}."),)) for number in range(6)]
    reports = await asyncio.gather(*(memory.records.remember(talk) for talk in talks))
    assert [report.turns for report in reports] == [1] * 6
    assert Counter(hit.content for hit in await kinds(memory, "observation")) == {
        one["text"]: 1 for one in ANSWER["observations"]
    }


@pytest.mark.ledger("F04")
async def test_an_observation_that_came_while_another_write_was_under_way_is_left_to_the_first(
    reads: Engine, user: User
) -> None:
    memory = reads.memory(user.user_id)
    commit = reads.parts[Ingest].commit.commit
    overtaken: list[str] = []

    async def slow(*arguments: object) -> object:  # another write is faster
        if not overtaken:
            overtaken.append("b")
            await memory.records.remember(Conversation("b", (Turn("Bob", "Ellen wrote."),)))
        return await commit(*arguments)

    reads.parts[Ingest].commit.commit = slow
    report = await memory.records.remember(Conversation("a", TURNS, "A call", WHEN))
    assert (report.turns, report.items, report.skipped) == (
        3,
        3,
        (),
    )  # three turns; the facts confirm those of the first
    assert len(await kinds(memory, "observation")) == 2
    async with reads.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT documents FROM engine.term_counts WHERE unit = 'passage' AND term = 0 AND node_id = %s",
            [user.user_id],
        )
        counted = (await cursor.fetchall())[0]["documents"]
    assert counted == 2 + 1  # the facts, which the second write confirms, and the observation that others may read
