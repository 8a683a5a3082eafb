"""What an embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.domain.embedding import Embedded, EmbeddedQuery

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. Two real implementations: the offline encoder and OpenAI's service."""

    @property
    def version(self) -> str:
        """Name of the embedding version, stored beside every vector; vectors of two versions are never compared."""

    @property
    def provider(self) -> str:
        """The provider of the vectors: onnx or openai."""

    @property
    def model(self) -> str:
        """The provider's name of the model."""

    @property
    def dimension(self) -> int:
        """Length of the vectors."""

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedded]:
        """Stored texts, one of each: unit vectors of length `dimension`, with the signs of token vectors where the model has
        these. Raises ProviderUnavailable."""

    async def embed_query(self, text: str) -> EmbeddedQuery:
        """A question, with the vectors of its tokens where the model has these. Raises ProviderUnavailable."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the text by the model's own tokenizer, or a close one."""

    async def close(self) -> None:
        """Releases the model or the connections."""
