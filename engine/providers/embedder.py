"""What an embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
        """Length of the vectors, read from the model itself."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of stored texts, shape (len(texts), dimension). Raises ProviderUnavailable."""

    async def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question, shape (dimension,). Raises ProviderUnavailable."""

    def count_tokens(self, text: str) -> int:
        """Tokens of the text by the model's own tokenizer, or a close one."""

    async def close(self) -> None:
        """Releases the model or the connections."""
