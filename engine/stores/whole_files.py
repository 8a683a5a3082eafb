"""Files that a caller names: written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

from engine.errors import InvalidInput


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file and the folders above it; see `written_whole`. Raises InvalidInput."""
    try:
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritten(path, error) from error
    with written_whole(path) as writer:
        writer.write(content)


@contextmanager
def written_whole(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A file that takes its place when all is written, so that a full disk leaves what was there. Raises InvalidInput."""
    place = path.resolve()  # the file that a link names, not the link
    partial = place.with_name(f".{uuid4().hex}.part")
    try:
        if place.exists() and not place.is_file():  # a pipe or a device is written to, never replaced
            with path.open("wb") as writer:
                yield writer
            return
        try:
            with open(partial, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as writer:
                yield writer
                writer.flush()
                os.fsync(writer.fileno())
            if place.exists():
                shutil.copymode(place, partial)
            partial.replace(place)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"{path} cannot be written: {error.strerror}.")
