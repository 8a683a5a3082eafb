"""The offline encoder: an int8 ONNX sentence encoder on onnxruntime with its own tokenizer. No torch, no hub, no key.

Pooling and prefixes follow the model cards of all-MiniLM-L6-v2, e5-small-v2 and bge-small-en-v1.5.

Of the tokens of a text, those count when it is compared token by token that are no special tokens, no prefix that a model wants
before a text, no punctuation and no stop words; their vectors are kept as bits. A vector is normalised, and the encoder's mean
token vector is subtracted: all token vectors share one direction, which says nothing. Of a stored text the signs are kept, of a
question the numbers.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.domain.embedding import MOST_TOKENS, Embedded, EmbeddedQuery
from engine.domain.terms import STOP_WORDS
from engine.errors import ProviderUnavailable, SettingsError
from engine.providers.embedder import Vectors
from engine.turns import Turns

MEANS = Path(__file__).with_name("token_means.json")
"""The mean token vector of each version of an encoder: a constant, since bits of two means cannot be compared. See
`engine.lab.benchmarks.token_means`."""
NOTHING = 1e-12
MAX_TOKENS = 512
BATCH = 8
TOKENS_AT_ONCE = 1024
"""Tokens of a batch, padding included. Batches of this size are as fast as larger ones, and others wait less for their turn."""
WINDOW = 1024
"""Texts that are sorted by length together."""

Batch = tuple[list[int], list[list[int]]]
"""Places of texts, and their tokens by number."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class CountingTokens:
    """`counts`: by the number of a token, whether it counts; `mean`: the encoder's mean token vector."""

    counts: NDArray[np.bool_]
    mean: Vectors

    @classmethod
    def of(cls, tokenizer: Tokenizer, version: str, dimension: int) -> CountingTokens:
        """Those of an encoder. One without a known mean has its bits around zero."""
        vocabulary = tokenizer.get_vocab()
        special = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
        counts = np.zeros(max(vocabulary.values()) + 1, dtype=np.bool_)
        for token, number in vocabulary.items():
            word = token.removeprefix("##")
            stop = token in STOP_WORDS or token in special
            counts[number] = not stop and any(letter.isalnum() for letter in word)
        means = json.loads(MEANS.read_text("utf-8"))
        return cls(counts, np.array(means.get(version, [0.0] * dimension), dtype=np.float32))

    def vectors(self, rows: Sequence[Sequence[int]], tokens: Vectors, first: int) -> list[Vectors]:
        """The unit vectors of the tokens that count. `rows`: the tokens of each text by number; `first`: where it begins."""
        unit, ends = self._unit(rows, tokens, first)
        return np.split(unit, ends)

    def bits(self, rows: Sequence[Sequence[int]], tokens: Vectors, first: int) -> list[bytes]:
        """Their signs without the mean: dimension / 8 bytes a token, the highest bit first."""
        unit, ends = self._unit(rows, tokens, first)
        return [own.tobytes() for own in np.split(np.packbits(unit > self.mean, axis=1), ends)]

    def _unit(self, rows: Sequence[Sequence[int]], tokens: Vectors, first: int) -> tuple[Vectors, NDArray[np.int64]]:
        """The unit vectors of all texts, and where those of each end but the last. Computed together: after each step on a large
        array a thread may wait for another one."""
        kept = [
            first + np.flatnonzero(self.counts[np.asarray(ids[first:], dtype=np.int64)])[:MOST_TOKENS] for ids in rows
        ]
        sizes = [len(one) for one in kept]
        chosen = tokens[np.repeat(np.arange(len(rows)), sizes), np.concatenate(kept)]
        norms = np.sqrt(np.einsum("ij,ij->i", chosen, chosen))[:, None]
        return chosen / np.maximum(norms, NOTHING), np.cumsum(sizes)[:-1]

    def centred(self, vectors: Vectors) -> Vectors:
        """Unit vectors without the mean, normalised again."""
        rest: Vectors = vectors - self.mean
        unit: Vectors = rest / np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), NOTHING)
        return unit


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """How a model wants to be used: how token vectors become one, and what stands before a text."""

    name: str
    pooling: Literal["mean", "first"]
    document_prefix: str = ""
    query_prefix: str = ""
    dimension: int = 384


MODELS = {
    model.name: model
    for model in (
        EncoderModel("e5-small", "mean", "passage: ", "query: "),
        EncoderModel("minilm", "mean"),
        EncoderModel("bge-small", "first", "", "Represent this sentence for searching relevant passages: "),
    )
}


