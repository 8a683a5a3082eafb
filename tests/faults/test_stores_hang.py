"""Stores that are stopped and never answer, not even to refuse: every call ends by the limits of this side."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

import httpx
import psutil
import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.search import SearchRequest
from engine.errors import StoreUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores import postgres
from engine.wiring.open_engine import open_engine
from engine.wiring.warming import warm_writes
from tests.door import new_door
from tests.faults.servers import server_pid, until_healthy

LIMIT = 3.0
"""Seconds of a statement in the engine of this module."""
GENEROUS = LIMIT + 8
"""Seconds after which a call is held to hang: its limit, the two of the margin, and a busy machine."""
TURNS = (Turn("Bob", "A walleye was caught."), Turn("Bob", "It was a large one."))


@contextmanager
def stopped(engine: Engine, *names: str) -> Iterator[None]:
    """While this lasts, all processes of these servers are stopped."""
    family: list[psutil.Process] = []
    for name in names:
        server = psutil.Process(server_pid(engine, name))
        family += [server, *server.children(recursive=True)]
    try:
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGSTOP)
        yield
    finally:
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="module")
async def hurried(engine: Engine, settings: Settings) -> AsyncIterator[Engine]:
    """An engine on the same stores that gives statements little time."""
    await warm_writes(engine)  # for longer than a statement may take, where the server has just started
    quick = settings.model_copy(update={"statement_timeout_s": LIMIT, "connect_timeout_s": 2.0})
    async with open_engine(quick, warming=False) as opened:
        yield opened


@pytest.fixture
async def known(engine: Engine, hurried: Engine) -> Memory:
    """A memory that was asked everything before, by an engine with time: the servers know the statements."""
    user = await engine.workspace.users.create(f"h{uuid4().hex[:12]}")
    for asked in (engine.memory(user.user_id), hurried.memory(user.user_id)):
        await asked.records.remember(Conversation("before", TURNS))
        assert (await asked.search(SearchRequest("walleye"))).hits
        await asyncio.gather(asked.nodes.shell(user.user_id), asked.nodes.metadata(user.user_id), asked.edges.list())
        await asked.nodes.provision_path(["Work"])
    return hurried.memory(user.user_id)


def surprises(found: list[object]) -> list[object]:
    """Errors that do not say that a store did not answer."""
    return [one for one in found if isinstance(one, BaseException) and not isinstance(one, StoreUnavailable)]


@pytest.mark.ledger("N15", "U07")
@pytest.mark.parametrize(
    "names", [("postgres", "neo4j"), *(pytest.param((name,), marks=pytest.mark.long) for name in ("postgres", "neo4j"))]
)
async def test_every_call_ends_while_a_store_hangs(engine: Engine, hurried: Engine, known: Memory, names: tuple[str, ...]) -> None:  # fmt: skip
    node = known.principal.user_id

    async def calls() -> list[object]:
        """More at once than the pools have connections."""
        asked = [known.search(SearchRequest(f"walleye {number}")) for number in range(10)]
        written = [known.records.remember(Conversation(f"during {number}", TURNS)) for number in range(10)]
        others = [
            known.nodes.shell(node),
            known.nodes.metadata(node),
            known.edges.list(),
            known.nodes.provision_path(["Family"]),
        ]
        return await asyncio.gather(*asked, *written, *others, return_exceptions=True)

    with stopped(engine, *names):
        found = await asyncio.wait_for(calls(), 4 * GENEROUS)  # a write may wait for one store after the other
        assert any(isinstance(one, StoreUnavailable) for one in found) and not surprises(found)
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                await asyncio.wait_for(known.search(SearchRequest("walleye")), GENEROUS)
        here = hurried.workspace
        reads = [here.users.list(), here.tokens.list(), here.integrations.list(), here.jobs.list(), here.jobs.runs()]
        reads += [here.commits.list(), here.failures.list(), here.embeddings.list(), here.users.get(node)]
        answers = await asyncio.wait_for(asyncio.gather(*reads, return_exceptions=True), GENEROUS)
        assert "postgres" not in names or all(isinstance(one, StoreUnavailable) for one in answers)
        graph = (
            known.nodes.shell(node),
            known.nodes.metadata(node),
            known.history.state("node", node),
            known.history.deltas("node", node),
        )
        limited = [asyncio.wait_for(read, GENEROUS) for read in graph]
        answers = await asyncio.gather(*limited, return_exceptions=True)
        # what asks only the other store is answered
        assert not surprises(answers) and (len(names) == 1 or all(isinstance(one, StoreUnavailable) for one in answers))
    await until_healthy(hurried)
    assert (await known.search(SearchRequest("walleye"))).hits
    assert (await known.records.remember(Conversation("after", TURNS))).turns == 2


@pytest.mark.ledger("U07")
async def test_readiness_answers_while_all_stores_hang(engine: Engine, hurried: Engine) -> None:
    transport = httpx.ASGITransport(new_door(hurried.settings, engine=hurried))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        with stopped(engine, "postgres", "neo4j"):
            asked = [door.get("/v1/health/ready") for _ in range(12)]
            answers = await asyncio.wait_for(asyncio.gather(*asked), GENEROUS)
            assert {answer.status_code for answer in answers} == {503}
            silent = {store["store"] for store in answers[0].json()["stores"] if not store["healthy"]}
            assert {"postgres", "neo4j"} <= silent
            assert (await door.get("/v1/health/live")).json() == {"alive": True}
        await until_healthy(hurried)
        assert (await door.get("/v1/health/ready")).status_code == 200


@pytest.mark.ledger("U08")
async def test_metrics_show_stores_that_hang(engine: Engine, hurried: Engine) -> None:
    async def up(door: httpx.AsyncClient) -> dict[str, str]:
        answers = await asyncio.wait_for(asyncio.gather(*(door.get("/metrics") for _ in range(8))), GENEROUS)
        assert {answer.status_code for answer in answers} == {200}
        assert "neurigraph_stage_seconds_count" in answers[0].text
        return dict(re.findall(r'^neurigraph_store_up{store="(\w+)"} ([\d.]+)$', answers[0].text, re.MULTILINE))

    for names in (("neo4j",), ("postgres", "neo4j")):
        transport = httpx.ASGITransport(new_door(hurried.settings, engine=hurried))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
            with stopped(engine, *names):
                found = await up(door)
                assert found == {name: "0.0" if name in names else "1.0" for name in ("postgres", "neo4j", "objects")}
            await until_healthy(hurried)


@pytest.mark.ledger("U07")
@pytest.mark.parametrize("name", ["postgres", "neo4j"])
async def test_a_service_waits_for_a_store_that_is_not_there_yet(
    engine: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(postgres, "OPENING", LIMIT)
    quick = settings.model_copy(update={"statement_timeout_s": LIMIT, "connect_timeout_s": 2.0, "worker": False})
    app = new_door(quick)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    service = app.router.lifespan_context(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        with stopped(engine, name):
            async with asyncio.timeout(GENEROUS):  # in this task, which ends it, too
                await service.__aenter__()
            waiting = await until_ready_says(door, "time", "answer")
            assert waiting["ready"] is False and "store" in waiting["detail"]
            refused = await door.get("/v1/users")
            assert refused.status_code == 503 and refused.headers["retry-after"]
            assert refused.headers["content-type"] == "application/problem+json"
            assert (await door.get("/v1/health/live")).status_code == 200
        try:
            await until_ready_says(door, "ready")
            assert (await door.get("/v1/users")).status_code == 200
        finally:
            await service.__aexit__(None, None, None)


@pytest.mark.ledger("U07")
async def test_a_service_whose_graph_store_was_restarted_prepares_its_search_before_it_is_ready(
    engine: Engine, settings: Settings
) -> None:
    app = new_door(settings.model_copy(update={"worker": False}))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as door,
    ):
        await until_ready_says(door, "ready")
        os.kill(server_pid(engine, "neo4j"), signal.SIGKILL)
        await until_ready_says(door, "being prepared")
        await until_ready_says(door, "ready")
        assert app.state.opening.reason == ""
    await until_healthy(engine)


async def until_ready_says(door: httpx.AsyncClient, *words: str) -> dict[str, Any]:
    """The answer of readiness, once it is ready or its reason holds one of the words."""
    deadline = time.monotonic() + 120
    while True:
        answer = (await door.get("/v1/health/ready")).json()
        if answer["ready"] if "ready" in words else any(word in answer.get("detail", "") for word in words):
            return answer
        assert time.monotonic() < deadline, answer
        await asyncio.sleep(0.2)
