"""Embeddings by OpenAI's service, or any that speaks its protocol, through the official SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import openai

from engine.domain.embedding import Embedded, EmbeddedQuery
from engine.errors import ProviderUnavailable, WrongDimension
from engine.providers.calls import took
from engine.providers.embedder import Vectors
from engine.telemetry.stages import handed_on

BATCH = 128
PARALLEL = 4
FIRST_ANSWER = 3.0
"""Seconds that a start waits for a service whose dimension is known."""


class OpenAIEmbedder:
    """An embedder behind a key. The dimension is read from the model's first answer."""

    provider = "openai"

    def __init__(self, client: openai.AsyncOpenAI, model: str, dimension: int) -> None:
        self._client = client
        self._gate = asyncio.Semaphore(PARALLEL)
        self.model, self.dimension = model, dimension
        self.version = f"openai-{model}"

    @classmethod
    async def connect(
        cls, key: str, model: str, *, base_url: str | None, timeout: float, dimension: int | None = None
    ) -> OpenAIEmbedder:
        """Asks the model for one vector to learn its dimension; raises ProviderUnavailable.

        Where the dimension is known from before, a service that does not answer soon is ignored.
        """
        client = openai.AsyncOpenAI(api_key=key, base_url=base_url, timeout=timeout, max_retries=3)
        try:
            async with asyncio.timeout(None if dimension is None else FIRST_ANSWER):
                dimension = (await _vectors(client, model, ["dimension"])).shape[1]
        except (ProviderUnavailable, TimeoutError):
            if dimension is None:
                await client.close()
                raise
        return cls(client, model, dimension)

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedded]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        made = await asyncio.gather(*(self._bounded(batch) for batch in batches))
        return [Embedded(vector) for vectors in made for vector in vectors]

    async def embed_query(self, text: str) -> EmbeddedQuery:
        return EmbeddedQuery((await self._bounded([text]))[0])

    async def _bounded(self, texts: Sequence[str]) -> Vectors:
        async with self._gate:
            vectors = await _vectors(self._client, self.model, texts)
        if vectors.shape[1] != self.dimension:
            raise WrongDimension(f"{self.model} answered {vectors.shape[1]} dimensions, not {self.dimension}.")
        return vectors

    def count_tokens(self, text: str) -> int:
        """About the tokens of the text: four bytes each, as the service's tokenizers average on English."""
        return -(-len(text.encode()) // 4)

    async def close(self) -> None:
        await self._client.close()


def pause_asked_for(error: Exception) -> float | None:
    """The seconds that a refusing service asked to wait (Retry-After), at most an hour. The SDK keeps to those up to a
    minute while it repeats a request; what is left when it gives up is for the next one."""
    if not isinstance(error, openai.APIStatusError):
        return None
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return min(seconds, 3600.0) if seconds > 0 else None


async def _vectors(client: openai.AsyncOpenAI, model: str, texts: Sequence[str]) -> Vectors:
    """One request; the answers in the order of the texts, as unit vectors."""
    try:
        given = [text or " " for text in texts]
        answer = await client.embeddings.create(
            model=model, input=given, encoding_format="float", extra_headers=handed_on()
        )
        rows = sorted(answer.data, key=lambda row: row.index)
        vectors = np.asarray([row.embedding for row in rows], dtype=np.float32)
    except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
        raise ProviderUnavailable(
            "The embedding service did not give usable vectors.", retry_after=pause_asked_for(error)
        ) from error
    if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.shape[1] == 0:
        raise ProviderUnavailable("The embedding service answered another number of vectors than asked.")
    if answer.usage:
        took("openai", model, answer.usage.prompt_tokens or 0)
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit
