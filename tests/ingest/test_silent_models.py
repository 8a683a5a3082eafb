"""An embedding service that is down: what is written is found by words at once, and by meaning when it is back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.ingest import Limits, Terms
from engine.domain.node import NewNode
from engine.domain.read_limits import ReadLimits
from engine.domain.search import SearchRequest
from engine.errors import ProviderUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.providers import calls
from engine.retrieval import pipeline
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.clean_environment import CLEAN
from tests.door import new_door
from tests.ingest.model_service import ModelService
from tests.processes import run_module

TURNS = (Turn("Bob", "The doctor looked at my knee."), Turn("Bob", "Walleye bite at dusk."))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the SDK, between the attempts of one call."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


@pytest.fixture(scope="module")
def service() -> Iterator[ModelService]:
    running = ModelService()
    yield running
    running.close()


@pytest.fixture(scope="module")
def own(service: ModelService, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        _env_file=None, home=tmp_path_factory.mktemp("silent"), cache=cache, openai_api_key=SecretStr("key"),
        openai_base_url=service.url, embedding_model="some-model",
    )  # fmt: skip


@pytest.fixture(scope="module")
async def served(own: Settings) -> AsyncIterator[Engine]:
    async with open_engine(own) as opened:
        yield opened


@pytest.fixture
async def bob(served: Engine, service: ModelService) -> Memory:
    service.broken = None
    service.retry_after = "0"
    service.hang.set()
    served.active.patience.answered()
    await served.derivations.run("vectors")
    return served.memory((await served.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)


@pytest.mark.ledger("N18")
@pytest.mark.parametrize("status", [0, 429, 500, 401], ids=["closed", "busy", "broken", "refused"])
async def test_written_without_the_service_and_embedded_later(
    served: Engine, service: ModelService, bob: Memory, status: int
) -> None:
    service.broken = status
    report = await bob.records.remember(Conversation("c", TURNS))
    assert (report.turns, report.embeddings_pending, report.records[0].embedding_pending) == (2, 1, True)
    assert [(left.what, left.items) for left in report.left_out] == [("embeddings", 2)] and report.left_out[0].reason
    record = (await bob.nodes.metadata(bob.principal.user_id)).records[0]
    assert record.embedding_pending
    answer = await bob.search(SearchRequest("walleye"))
    assert "words only" in answer.notes[0] and answer.embeddings == ""
    assert next(hit for hit in answer.hits if hit.content == TURNS[1].text).signals["words"] > 0
    assert [finding.store for finding in await served.doctor.examine()] == ["postgres"]
    with pytest.raises(ProviderUnavailable):
        await served.derivations.run("vectors")

    service.broken = None
    reports = await asyncio.gather(*[served.derivations.run("vectors") for _ in range(2)])  # two workers at once
    assert sum(one["settled"] for one in reports) == 1
    assert not (await bob.nodes.metadata(bob.principal.user_id)).records[0].embedding_pending
    found = await bob.search(SearchRequest("physician", widen="always"))
    assert found.notes == () and found.hits[0].content == TURNS[0].text  # no word of it was said
    assert await served.doctor.examine() == []
    assert (await served.derivations.run("vectors"))["filled"] == 0


@pytest.mark.ledger("L06", "N18")
async def test_what_waits_for_its_vector_is_found_by_its_words_among_what_has_one(
    served: Engine, service: ModelService, bob: Memory
) -> None:
    for number in range(30):
        turns = (Turn("Bob", f"The doctor looked at knee number {number}."), Turn("Bob", f"A boat of {number} feet."))
        await bob.records.remember(Conversation(f"c{number}", turns))
    service.broken = 401
    await bob.records.remember(Conversation("late", (Turn("Bob", "Our zucchini harvest was good."),)))
    service.broken = None
    served.active.patience.answered()  # the service is back; the job has not run yet
    answer = await bob.search(SearchRequest("How was the zucchini harvest?"))
    assert answer.embeddings and "zucchini" in answer.hits[0].content


@pytest.mark.ledger("N18")
async def test_a_text_that_is_changed_without_the_service_waits_for_its_vector(
    served: Engine, service: ModelService, bob: Memory
) -> None:
    report = await bob.records.remember(Conversation("c", TURNS))
    node, record = bob.principal.user_id, report.records[0].record_id
    item = next(hit for hit in (await bob.search(SearchRequest("walleye"))).hits if hit.content == TURNS[1].text)
    service.broken = 401
    await bob.history.change(Change("record", record, {"summary": "Zucchini harvest."}, node))
    await bob.history.change(Change("item", item.item_id, {"content": "Zucchini grew well."}, node))
    assert (await bob.nodes.metadata(node)).records[0].embedding_pending
    service.broken = None
    assert (await served.derivations.run("vectors"))["filled"] >= 2
    assert not (await bob.nodes.metadata(node)).records[0].embedding_pending
    assert (await served.workspace.embeddings.get(served.active.current.name)).remaining == 0
    await served.derivations.run("entities")  # its text is another
    assert await served.doctor.examine() == []


@pytest.mark.ledger("N18")
async def test_a_node_and_a_user_are_made_without_the_service(
    served: Engine, service: ModelService, bob: Memory
) -> None:
    service.broken = 500
    user = await served.workspace.users.create(f"n{uuid4().hex[:12]}")
    memory = served.memory(user.user_id)
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing", keywords=("doctor",)))
    assert (await memory.nodes.anchors("Fishing"))[0].node_id == node.node_id
    assert (await served.derivations.waiting("vectors")) == 2
    service.broken = None
    report = await served.derivations.run("vectors")
    assert [report[one] for one in ("filled", "settled", "waiting")] == [2, 2, 0]
    assert (await served.workspace.embeddings.get(served.active.current.name)).remaining == 0


@pytest.mark.ledger("N18")
async def test_an_engine_opens_answers_and_writes_while_the_service_is_down(
    own: Settings, served: Engine, service: ModelService, bob: Memory
) -> None:
    await bob.records.remember(Conversation("before", TURNS))
    service.broken = 500
    async with open_engine(own) as later:
        memory = later.memory(bob.principal.user_id)
        assert len((await memory.search(SearchRequest("walleye"))).hits) == 2
        assert (await memory.records.remember(Conversation("after", TURNS))).embeddings_pending == 1


@pytest.mark.ledger("N18")
async def test_a_service_that_hangs_holds_up_one_question_and_no_further_one(
    served: Engine, service: ModelService, bob: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pause in ("FIRST_PAUSE", "LONGEST_PAUSE"):  # longer than this test, whatever the machine
        monkeypatch.setattr(calls, pause, 600.0)
    monkeypatch.setattr(pipeline, "QUESTION", 1.0)
    await bob.records.remember(Conversation("c", TURNS))
    service.hang.clear()
    assert "words only" in (await bob.search(SearchRequest("walleye"))).notes[0]
    before = service.requests
    assert len((await bob.search(SearchRequest("walleye"))).hits) == 2
    assert (await bob.records.remember(Conversation("d", TURNS))).embeddings_pending == 1
    assert service.requests == before  # nobody waited for it again


@pytest.mark.ledger("N16")
async def test_a_service_that_asks_for_a_pause_is_left_alone_for_it(
    served: Engine, service: ModelService, bob: Memory
) -> None:
    service.broken, service.retry_after = 429, "900"
    await bob.records.remember(Conversation("c", TURNS))
    service.broken = None
    before = service.requests
    report = await bob.records.remember(Conversation("d", TURNS))
    assert report.embeddings_pending == 1 and service.requests == before


SECTIONS = ["# Knee\n\nThe doctor looked at my knee.", "# Lake\n\nWalleye bite at dusk.", "# Boat\n\nThe gasket leaks."]
CHANGED = [SECTIONS[0], "# Garden\n\nThe nurse grew zucchini."]


async def whole_again(served: Engine, bob: Memory) -> None:
    """The job makes what was left out, and nothing is missing then."""
    assert (await served.derivations.run("vectors"))["settled"] == 1
    assert not (await bob.nodes.metadata(bob.principal.user_id)).records[0].embedding_pending
    assert (await served.workspace.embeddings.get(served.active.current.name)).remaining == 0
    assert await served.doctor.examine() == []


@pytest.mark.ledger("N18", "F02")
@pytest.mark.parametrize("limits", [None, Limits(tokens=5), Limits(model_calls=0), Limits(milliseconds=0)])
async def test_a_new_version_of_a_document_does_not_wait_for_vectors(
    served: Engine, service: ModelService, bob: Memory, limits: Limits | None
) -> None:
    """Without a limit the service is silent; with one it is not even asked."""
    await bob.records.remember_text("Notes", "\n\n".join(SECTIONS), source_id="notes")
    service.broken = 500 if limits is None else None
    before = service.requests
    report = await bob.on_terms(Terms(limits=limits or Limits())).records.remember_text(
        "Notes", "\n\n".join(CHANGED), source_id="notes"
    )
    change = report.documents[0]
    assert (change.version, change.kept, change.added, change.superseded) == (2, 1, 1, 2)
    assert (report.embeddings_pending, report.records[0].embedding_pending) == (1, True)
    assert [(left.what, left.items) for left in report.left_out] == [("embeddings", 2)]  # a chunk and the summary
    assert limits is None or service.requests == before
    assert report.session_id is not None and (await bob.ingests.get(report.session_id)).pending == 1
    assert (await bob.nodes.metadata(bob.principal.user_id)).records[0].embedding_pending
    found = [hit.content for hit in (await bob.search(SearchRequest("zucchini"))).hits]
    assert found[0] == "The nurse grew zucchini." and "Walleye bite at dusk." not in found
    service.broken = None
    await whole_again(served, bob)
    served.active.patience.answered()
    answer = await bob.search(SearchRequest("physician"))
    assert answer.embeddings and answer.hits[0].content == "The doctor looked at my knee."


@pytest.mark.ledger("N18", "F02")
async def test_a_version_that_keeps_its_summary_waits_for_its_chunks_alone(
    served: Engine, service: ModelService, bob: Memory
) -> None:
    await bob.records.remember_text("Notes", "# Lake\n\nWalleye bite at dusk.", source_id="notes")
    service.broken = 500
    report = await bob.records.remember_text("Notes", "# Loon Lake\n\nWalleye bite at dusk.", source_id="notes")
    assert (report.documents[0].added, report.embeddings_pending) == (1, 1)
    assert (await bob.nodes.metadata(bob.principal.user_id)).records[0].embedding_pending
    service.broken = None
    await whole_again(served, bob)


@pytest.mark.parametrize("limits", [Limits(tokens=5), Limits(model_calls=0), Limits(milliseconds=0)])
async def test_a_write_leaves_out_what_its_limits_forbid_and_says_so(
    served: Engine, service: ModelService, bob: Memory, limits: Limits
) -> None:
    before = service.requests
    report = await bob.on_terms(Terms(limits=limits)).records.remember(Conversation("c", TURNS))
    assert report.embeddings_pending == 1 and report.left_out[0].items == 2 and service.requests == before
    assert (await bob.search(SearchRequest("walleye"))).hits
    assert (await served.derivations.run("vectors"))["settled"] == 1
    within = Limits(milliseconds=60_000, tokens=1_000, model_calls=1)
    assert (await bob.on_terms(Terms(limits=within)).records.remember(Conversation("d", TURNS))).left_out == ()


@pytest.mark.ledger("X08")
async def test_a_read_asks_no_service_where_its_limits_forbid_it(
    served: Engine, service: ModelService, bob: Memory, tmp_path: Path
) -> None:
    """At every door; an own limit of a search does not lift that of its memory."""
    await bob.records.remember(Conversation("c", TURNS))
    before, note = service.requests, "This operation may call models 0 times: searched by words only."
    limited = bob.on_terms(Terms(limits=Limits(model_calls=0)))
    for limits in (ReadLimits(), ReadLimits(max_ms=60_000)):
        answer = await limited.search(SearchRequest("walleye"), limits)
        assert len(answer.hits) == 2 and answer.notes == (note,)
    assert (await limited.context(ContextRequest("walleye"))).notes == (note,)
    transport = httpx.ASGITransport(new_door(served.settings, engine=served), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        home = f"/v1/users/{bob.principal.user_id}"
        for path, question in (("search", "query"), ("context", "question")):
            given = await door.post(f"{home}/{path}", json={question: "walleye", "model_calls": 0})
            assert given.json()["notes"] == [note], given.text
        wrong = await door.post(f"{home}/search", json={"query": "walleye", "model_calls": -1})
        assert wrong.status_code == 422
    assert service.requests == before
    within = bob.on_terms(Terms(limits=Limits(model_calls=1)))
    assert (await within.search(SearchRequest("walleye"), ReadLimits(max_ms=60_000))).notes == ()
    assert service.requests == before + 1
    served_by = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": service.url, "NEURIGRAPH_EMBEDDING_MODEL": "some-model"}
    who = (await served.workspace.users.get(bob.principal.user_id)).handle
    stores = ("--home", str(served.settings.home), "--cache", str(served.settings.cache))
    for command in ("ask", "context"):
        typed = ("engine.cli", *stores, command, "walleye", "--model-calls", "0", "--json", "--user", who)
        done = await asyncio.to_thread(run_module, *typed, folder=tmp_path, env=CLEAN | served_by)
        assert json.loads(done.stdout)["notes"] == [note], done.stderr
