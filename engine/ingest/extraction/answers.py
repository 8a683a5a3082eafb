"""Cached answers of models, per user: the same model, prompt and content cost nothing again, also after a failed commit.

Only the user's own ingests use the cache: for content that another principal stores in the graph the model is called again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import ProviderUnavailable
from engine.providers.language import Answer, Form, Prompt
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import sql_text


def answer_key(model: str, prompt: Prompt, text: str, *more: str) -> bytes:
    """SHA-256 of the model's name, the prompt with its version, the content, and what else the answer depends on."""
    digest = hashlib.sha256()
    for part in (model, str(prompt), prompt.text, text, *more):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Unasked:
    """Stands in for a model that is not called: its kept answers are found by its name; every new question is unanswered."""

    name: str

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        """Raises ProviderUnavailable."""
        raise ProviderUnavailable("No answer to this is kept.")

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class FreshAnswer:
    """An answer that was paid for, to be kept."""

    key: bytes
    answer: Mapping[str, Any]
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class _KeptAnswer:
    key: bytes
    answer: dict[str, Any]


class ModelAnswers:
    """The kept answers."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def known(self, principal: Principal, keys: Sequence[bytes]) -> dict[bytes, Mapping[str, Any]]:
        """What is kept under these keys. Raises StoreUnavailable."""
        if not principal.owns or not keys:
            return {}
        known, parameters = sql_text("model/answers_known"), {"keys": list(keys)}
        found = await self._postgres.fetch(principal, known, parameters, row=_KeptAnswer)
        return {one.key: one.answer for one in found}

    async def keep(self, principal: Principal, model: str, prompt: Prompt, fresh: Sequence[FreshAnswer]) -> None:
        """Keeps answers, each once. Raises StoreUnavailable, StoreFull."""
        if not principal.owns or not fresh:
            return
        common = {"user_id": principal.user_id, "model": model, "prompt": str(prompt), "now": self._clock.now()}
        async with self._postgres.as_principal(principal) as connection:
            for one in fresh:
                row = common | asdict(one) | {"answer": Jsonb(dict(one.answer))}
                await connection.execute(sql_text("model/answer_keep"), row)
