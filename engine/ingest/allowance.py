"""The model calls that one write may still make, and what it left out for a limit or an unavailable embedding service."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import TypeVar

from engine.domain.ingest import Limits
from engine.domain.record import LeftOut, LeftOutKind
from engine.errors import ProviderUnavailable, WrongDimension
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Embedder, Vectors
from engine.turns import computed

TEXTS_OF_A_CALL = 128
"""Texts that one request to an embedding service holds."""

Answer = TypeVar("Answer")


class Allowance:
    """Counts a write's use of models, from its start. Concurrent steps share the same limits."""

    def __init__(self, limits: Limits, active: ActiveModel) -> None:
        self._limits, self._active = limits, active
        self._began, self._tokens, self._calls = monotonic(), 0, 0
        self._left: Counter[tuple[LeftOutKind, str]] = Counter()
        self._ahead: dict[tuple[str, str], Vectors] = {}

    async def vectors(self, model: Model, texts: Sequence[str]) -> list[Vectors | None]:
        """One vector a text; None for all where a limit or the service does not allow it: they are made later."""
        there = [self._ahead.get((model.name, text)) for text in texts]
        for text in texts:
            self._ahead.pop((model.name, text), None)
        made = iter(await self._made(model, [text for text, one in zip(texts, there, strict=True) if one is None]))
        return [next(made) if one is None else one for one in there]

    async def ahead(self, model: Model, texts: Sequence[str]) -> list[Vectors] | None:
        """The vectors of texts that are about to be stored, kept for a call of `vectors`. None where the service does not answer
        or the write has limits: then `vectors` makes them, or none are made."""
        if self._limits != Limits() or not texts:
            return None
        try:
            made = list(await self._active.patience.asked(lambda: model.embed_documents(texts)))
        except (ProviderUnavailable, WrongDimension):
            return None
        self._ahead.update({(model.name, text): vector for text, vector in zip(texts, made, strict=True)})
        return made

    async def _made(self, model: Model, texts: Sequence[str]) -> list[Vectors | None]:
        nothing: list[Vectors | None] = [None] * len(texts)
        calls = 0 if model.version.provider == "onnx" else -(-len(texts) // TEXTS_OF_A_CALL)
        if not texts or not self._granted("embeddings", len(texts), calls, await self._counted(texts, model.embedder)):
            return nothing
        within = self._seconds_left
        try:
            made = await self._active.patience.asked(
                lambda: model.embed_documents(texts), within, blamed=within is None
            )
        except (ProviderUnavailable, WrongDimension) as error:
            self._left["embeddings", self._reason(0, 0) or error.detail] += len(texts)
            return nothing
        return list(made)

    async def answer(
        self, what: LeftOutKind, given: Sequence[str], items: int, call: Callable[[], Awaitable[Answer]]
    ) -> Answer | None:
        """A language model's answer about so many items; None where a limit leaves them out.

        `given`: its whole input, counted by the tokenizer of the embeddings. Raises the errors of the call.
        """
        if not self._granted(what, items, 1, await self._counted(given, self._active.current.embedder)):
            return None
        try:
            async with asyncio.timeout(self._seconds_left):
                return await call()
        except TimeoutError:
            self._left[what, self._too_late] += items
            return None

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The work that was left out, by kind and reason."""
        return tuple(LeftOut(what, items, reason) for (what, reason), items in self._left.items())

    @property
    def _seconds_left(self) -> float | None:
        if self._limits.milliseconds is None:
            return None
        return max(self._limits.milliseconds / 1000 - (monotonic() - self._began), 0.0)

    @property
    def _too_late(self) -> str:
        return f"The {self._limits.milliseconds} ms of this write were used up."

    async def _counted(self, texts: Sequence[str], by: Embedder) -> int:
        """Tokens, where they are limited."""
        return 0 if self._limits.tokens is None else await computed(lambda: sum(map(by.count_tokens, texts)))

    def _granted(self, what: LeftOutKind, items: int, calls: int, tokens: int) -> bool:
        """Whether so much more is allowed. If so it is counted, else the items are noted as left out."""
        if reason := self._reason(calls, tokens):
            self._left[what, reason] += items
            return False
        self._calls, self._tokens = self._calls + calls, self._tokens + tokens
        return True

    def _reason(self, calls: int, tokens: int) -> str:
        """The reason why so much more is not allowed; empty where it is."""
        limits = self._limits
        if self._seconds_left == 0:
            return self._too_late
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            return f"This write may give {limits.tokens} tokens to models."
        if limits.model_calls is not None and self._calls + calls > limits.model_calls:
            return f"This write may call models {limits.model_calls} times."
        return ""
