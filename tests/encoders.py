"""Encoders that are loaded once a process: loading one costs as much CPU as all else of opening an engine."""

from __future__ import annotations

from pathlib import Path

from engine.providers.onnx import EncoderModel, OnnxEncoder

_load = OnnxEncoder._load.__func__
_loaded: dict[tuple[Path, str], OnnxEncoder] = {}


def _loaded_once(cls: type[OnnxEncoder], folder: Path, model: EncoderModel, threads: int) -> OnnxEncoder:
    place = (folder.resolve(), model.name)
    first = _loaded.get(place) or _loaded.setdefault(place, _load(cls, folder, model, threads))
    return cls(model, first._session, first._tokenizer, threads)


def load_once() -> None:
    """Engines of this process, and of those that are forked from it, share their encoders from now on."""
    OnnxEncoder._load = classmethod(_loaded_once)
