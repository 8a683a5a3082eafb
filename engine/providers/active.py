"""The active embedding model, as one value: a caller that takes it works with one version to the end.

Another process may promote another version at any time. A process that finds another active version than its own
follows: it loads that version's model, or remembers for a while that it cannot load it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from pgvector import HalfVector, Vector

from engine.domain.embedding import Embedded, EmbeddedQuery, EmbeddingVersion, ModelChoice
from engine.errors import NeurigraphError, ProviderUnavailable, WrongDimension
from engine.providers.calls import Patience, budget, called
from engine.providers.embedder import Embedder, Vectors

log = logging.getLogger(__name__)
M = TypeVar("M", Embedded, EmbeddedQuery)

TEXTS_OF_A_CALL = 128
"""Texts that one request to an embedding service holds."""
RETRY_AFTER = 60.0
"""Seconds after which a model that could not be loaded is tried again."""


@dataclass(frozen=True, slots=True)
class Model:
    """A version with the embedder that makes its vectors."""

    version: EmbeddingVersion
    embedder: Embedder

    @property
    def name(self) -> str:
        return self.version.name

    @property
    def has_tokens(self) -> bool:
        """Whether it gives vectors of tokens."""
        return self.version.provider == "onnx"

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedded]:
        """Stored texts, one of each; raises ProviderUnavailable, LimitReached, WrongDimension."""
        if not texts:
            return []
        return await self._made(texts, lambda: self.embedder.embed_documents(texts))

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of stored texts alone, shape (len(texts), dimension); raises the same."""
        if not texts:
            return np.empty((0, self.version.dimension), dtype=np.float32)
        return np.stack([one.vector for one in await self.embed_documents(texts)])

    async def embed_query(self, text: str) -> EmbeddedQuery:
        """A question; raises ProviderUnavailable, LimitReached, WrongDimension."""
        return (await self._made([text], lambda: self._asked(text)))[0]

    async def _asked(self, text: str) -> list[EmbeddedQuery]:
        return [await self.embedder.embed_query(text)]

    async def shell(self, text: str) -> dict[str, Any]:
        """The properties of a shell that say what it means, as the graph takes them."""
        column = self.version.column
        return {column: shell_vector((await self.vectors([text]))[0]), f"{column}_version": self.name}

    async def _made(self, texts: Sequence[str], call: Callable[[], Awaitable[list[M]]]) -> list[M]:
        calls = 0 if self.version.provider == "onnx" else -(-len(texts) // TEXTS_OF_A_CALL)

        async def observed() -> list[M]:
            with called(self.version.provider, self.version.model, "embed", texts=len(texts)):
                return await call()

        made = await budget().spent(calls, texts, self.embedder, observed)
        for one in made:
            if len(one.vector) != self.version.dimension:
                raise WrongDimension(
                    f"{self.version.model} gave {len(one.vector)} dimensions;"
                    f" those of {self.name} have {self.version.dimension}."
                )
        return made

    def meaning(self, vector: Vectors | None) -> dict[str, Any]:
        """The columns of a row that say what it means; both empty where its vector is made later."""
        if vector is None:
            return {"embedding": None, "embedding_version": None}
        return {"embedding": self.stored(vector), "embedding_version": self.name}

    def item_meaning(self, embedded: Embedded | None) -> dict[str, Any]:
        """The same of an item, with the bits of its tokens."""
        if embedded is None:
            return {**self.meaning(None), "tokens": None}
        return {**self.meaning(embedded.vector), "tokens": embedded.tokens}

    def stored(self, vector: Vectors) -> Vector | HalfVector:
        """The value to send for a column of this version."""
        return HalfVector(vector) if self.version.compression == "halfvec" else Vector(vector)


def shell_vector(vector: Vectors) -> list[float]:
    """A vector as the graph keeps it: a list of numbers, short enough to read."""
    numbers: list[float] = np.round(vector.astype(float), 6).tolist()
    return numbers


Find = Callable[[], Awaitable[EmbeddingVersion]]
"""Reads the active version from the store."""
Load = Callable[[ModelChoice], Awaitable[Embedder]]
"""Loads the embedder of a model; raises SettingsError where its key is missing, StackError, ProviderUnavailable."""


class ActiveModel:
    """Holds the model of the active version for all parts of an engine."""

    def __init__(self, model: Model, find: Find, load: Load) -> None:
        self._model, self._find, self._load = model, find, load
        self._following, self._loading = asyncio.Lock(), asyncio.Lock()
        self._failed: tuple[str, float] | None = None
        self.patience = Patience()
        # Kept: callers that took one go on with it, and a way back needs no loading.
        self._embedders = {model.version.choice: model.embedder}

    @property
    def current(self) -> Model:
        """The model to work with. Take it once, and use it for everything that belongs together."""
        return self._model

    async def follow(self) -> Model:
        """The model of the version that is active now, loaded where it has changed.

        Raises what loading raises; for a while the same error without another attempt.
        """
        async with self._following:
            version = await self._find()
            if version.name == self._model.name:
                return self._model
            self._check_failed(version)
            try:
                self._model = await self.model_of(version)
            except NeurigraphError:
                self._failed = (version.name, monotonic())
                raise
            log.info("the embeddings are now %s", version.name)
            return self._model

    async def model_of(self, version: EmbeddingVersion) -> Model:
        """The model of any version, loaded at the first call. Raises what loading raises, WrongDimension."""
        embedder = await self.embedder_of(version.choice)
        if embedder.dimension != version.dimension:
            raise WrongDimension(
                f"{version.model} has {embedder.dimension} dimensions now; those of {version.name} have {version.dimension}."
            )
        return Model(version, embedder)

    async def embedder_of(self, choice: ModelChoice) -> Embedder:
        """The embedder of any model, loaded at the first call."""
        async with self._loading:
            if choice not in self._embedders:
                self._embedders[choice] = await self._load(choice)
            return self._embedders[choice]

    def _check_failed(self, version: EmbeddingVersion) -> None:
        if self._failed and self._failed[0] == version.name and monotonic() - self._failed[1] < RETRY_AFTER:
            raise ProviderUnavailable(f"The active embeddings {version.name} cannot be made here.")

    async def follow_quietly(self) -> None:
        """Follows in the background; an error is raised again when the model is needed."""
        failed = self._failed
        try:
            await self.follow()
        except NeurigraphError as error:
            if self._failed is not failed:  # logged once, not at every attempt
                log.warning("the active embeddings cannot be followed: %s", error.detail)

    async def close(self) -> None:
        for embedder in self._embedders.values():
            await embedder.close()
