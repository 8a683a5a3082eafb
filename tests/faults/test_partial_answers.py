"""A graph that does not answer, and an embedding service that does not: a part of the answer, marked, for those who take it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from engine.domain.context import ContextRequest
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.read_limits import ReadLimits
from engine.domain.search import SearchRequest
from engine.errors import ProviderUnavailable, StoreUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.providers.onnx import OnnxEncoder
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.faults.servers import until_healthy
from tests.faults.test_stores_hang import stopped

LIMIT = 6.0
REQUEST = SearchRequest("walleye")
PART = ReadLimits(partial=True)


@pytest.fixture(scope="module")
async def hurried(engine: Engine, settings: Settings) -> AsyncIterator[Engine]:
    """An engine on the same stores that gives statements little time."""
    quick = settings.model_copy(update={"statement_timeout_s": LIMIT, "connect_timeout_s": 2.0})
    async with open_engine(quick, warming=False) as opened:
        yield opened


@pytest.fixture
async def known(engine: Engine, hurried: Engine) -> tuple[Memory, Memory, Memory]:
    """The memory of a user, that of a persona of it that reads one node, and that of a stranger."""
    user = await engine.workspace.users.create(f"p{uuid4().hex[:12]}")
    memory = engine.memory(user.user_id)
    coach, lake = [
        await memory.nodes.provision(NewNode(user.user_id, name, kind))
        for name, kind in (("Coach", "persona"), ("Lake", "concept"))
    ]
    await memory.records.remember(Conversation("1", (Turn("Bob", "A walleye was caught."),)), node_id=lake.node_id)
    await memory.records.remember(Conversation("2", (Turn("Bob", "A secret walleye at home."),)), node_id=user.user_id)
    await memory.grants.give(NewGrant(lake.node_id, "persona", coach.node_id, "read"))
    await memory.context("walleye")
    askers = (
        Principal.user(user.user_id),
        Principal("persona", coach.node_id, user.user_id),
        Principal("third_party", uuid4(), user.user_id),
    )
    return tuple(hurried.memory_as(one) for one in askers)  # type: ignore[return-value]


@pytest.mark.ledger("X08")
async def test_without_the_graph_a_part_is_given_to_those_who_take_it(
    engine: Engine, hurried: Engine, known: tuple[Memory, Memory, Memory]
) -> None:
    owner, persona, stranger = known
    with stopped(engine, "neo4j"):
        with pytest.raises(StoreUnavailable):
            await owner.search(REQUEST)
        answer = await asyncio.wait_for(owner.search(REQUEST, PART), 30)
        one = await asyncio.wait_for(owner.search(replace(REQUEST, limit=1), PART), 30)
        other = await asyncio.wait_for(owner.search(replace(REQUEST, limit=1, cursor=one.next_cursor), PART), 30)
        assert [hit.item_id for page in (one, other) for hit in page.hits] == [hit.item_id for hit in answer.hits]
        assert {hit.content for hit in answer.hits} == {"A walleye was caught.", "A secret walleye at home."}
        assert answer.anchors == () and answer.widened
        mine = await asyncio.wait_for(owner.search(SearchRequest("Did my sister catch a walleye?"), PART), 30)
        assert len(mine.hits) == 2, "whom the user is related to is not asked"
        assert any(note.startswith("Partial: The graph store") and "without anchors" in note for note in answer.notes)
        context = await asyncio.wait_for(owner.context(ContextRequest("walleye", partial=True)), 30)
        assert "secret" in context.text and any("graph store" in one for one in context.partial)
        hers = await asyncio.wait_for(persona.search(REQUEST, PART), 30)
        assert {hit.content for hit in hers.hits} == {"A walleye was caught."}
        assert "secret" not in repr(
            await asyncio.wait_for(persona.context(ContextRequest("walleye", partial=True)), 30)
        )
        assert (await asyncio.wait_for(stranger.search(REQUEST, PART), 30)).hits == ()
    await until_healthy(hurried)
    whole = await owner.context(ContextRequest("walleye", partial=True))
    assert whole.partial == () and "secret" in whole.text


@pytest.mark.ledger("X08")
async def test_without_postgres_there_is_no_part(
    engine: Engine, hurried: Engine, known: tuple[Memory, Memory, Memory]
) -> None:
    with stopped(engine, "postgres"), pytest.raises(StoreUnavailable):
        await asyncio.wait_for(known[0].context(ContextRequest("walleye", partial=True)), 40)
    await until_healthy(hurried)


@pytest.mark.ledger("X08")
async def test_without_a_vector_the_answer_says_that_it_is_a_part(
    known: tuple[Memory, Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(self: OnnxEncoder, text: str) -> None:
        raise ProviderUnavailable

    owner = known[0]
    with monkeypatch.context() as patched:
        patched.setattr(OnnxEncoder, "embed_query", silent)
        context = await owner.context(ContextRequest("walleye", partial=True))
    assert "by words only." in context.partial and "walleye" in context.text
