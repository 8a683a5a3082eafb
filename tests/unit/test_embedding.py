"""Names of versions, and vectors that do not fit theirs."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from pgvector import HalfVector, Vector

from engine.domain.embedding import (
    Compression,
    Embedded,
    EmbeddedQuery,
    EmbeddingVersion,
    ModelChoice,
    usual_compression,
    version_name,
)
from engine.errors import WrongDimension
from engine.providers.active import Model
from engine.providers.onnx import MODELS


class Embedder:
    """A service whose model changed behind its name."""

    version, provider, model, dimension = "openai-some", "openai", "some", 8

    async def embed_documents(self, texts: list[str]) -> list[Embedded]:
        return [Embedded(np.ones(self.dimension, np.float32)) for _ in texts]

    async def embed_query(self, _: str) -> EmbeddedQuery:
        return EmbeddedQuery(np.ones(self.dimension, np.float32))


def version(dimension: int, compression: Compression = "float32") -> EmbeddingVersion:
    return EmbeddingVersion(
        "openai-some", "openai", "some", dimension, compression, "active", "a", datetime(2025, 1, 1, tzinfo=UTC)
    )


async def test_vectors_of_another_length_than_the_versions_are_refused() -> None:
    fits, other = Model(version(8), Embedder()), Model(version(9), Embedder())
    assert (await fits.vectors(["a", "b"])).shape == (2, 8)
    assert (await other.vectors([])).shape == (0, 9) and await other.embed_documents([]) == []
    for attempt in (other.embed_documents(["a"]), other.embed_query("a"), other.shell("a")):
        with pytest.raises(WrongDimension, match="8 dimensions"):
            await attempt


def test_a_vector_is_stored_as_its_version_says() -> None:
    vector = np.ones(8, np.float32)
    assert isinstance(Model(version(8), Embedder()).stored(vector), Vector)
    assert isinstance(Model(version(8, "halfvec"), Embedder()).stored(vector), HalfVector)


@pytest.mark.ledger("F11")
def test_each_model_and_compression_is_a_version_of_its_own() -> None:
    names = {
        version_name(ModelChoice("onnx", model).version, dimension, compression)
        for model in MODELS
        for dimension in (384, 1536)
        for compression in ("float32", "halfvec")
        if compression == "halfvec" or dimension <= 1000
    }
    assert len(names) == 2 * len(MODELS)  # the usual compression is not part of the name, nor the model's own dimension
    assert usual_compression(1000) == "float32" and usual_compression(1001) == "halfvec"
    assert ModelChoice("openai", "some").version == Embedder.version
