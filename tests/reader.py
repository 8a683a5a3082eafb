"""An engine that reads with a model: the call that it reads, the answer that it gets, and what is found of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from engine.domain.clock import NOW, Moment
from engine.domain.history import Turn
from engine.domain.node import User
from engine.domain.principal import Principal
from engine.domain.search import Hit, SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.model_server import Asked, ModelServer

WHEN = datetime(2024, 5, 8, 18, tzinfo=UTC)
TURNS = (
    Turn("Bob", "My sister Ellen moved to Duluth last Friday.", ref="t0"),
    Turn("Iris", "Does she like it there?", ref="t1"),
    Turn("Bob", "She does. I would rather drink tea than coffee, by the way.", ref="t2"),
)
ANSWER: dict[str, Any] = {
    "summary": "Ellen, Bob's sister, moved to Duluth on 3 May 2024. Bob prefers tea.",
    "entities": ["Ellen", "Duluth"],
    "topics": ["moving"],
    "dates": ["2024-05-03"],
    "relationships": ["sister"],
    "facts": [
        {
            "text": "Ellen moved to Duluth on 3 May 2024.", "type": "event", "event_date": "2024-05-03", "category": "family",
            "confidence": 0.9, "importance": 0.7, "tags": ["move"], "subjects": ["Ellen"], "first_line": 0, "last_line": 0,
        },
        {
            "text": "Bob prefers tea to coffee.", "type": "preference", "event_date": "", "category": "whole",
            "confidence": 7, "importance": "high", "tags": [], "subjects": ["Bob"], "first_line": 2, "last_line": 99,
        },
    ],
    "observations": [
        {
            "text": "Bob keeps in touch with his sister.", "importance": 0.4, "tags": ["family"], "subjects": ["Bob"],
            "private": False, "first_line": 0, "last_line": 2,
        },
        {
            "text": "Bob misses his sister.", "importance": 0.4, "tags": [], "subjects": ["Bob"], "private": True,
            "first_line": 0, "last_line": 0,
        },
    ],
    "windows": [],
}  # fmt: skip


def reading(settings: Settings, server: ModelServer, **changes: object) -> Settings:
    """The settings with a language model of that server."""
    return settings.model_copy(
        update={
            "language_model": "openai:small",
            "openai_api_key": SecretStr("key"),
            "openai_base_url": server.openai,
            "language_model_retries": 0,
            "language_model_prices": (1.0, 10.0),
        }
        | changes
    )


@asynccontextmanager
async def reader(settings: Settings, server: ModelServer, **changes: object) -> AsyncIterator[Engine]:
    """An engine beside the session's, on the same stores, with a model."""
    async with open_engine(reading(settings, server, **changes), warming=False) as engine:
        yield engine


async def kinds(memory: Memory, *wanted: str, query: str = "Bob Ellen sister tea") -> list[Hit]:
    """What is found of some kinds of items, wherever it lies."""
    answer = await memory.search(SearchRequest(query, limit=100, kinds=wanted, widen="always"))
    return list(answer.hits)


async def whole_facts(memory: Memory, moment: Moment = NOW) -> list[str]:
    """Facts that hold a whole input, at a moment."""
    request = SearchRequest("Bob Ellen sister tea", limit=50, kinds=("fact",), widen="always", moment=moment)
    return [hit.content for hit in (await memory.search(request)).hits if "\n" in hit.content]


async def turns(memory: Memory) -> set[object]:
    """The ids of all turns that are found."""
    return {hit.item_id for hit in await kinds(memory, "turn")}


async def untroubled(engine: Engine, user: User | Principal) -> None:
    """The doctor has nothing to say of this user."""
    shell = await engine.memory(user.user_id).nodes.shell(user.user_id)
    names = (str(user.user_id), shell.schema_name or "")
    await engine.derivations.run("entities")  # records that were entered again wait for it
    found = [one for one in await engine.doctor.examine() if any(name in one.subject for name in names)]
    assert found == [], found


def windowed(asked: Asked) -> dict[str, Any]:
    """Windows of ten lines where there are more than twenty."""
    lines = sum(line.startswith("[") for line in asked.text.splitlines())
    windows = [
        {"text": f"Herons {start}.", "first_line": start, "last_line": min(start + 9, lines - 1)}
        for start in range(0, lines if lines > 20 else 0, 10)
    ]
    return {"summary": f"Herons, {lines} of them.", "facts": [], "windows": windows}
