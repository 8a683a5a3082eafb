"""The encoder goes from batch to batch by itself, but not past a question, and not for a call that was given up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from time import process_time

from engine.benchmarks.token_means import bundled_turns
from engine.embedded.encoder_files import encoder_folder
from engine.progress import Silent
from engine.providers.onnx import WINDOW, OnnxEncoder


async def test_many_texts_let_a_question_through_and_end_when_they_are_given_up(cache: Path) -> None:
    encoder = await OnnxEncoder.load(await encoder_folder(cache, "minilm", Silent()), "minilm")
    turns = await bundled_turns()
    texts = [f"{number}: {turn}" for number in range(WINDOW // len(turns) + 1) for turn in turns][:WINDOW]
    await encoder.embed_query("The first run of an encoder is slow.")
    many = asyncio.create_task(encoder.embed_documents(texts))
    for _ in range(3):  # the first may come before any batch
        await asyncio.sleep(0.1)
        await encoder.embed_query("Where is the walleye?")
    assert not many.done()
    await asyncio.sleep(0.3)
    many.cancel()
    with suppress(asyncio.CancelledError):
        await many
    await asyncio.sleep(0.5)  # the batch under way ends
    before = process_time()
    await asyncio.sleep(0.5)
    assert process_time() - before < 0.1, "no thread embeds for a call that was given up"
