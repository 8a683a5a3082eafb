"""What one ingest may still take, and what it left out because of a limit or a silent model service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from time import monotonic

from engine.domain.ingest import Limits
from engine.domain.record import LeftOut
from engine.errors import ProviderUnavailable, WrongDimension
from engine.providers.active import Model
from engine.providers.embedder import Vectors
from engine.providers.patience import Patience

TEXTS_OF_A_CALL = 128
"""Texts that one request to an embedding service holds."""


class Allowance:
    """Counts what an ingest takes of models, from its beginning."""

    def __init__(self, limits: Limits, patience: Patience) -> None:
        self._limits, self._patience = limits, patience
        self._began, self._tokens, self._calls = monotonic(), 0, 0
        self._left: Counter[str] = Counter()

    async def vectors(self, model: Model, texts: Sequence[str]) -> Vectors | None:
        """The vectors of texts; None where a limit does not allow them or the service is silent: they are made later."""
        calls = 0 if model.version.provider == "onnx" else -(-len(texts) // TEXTS_OF_A_CALL)
        tokens = 0 if self._limits.tokens is None else sum(model.embedder.count_tokens(text) for text in texts)
        if reason := self._reason(calls, tokens):
            self._left[reason] += len(texts)
            return None
        self._calls, self._tokens = self._calls + calls, self._tokens + tokens
        within = None if self._limits.milliseconds is None else max(self._seconds_left, 0.001)
        try:
            return await self._patience.asked(lambda: model.embed_documents(texts), within, blamed=within is None)
        except (ProviderUnavailable, WrongDimension) as error:
            self._left[self._reason(0, 0) or error.detail] += len(texts)
            return None

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was not done, by reason."""
        return tuple(LeftOut("embeddings", items, reason) for reason, items in self._left.items())

    @property
    def _seconds_left(self) -> float:
        return (self._limits.milliseconds or 0) / 1000 - (monotonic() - self._began)

    def _reason(self, calls: int, tokens: int) -> str:
        """Why so much more is not allowed; empty where it is."""
        limits = self._limits
        if limits.milliseconds is not None and self._seconds_left <= 0:
            return f"The {limits.milliseconds} ms of this write were used up."
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            return f"This write may give {limits.tokens} tokens to models."
        if limits.model_calls is not None and self._calls + calls > limits.model_calls:
            return f"This write may call models {limits.model_calls} times."
        return ""
