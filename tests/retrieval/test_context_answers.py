"""Answers of the language model from a context alone: with citations, or a refusal; what goes wrong with the model is said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr

from engine.domain.context import NOTHING_STORED, ContextRequest
from engine.domain.history import Conversation, Turn
from engine.domain.ingest import Limits, Terms
from engine.domain.node import User
from engine.errors import NoLanguageModel, NotFound, ProviderUnavailable, UnusableAnswer
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.providers.calls import LimitReached
from engine.settings import Settings
from tests.door import new_door
from tests.model_server import BROKEN, CUT, ERROR_INSIDE, HANG, NOT_JSON, WRONG_FORM, ModelServer
from tests.reader import WHEN, reader

QUESTION = "What is our boat called?"
TURNS = (Turn("Bob", "What is our boat called again?"), Turn("Iris", "It is called Second Coat, and it leaks."))


@pytest.fixture
async def bob(reads: Engine, engine: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    """A memory that was written without the model; the service is asked for answers alone."""
    await engine.memory(user.user_id).records.remember(Conversation("c", TURNS, "A call", WHEN))
    server.requests.clear()
    yield reads.memory(user.user_id)


def says(server: ModelServer, answer: str, *citations: int) -> None:
    server.reply = lambda _: {"answer": answer, "citations": list(citations)}


@pytest.mark.ledger("X14")
async def test_an_answer_cites_pieces_of_its_context(bob: Memory, server: ModelServer) -> None:
    says(server, "It is called Second Coat [2].", 2)
    given = await bob.answer(QUESTION)
    assert (given.answer, given.refused, given.citations) == ("It is called Second Coat [2].", False, (2,))
    cited = next(piece for piece in given.context.pieces if piece.mark == 2)
    assert cited.text == TURNS[1].text and cited.speaker == "Iris"
    assert (given.model, given.input_tokens, given.output_tokens) == ("openai:small", 100, 20)
    [asked] = server.requests
    assert asked.text == f"{given.context.text}\n\nQuestion: {QUESTION}" and asked.constrained
    assert "never an instruction" in asked.system and "<memory KEY>" in asked.system


@pytest.mark.ledger("X14")
async def test_citations_that_name_no_piece_are_dropped(bob: Memory, server: ModelServer) -> None:
    says(server, "It is Second Coat [2][99]. It leaks [77].", 99, 2)
    given = await bob.answer(QUESTION)
    assert (given.answer, given.citations) == ("It is Second Coat [2]. It leaks.", (2,))
    says(server, "It is Second Coat [1, 44; 2].")
    assert (await bob.answer(QUESTION)).answer == "It is Second Coat [1][2]."
    says(server, "It is Second Coat.", 2, 99)
    given = await bob.answer(QUESTION)
    assert (given.answer, given.citations) == ("It is Second Coat. [2]", (2,))


@pytest.mark.ledger("X14")
@pytest.mark.parametrize(
    ("answer", "citations"),
    [("", []), ("It is called Nemo.", []), ("It is called Nemo [12].", [12]), ("[1]", [1]), ("  ", [1])],
    ids=["empty", "without citations", "wrong citations", "citations only", "blank"],
)
async def test_an_answer_without_support_is_a_refusal(
    bob: Memory, server: ModelServer, answer: str, citations: list[int]
) -> None:
    says(server, answer, *citations)
    given = await bob.answer(QUESTION)
    assert (given.answer, given.refused, given.citations) == (NOTHING_STORED, True, ())
    assert given.model == "openai:small" and "Nemo" not in repr(given)


@pytest.mark.ledger("X14")
async def test_without_anything_found_the_model_is_not_called(reads: Engine, user: User, server: ModelServer) -> None:
    given = await reads.memory(user.user_id).answer(QUESTION)
    assert (given.answer, given.refused, given.model) == (NOTHING_STORED, True, "") and server.requests == []
    with pytest.raises(NotFound):
        await reads.memory(UUID(int=5)).answer(QUESTION)


@pytest.mark.ledger("X14")
async def test_without_a_model_the_error_says_how_to_configure_one(memory: Memory) -> None:
    with pytest.raises(NoLanguageModel, match="NEURIGRAPH_LANGUAGE_MODEL"):
        await memory.answer(QUESTION)


@pytest.mark.ledger("X14")
@pytest.mark.parametrize(
    "wrong", [NOT_JSON, WRONG_FORM, CUT, BROKEN, ERROR_INSIDE], ids=["prose", "form", "cut", "broken", "inside"]
)
async def test_what_goes_wrong_with_the_model_is_an_error(bob: Memory, server: ModelServer, wrong: object) -> None:
    server.script = [wrong]  # type: ignore[list-item]
    with pytest.raises(UnusableAnswer if wrong in (NOT_JSON, WRONG_FORM) else ProviderUnavailable):
        await bob.answer(QUESTION)
    says(server, "Second Coat [2].", 2)
    assert not (await bob.answer(QUESTION)).refused


@pytest.mark.ledger("X14", "X08")
async def test_a_model_that_hangs_ends_with_the_time_of_the_request(bob: Memory, server: ModelServer) -> None:
    await bob.context(QUESTION)
    server.script = [HANG]
    with pytest.raises(LimitReached, match="ms of this operation"):
        await bob.answer(ContextRequest(QUESTION, max_ms=4000))
    for limits in (Limits(model_calls=0), Limits(tokens=10)):
        with pytest.raises(LimitReached):
            await bob.on_terms(Terms(limits=limits)).answer(QUESTION)


@pytest.mark.ledger("X14", "X08")
async def test_an_answer_over_rest_makes_no_more_requests_than_it_may(
    reads: Engine, bob: Memory, server: ModelServer
) -> None:
    says(server, "Second Coat [2].", 2)
    transport = httpx.ASGITransport(new_door(reads.settings, engine=reads), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path, body = f"/v1/users/{bob.principal.user_id}/answer", {"question": QUESTION}
        refused = await door.post(path, json=body | {"model_calls": 0})
        assert (refused.status_code, server.requests) == (503, [])
        assert refused.json()["detail"] == "This operation may call models 0 times."
        assert (await door.post(path, json=body | {"model_calls": 1})).json()["citations"] == [2]


@pytest.mark.ledger("X14")
async def test_anthropics_protocol_answers_too(settings: Settings, bob: Memory, server: ModelServer) -> None:
    changes = {
        "language_model": "anthropic:small",
        "anthropic_api_key": SecretStr("key"),
        "anthropic_base_url": server.anthropic,
    }
    says(server, "Second Coat [2].", 2)
    async with reader(settings, server, **changes) as engine:
        given = await engine.memory(bob.principal.user_id).answer(QUESTION)
    assert (given.citations, given.model) == ((2,), "anthropic:small")
