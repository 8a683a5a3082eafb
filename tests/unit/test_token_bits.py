"""The bits of the tokens that count: which tokens these are, in which order, around which mean."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.domain.embedding import MOST_TOKENS
from engine.embedded.downloads import ENCODER_NAMES, encoder_folder
from engine.errors import ProviderUnavailable
from engine.lab.benchmarks.token_means import bundled_turns, mean_of
from engine.progress import Silent
from engine.providers.onnx import MEANS, OnnxEncoder

BYTES = 384 // 8


@pytest.fixture(params=ENCODER_NAMES)
async def encoder(request: pytest.FixtureRequest, cache: Path) -> OnnxEncoder:
    return OnnxEncoder(await encoder_folder(cache, request.param, Silent()), request.param)


def signs(tokens: bytes | None) -> np.ndarray:
    """Bits as +1 and -1, a row a token."""
    assert tokens is not None
    return np.unpackbits(np.frombuffer(tokens, np.uint8).reshape(-1, BYTES), axis=1) * 2.0 - 1


def test_the_model_is_read_at_the_first_text(tmp_path: Path) -> None:
    encoder = OnnxEncoder(tmp_path, "minilm")  # where there is none
    with pytest.raises(ProviderUnavailable, match="cannot be read"):
        encoder.encode(["A walleye"])


async def test_a_token_counts_once_where_it_says_something(encoder: OnnxEncoder) -> None:
    texts = [
        "The walleye bit, and then the walleye was gone!",
        "and so it was, of course?!",
        "",
        "of the",
        "walleye " * 400,
    ]
    made = await encoder.embed_documents(texts)
    counted = [len(one.tokens or b"") / BYTES for one in made]
    names = len(encoder._tokenizer.encode("walleye", add_special_tokens=False).ids)
    assert counted[0] == 2 * names + 2, "walleye bit walleye gone"
    assert counted[1:4] == [1, 0, 0] and made[3].tokens == b"", "course"
    assert counted[4] == MOST_TOKENS


async def test_vectors_are_those_of_before_whoever_they_are_embedded_with(encoder: OnnxEncoder) -> None:
    texts = (await bundled_turns())[:40]
    made = await encoder.embed_documents(texts)
    plain = encoder.encode([encoder._model.document_prefix + text for text in texts])
    assert np.array_equal(np.stack([one.vector for one in made]), plain)
    [alone] = await encoder.embed_documents(texts[:1])
    assert alone.tokens is not None and len(alone.tokens) == len(made[0].tokens or b"")
    assert np.mean(signs(alone.tokens) == signs(made[0].tokens)) > 0.9


async def test_bits_find_what_a_question_asks_for(encoder: OnnxEncoder) -> None:
    """The question in numbers, its tokens chosen like those of texts; each looks for the nearest token of a text."""
    asked = await encoder.embed_query("Where is the walleye?")
    assert asked.tokens is not None and np.allclose(np.linalg.norm(asked.tokens, axis=1), 1, atol=1e-5)
    assert len(asked.tokens) == len(encoder._tokenizer.encode("walleye", add_special_tokens=False).ids)
    near, far = await encoder.embed_documents(["A walleye swims in the lake.", "The lawyer signs a lease."])
    covered = [float((asked.tokens @ signs(one.tokens).T).max(axis=1).mean()) for one in (near, far)]
    assert covered[0] > 1.3 * covered[1]
    assert (await encoder.embed_query("of the?")).tokens.shape == (0, 384)  # type: ignore[union-attr]


async def test_the_mean_of_an_encoder_is_the_one_that_is_shipped(encoder: OnnxEncoder) -> None:
    kept = np.array(json.loads(MEANS.read_text("utf-8"))[encoder.version])
    now = mean_of(encoder, (await bundled_turns())[::3])
    assert kept.shape == (384,)
    # a third of the turns: .990 for minilm, and .98999 on another processor; ten turns give .76, another encoder's mean .58 at most
    assert float(kept @ now / np.linalg.norm(kept) / np.linalg.norm(now)) > 0.97
