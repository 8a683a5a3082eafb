"""The model calls that one write may still make, and what it left out for a limit or an unavailable embedding service."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TypeVar

from engine.domain.embedding import Embedded
from engine.domain.report import DeferredKind, DeferredWork
from engine.errors import ProviderUnavailable, WrongDimension
from engine.providers.active import ActiveModel, Model
from engine.providers.calls import LimitReached, budget
from engine.telemetry.stages import Pipeline

stage = Pipeline("ingest")
Answer = TypeVar("Answer")
Batch = TypeVar("Batch")

AHEAD = 2
"""Batches that are embedded before their turn: the encoder has work while the stores are slower than it for a moment."""


class Allowance:
    """The model calls of one write, within the budget of its operation."""

    def __init__(self, active: ActiveModel) -> None:
        self._active = active
        self._left: Counter[tuple[DeferredKind, str]] = Counter()
        self._ahead: dict[tuple[str, str], Embedded] = {}

    async def vectors(self, model: Model, texts: Sequence[str]) -> list[Embedded | None]:
        """Each text with its vector; None for all where a limit or the service does not allow it: they are made later."""
        there = [self._ahead.get((model.name, text)) for text in texts]
        for text in texts:
            self._ahead.pop((model.name, text), None)
        made = iter(await self._made(model, [text for text, one in zip(texts, there, strict=True) if one is None]))
        return [next(made) if one is None else one for one in there]

    async def ahead(self, model: Model, texts: Sequence[str]) -> list[Embedded] | None:
        """The vectors of texts that are about to be stored, kept for a call of `vectors`. None where the service does not answer
        or the write has limits: then `vectors` makes them, or none are made."""
        if budget().limited or not texts:
            return None
        there = {text: self._ahead.get((model.name, text)) for text in texts}
        missing = [text for text, vector in there.items() if vector is None]
        if missing:
            try:
                made = await self._embedded(model, missing)
            except (ProviderUnavailable, WrongDimension):
                return None
            there |= zip(missing, made, strict=True)
        vectors = {text: vector for text, vector in there.items() if vector is not None}
        self._ahead |= {(model.name, text): vector for text, vector in vectors.items()}
        return [vectors[text] for text in texts]

    async def each_ahead(
        self, batches: AsyncGenerator[Batch], texts: Callable[[Batch], Sequence[str]]
    ) -> AsyncGenerator[Batch]:
        """The batches; while the caller works on one, the next ones are taken and their texts are embedded, in their order.
        One is taken while the one before it is embedded: the encoder does not wait for it."""
        taking, embedding = asyncio.Lock(), asyncio.Lock()

        async def following(*, first: bool = False) -> Batch | None:
            async with taking:
                batch = await anext(batches, None)
            if batch is not None and not first:
                async with embedding:
                    await self.ahead(self._active.current, texts(batch))
            return batch

        tasks = deque(asyncio.create_task(following(first=number == 0)) for number in range(AHEAD))
        try:
            while (batch := await tasks.popleft()) is not None:
                tasks.append(asyncio.create_task(following()))
                yield batch
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await batches.aclose()

    async def _made(self, model: Model, texts: Sequence[str]) -> list[Embedded | None]:
        try:
            return list(await self._embedded(model, texts)) if texts else []
        except (ProviderUnavailable, WrongDimension) as error:
            self._left["embeddings", error.detail] += len(texts)
            return [None] * len(texts)

    async def _embedded(self, model: Model, texts: Sequence[str]) -> list[Embedded]:
        with stage("embed"):
            return await self._active.patience.asked(lambda: model.embed_documents(texts))

    async def answer(
        self, what: DeferredKind, given: Sequence[str], items: int, call: Callable[[], Awaitable[Answer]]
    ) -> Answer | None:
        """A language model's answer about so many items; None where a limit leaves them out.

        `given`: its whole input, counted by the tokenizer of the embeddings. Raises the errors of the call.
        """
        try:
            return await budget().spent(1, given, self._active.current.embedder, call)
        except LimitReached as error:
            self._left[what, error.detail] += items
            return None

    @property
    def left_out(self) -> tuple[DeferredWork, ...]:
        return tuple(DeferredWork(what, items, reason) for (what, reason), items in self._left.items())
