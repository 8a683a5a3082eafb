"""The real encoder, watched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from engine.neurigraph import Engine

MEETING = 60.0
"""Seconds that two who are to meet wait for each other: only a failure takes them."""


@contextmanager
def embedding(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, met: threading.Barrier | None = None
) -> Iterator[list[list[str]]]:
    """The texts of each call to the real encoder meanwhile; the first call waits at `met`."""
    calls: list[list[str]] = []
    kind = type(engine.embedder)
    encode = kind.embed_documents

    async def watched(self: object, texts: Sequence[str]) -> object:
        calls.append(list(texts))
        if met is not None and len(calls) == 1:
            await asyncio.to_thread(met.wait, MEETING)
        return await encode(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "embed_documents", watched)
        yield calls
