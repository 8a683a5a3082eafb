"""Embeddings by a service: the real SDK against a local server that speaks the protocol, its failures included."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from pydantic import SecretStr

from engine.domain.history import Conversation, Turn
from engine.domain.search import SearchRequest
from engine.errors import ProviderUnavailable, SettingsError, WrongDimension
from engine.providers.openai import OpenAIEmbedder
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.model_server import LOOK


class Service:
    """Answers embeddings; `script` says how the next requests are answered instead."""

    def __init__(self) -> None:
        self.script: list[tuple[int, bytes]] = []
        self.dimension, self.requests = 8, 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requests += 1
                status, answer = service.script.pop(0) if service.script else (200, service.answer(body))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                if status == 429:
                    self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, body: dict) -> bytes:
        rows = [
            {
                "object": "embedding",
                "index": index,
                "embedding": [float(len(text) + place) for place in range(self.dimension)],
            }
            for index, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return json.dumps({"object": "list", "model": body["model"], "data": rows[::-1], "usage": usage}).encode()


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    thread = threading.Thread(target=running.server.serve_forever, args=[LOOK], daemon=True)
    thread.start()
    yield running
    running.server.shutdown()


async def connect(service: Service) -> OpenAIEmbedder:
    return await OpenAIEmbedder.connect("key", "some-model", base_url=service.url, timeout=2)


async def test_vectors_come_in_the_order_of_the_texts_as_unit_vectors(service: Service) -> None:
    embedder = await connect(service)
    assert (embedder.dimension, embedder.version) == (8, "openai-some-model")
    texts = ["x" * length for length in range(1, 300)]
    embedded = await embedder.embed_documents(texts)
    assert all(one.tokens is None for one in embedded), "the service gives no vectors of tokens"
    vectors = np.array([one.vector for one in embedded])
    assert vectors.shape == (299, 8)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    query = await embedder.embed_query("x" * 42)
    assert np.allclose(vectors[41], query.vector) and query.tokens is None
    assert await embedder.embed_documents([]) == []
    await embedder.close()


async def test_a_busy_service_is_asked_again(service: Service) -> None:
    embedder = await connect(service)
    service.script = [(429, b"{}"), (500, b"{}")]
    assert (await embedder.embed_query("x")).vector.shape == (8,)
    assert service.requests == 4


@pytest.mark.parametrize(
    "answer",
    [
        (401, b"{}"),
        (200, b"not json"),
        (200, b"{}"),
        (200, b'{"data": []}'),
        (200, b'{"data": [{"index": 0, "embedding": "abc"}]}'),
    ],
    ids=["refused", "prose", "empty", "too few", "wrong type"],
)
async def test_an_unusable_answer_is_one_clear_error(service: Service, answer: tuple[int, bytes]) -> None:
    embedder = await connect(service)
    service.script = [answer] * 5
    with pytest.raises(ProviderUnavailable):
        await embedder.embed_query("x")


async def test_another_dimension_than_before_is_refused(service: Service) -> None:
    embedder = await connect(service)
    service.dimension = 9
    with pytest.raises(WrongDimension):
        await embedder.embed_query("x")


@pytest.mark.ledger("F10")
async def test_an_engine_refuses_another_model_than_its_home_was_made_with(
    service: Service, engine, settings: Settings
) -> None:
    changed = settings.model_copy(
        update={"openai_api_key": SecretStr("key"), "openai_base_url": service.url, "embedding_model": "some-model"}
    )
    with pytest.raises(SettingsError, match="onnx-e5-small-1"):
        async with open_engine(changed):
            pass


@pytest.mark.long
@pytest.mark.parametrize("dimension", [8, 1536])
async def test_a_home_of_its_own_works_with_any_dimension(
    service: Service, cache, tmp_path_factory, dimension: int
) -> None:
    """The home of `test_silent_models` has one of 32."""
    service.dimension = dimension
    own = Settings(
        _env_file=None, home=tmp_path_factory.mktemp("openai"), cache=cache, openai_api_key=SecretStr("key"),
        openai_base_url=service.url, embedding_model="some-model",
    )  # fmt: skip
    async with open_engine(own) as engine:
        user = await engine.workspace.users.create("ann")
        memory = engine.memory(user.user_id)
        await memory.records.remember(
            Conversation("c", (Turn("Ann", "The walleye of Loon Lake."), Turn("Iris", "Noted.")))
        )
        assert (await memory.search(SearchRequest("walleye", limit=1))).hits[0].speaker == "Ann"