@cache
def _files(folder: Path) -> tuple[ort.InferenceSession, Tokenizer]:
    """The model and the tokenizer of a folder, read once a process. Blocks. Raises ProviderUnavailable where they cannot be read:
    what is stored then waits for its vectors, and a search goes by words."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = ort.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # neither library has a class of its own for it
        said = f"The encoder in {folder} cannot be read ({error}). Remove this folder: the next start fetches it again."
        log.warning(said)  # readers are given what is found by words, and do not see why
        raise ProviderUnavailable(said) from error
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return session, tokenizer


class OnnxEncoder:
    """An embedder that runs in this process, `threads` batches at once, each on one thread. Threads that share a batch wait for
    each other after every step of the model: a sixth of the time, and more where the stores need a core. Texts longer than 512
    tokens are cut."""

    provider = "onnx"

    def __init__(self, folder: Path, name: str, *, threads: int = 2) -> None:
        """With `model.onnx` and `tokenizer.json` of a folder, which are read at the first text: most commands of the shell have
        none, and it takes as much CPU as all else of opening an engine. Raises SettingsError for a name it does not know."""
        if name not in MODELS:
            raise SettingsError(f"The encoder {name!r} is not known; choose one of {', '.join(sorted(MODELS))}.")
        self._folder, self._model, self._threads = folder, MODELS[name], threads
        self._turns = Turns(threads, each=threads)
        self._prefixes: dict[str, int] = {}
        self.model = name
        self.version = f"onnx-{name}-1"
        self.dimension = self._model.dimension

    @property
    def _tokenizer(self) -> Tokenizer:
        return _files(self._folder)[1]

    @cached_property
    def _counting(self) -> CountingTokens:
        """Made at the first text: it looks through the vocabulary."""
        return CountingTokens.of(self._tokenizer, self.version, self.dimension)

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedded]:
        """Stored texts, in their order. Each batch waits for its turn, so that a question of another principal does not wait for
        all of them."""
        # "[" 100,000 times is one passage, many times
        place = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        prefixed = [self._model.document_prefix + text for text in place]
        made: dict[int, Embedded] = {}
        for start in range(0, len(prefixed), WINDOW):
            async with self._turns.turn():
                left = deque(await asyncio.to_thread(self._batches, prefixed[start : start + WINDOW]))
            try:
                for part in await asyncio.gather(*(self._emptied(left) for _ in range(self._threads))):
                    made |= {start + index: embedded for index, embedded in part.items()}
            finally:
                left.clear()  # a thread does not go on for a call that was given up
        return [made[place[text]] for text in texts]

    async def embed_query(self, text: str) -> EmbeddedQuery:
        async with self._turns.turn():
            return await asyncio.to_thread(self._asked, self._model.query_prefix + text)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The raw encoder without prefixes: what benchmarks compare with. Blocks."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for chosen, rows in self._batches(texts):
            vectors[chosen] = self._run(rows)[0]
        return vectors

    def token_vectors(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of the tokens that count in stored texts: what their mean is made from. Blocks."""
        found = []
        for _, rows in self._batches([self._model.document_prefix + text for text in texts]):
            found += self._counting.vectors(rows, self._run(rows)[1], self._prefix(self._model.document_prefix))
        return np.concatenate(found)

    async def _emptied(self, left: deque[Batch]) -> dict[int, Embedded]:
        """Batches until none is left, beside others that take from the same ones."""
        made: dict[int, Embedded] = {}
        while left:
            async with self._turns.turn():
                made |= await asyncio.to_thread(self._some, left)
        return made

    def _some(self, left: deque[Batch]) -> dict[int, Embedded]:
        """Some of these batches, the longest first; all while none else waits: the encoder then need not wait for the loop."""
        made: dict[int, Embedded] = {}
        while True:
            try:
                chosen, rows = left.pop()
            except IndexError:
                return made
            made |= zip(chosen, self._embedded(rows), strict=True)
            if self._turns.wanted:
                return made

    def _embedded(self, rows: list[list[int]]) -> list[Embedded]:
        vectors, tokens = self._run(rows)
        bits = self._counting.bits(rows, tokens, self._prefix(self._model.document_prefix))
        return [Embedded(vector, own) for vector, own in zip(vectors, bits, strict=True)]

    def _asked(self, prefixed: str) -> EmbeddedQuery:
        [(_, rows)] = self._batches([prefixed])
        vectors, tokens = self._run(rows)
        [own] = self._counting.vectors(rows, tokens, self._prefix(self._model.query_prefix))
        return EmbeddedQuery(vectors[0], self._counting.centred(own))

    def _prefix(self, text: str) -> int:
        """The tokens that stand before those of a text with this prefix: its own, and the one that begins every text."""
        if text not in self._prefixes:
            self._prefixes[text] = 1 + len(self._tokenizer.encode(text, add_special_tokens=False).ids)
        return self._prefixes[text]

    def _batches(self, texts: Sequence[str]) -> list[Batch]:
        """Places of texts with their tokens: texts of like length share a batch, so that little is spent on padding."""
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        batches: list[Batch] = []
        for index in sorted(range(len(rows)), key=lambda index: len(rows[index])):
            if not batches or len(batches[-1][0]) >= min(BATCH, TOKENS_AT_ONCE // max(1, len(rows[index]))):
                batches.append(([], []))
            batches[-1][0].append(index)
            batches[-1][1].append(rows[index])
        return batches

    def _run(self, rows: list[list[int]]) -> tuple[Vectors, Vectors]:
        """The unit vectors of some texts, and the vectors of their tokens, padded."""
        longest = max(len(row) for row in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        feed: dict[str, Any] = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        session, _ = _files(self._folder)
        wanted = [entry.name for entry in session.get_inputs()]
        tokens = session.run(None, {name: feed[name] for name in wanted})[0]
        # Few steps on large arrays: after each of them a thread may wait for another one.
        summed = tokens[:, 0] if self._model.pooling == "first" else (mask[:, None].astype(np.float32) @ tokens)[:, 0]
        norms = np.sqrt(np.einsum("ij,ij->i", summed, summed))[:, None]
        return summed / np.maximum(norms, NOTHING), tokens

    def count_tokens(self, text: str) -> int:
        """Tokens by the encoder's own tokenizer, not cut (counted in pieces, so that long texts stay cheap)."""
        pieces = [text[start : start + 1500] for start in range(0, len(text), 1500)]
        return sum(self._untruncated(piece) for piece in pieces)

    def _untruncated(self, text: str) -> int:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return len(encoding.ids) + sum(len(more.ids) for more in encoding.overflowing)

    async def close(self) -> None:
        """Nothing to release before the process ends."""
