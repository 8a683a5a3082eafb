"""The encoder goes from batch to batch by itself, but not past a question, and not for a call that was given up."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.embedded.downloads import encoder_folder
from engine.lab.benchmarks.token_means import bundled_turns
from engine.progress import Silent
from engine.providers.onnx import WINDOW, OnnxEncoder

FEW = 10
"""Batches; so many texts have several times as many."""


async def test_many_texts_let_a_question_through_and_end_when_they_are_given_up(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = OnnxEncoder(await encoder_folder(cache, "minilm", Silent()), "minilm")
    turns = await bundled_turns()
    texts = [f"{number}: {turn}" for number in range(WINDOW // len(turns) + 1) for turn in turns][:WINDOW]
    batches, embedded = Counter[str](), OnnxEncoder._embedded

    def counted(self: OnnxEncoder, rows: list[list[int]]) -> Any:
        batches["begun"] += 1
        made = embedded(self, rows)
        batches["ended"] += 1
        return made

    monkeypatch.setattr(OnnxEncoder, "_embedded", counted)
    many = asyncio.create_task(encoder.embed_documents(texts))
    while not batches["begun"]:  # noqa: ASYNC110 (in a thread)
        await asyncio.sleep(0.001)
    await encoder.embed_query("Where is the walleye?")
    before = batches["begun"]
    assert before < FEW and not many.done()
    while batches["begun"] == before:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    many.cancel()
    with suppress(asyncio.CancelledError):
        await many
    while batches["ended"] < batches["begun"]:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.1)
    assert batches["ended"] == batches["begun"] < FEW, "no thread embeds for a call that was given up"


async def test_a_text_of_repeated_parts_costs_one_of_them(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 kB of one bracket are hundreds of equal passages, each as slow as the longest there may be."""
    encoder = OnnxEncoder(await encoder_folder(cache, "minilm", Silent()), "minilm")
    rows_seen, embedded = list[list[int]](), OnnxEncoder._embedded

    def counted(self: OnnxEncoder, rows: list[list[int]]) -> Any:
        rows_seen.extend(rows)
        return embedded(self, rows)

    monkeypatch.setattr(OnnxEncoder, "_embedded", counted)
    passage, other = "[" * 400, "The walleye bit."
    made = await encoder.embed_documents([*[passage] * 300, other, passage])
    assert len(rows_seen) == 2 and len(made) == 302
    assert {one.vector.tobytes() for one in (*made[:300], made[301])} == {made[0].vector.tobytes()}
    assert made[300].vector.tobytes() != made[0].vector.tobytes()
