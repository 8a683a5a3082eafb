"""Embedding versions: which model made a vector, how it is stored, and which of two slots it lies in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Status = Literal["active", "canary", "archived"]
Slot = Literal["a", "b"]
Compression = Literal["float32", "halfvec"]
HALF_ABOVE = 1000
"""Vectors longer than this are stored in half precision unless asked otherwise."""


MOST_TOKENS = 256
"""Tokens of a text of which vectors are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """A stored text as a model sees it: its unit vector; and of the vector of each token that counts the signs, one bit a
    dimension, one token after the other: None where the model gives no vectors of tokens, empty where no token counts."""

    vector: NDArray[np.float32]
    tokens: bytes | None = None


def vector_of(embedded: Embedded | None) -> NDArray[np.float32] | None:
    """The vector alone; None where it is made later."""
    return None if embedded is None else embedded.vector


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedQuery:
    """A question as a model sees it: its unit vector, and those of its tokens that count, shape (tokens, dimension); None where
    the model gives none."""

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by its provider (onnx, openai) and its name there."""

    provider: str
    model: str

    @property
    def version(self) -> str:
        """The name that its embedder gives its vectors."""
        return f"onnx-{self.model}-1" if self.provider == "onnx" else f"{self.provider}-{self.model}"


@dataclass(frozen=True, slots=True)
class EmbeddingVersion:
    """One version. `slot` None: its vectors are gone. `comparison`: with the version that was active then."""

    name: str
    provider: str
    model: str
    dimension: int
    compression: Compression
    status: Status
    slot: Slot | None
    created_at: datetime
    promoted_at: datetime | None = None
    archived_at: datetime | None = None
    built_at: datetime | None = None
    comparison: Mapping[str, Any] | None = None

    @property
    def choice(self) -> ModelChoice:
        return ModelChoice(self.provider, self.model)

    @property
    def column(self) -> str:
        """The column and property that hold its vectors; `<column>_version` beside it holds its name."""
        return "embedding_b" if self.slot == "b" else "embedding"


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of a build: `duty` is the share of the time in which it works (above 0, at most 1), `most` ends it after
    so many vectors."""

    duty: float = 0.7
    most: int | None = None


def usual_compression(dimension: int) -> Compression:
    """How vectors of a length are stored unless asked otherwise."""
    return "halfvec" if dimension > HALF_ABOVE else "float32"


def version_name(version: str, dimension: int, compression: Compression) -> str:
    """The name of a version: the embedder's, with the compression where it is not the usual one."""
    return version if compression == usual_compression(dimension) else f"{version}-{compression}"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did; JSON-able. `remaining` counts rows and shells that still lack a vector."""

    version: str
    filled: int
    remaining: int
    seconds: float


@dataclass(frozen=True, slots=True)
class VersionProgress:
    """How far a version is: rows (records and items with their past states) and shells in all, and those done."""

    version: EmbeddingVersion
    total: int
    done: int

    @property
    def remaining(self) -> int:
        return self.total - self.done
