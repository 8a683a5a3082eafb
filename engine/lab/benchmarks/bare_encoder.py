"""The offline encoder's model by onnxruntime alone, as one would write it by hand: what the write path is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from engine.providers.embedder import Vectors
from engine.providers.onnx import MAX_TOKENS

BATCH = 16


class BareEncoder:
    """One session that shares each batch among `threads` threads, onnxruntime's own way; mean of the token vectors."""

    def __init__(self, folder: Path, prefix: str, threads: int) -> None:
        self._prefix = prefix
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = ort.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, in the order of the texts; batches hold texts of like length. Blocks."""
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast([self._prefix + text for text in texts])]
        order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
        made = [
            self._batch([rows[index] for index in order[start : start + BATCH]]) for start in range(0, len(rows), BATCH)
        ]
        return np.concatenate(made)[np.argsort(order)]

    def _batch(self, rows: Sequence[list[int]]) -> Vectors:
        longest = max(map(len, rows))
        ids = np.array([row + [0] * (longest - len(row)) for row in rows], dtype=np.int64)
        mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in rows], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        tokens = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        summed: Vectors = np.einsum("btd,bt->bd", tokens, mask.astype(np.float32))
        unit: Vectors = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return unit
