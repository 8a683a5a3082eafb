"""Files that a caller names: written whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from uuid import uuid4

from engine.errors import InvalidInput


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file beside its place and renames it, so that a full disk leaves what was there. Raises InvalidInput."""
    place = path.resolve()  # the file that a link names, not the link
    partial = place.with_name(f".{uuid4().hex}.part")
    try:
        if place.exists() and not place.is_file():  # a pipe or a device is written to, never replaced
            path.write_bytes(content)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with partial.open("xb") as writer:
                writer.write(content)
                writer.flush()
                os.fsync(writer.fileno())
            if place.exists():
                shutil.copymode(place, partial)
            partial.replace(place)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
