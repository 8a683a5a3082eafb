"""Files on their way into the object store: compressed one by one, hashed, under keys that mirror the hierarchy."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from engine.domain.names import slug
from engine.domain.record import AssignableNode, FileDraft
from engine.errors import InvalidInput

NATIVE_TYPES = ("image/", "video/", "audio/", "application/pdf", "application/zip", "application/gzip")
"""Content types whose bytes are compressed already; they are stored as they are."""
BLOCK = 1 << 20
SHORT = 8 << 10
"""Bytes up to which a file is packed sooner than a thread for it begins."""


def is_native(content_type: str) -> bool:
    """Whether files of this type are stored without compressing them again."""
    return content_type.startswith(NATIVE_TYPES)


def object_key(node: AssignableNode, file: FileDraft) -> str:
    """Where the file of a record lies: the node's path in ASCII, the file's own id, its name."""
    folders = [node.root_schema, *(slug(name) for name in node.place[1:])]
    stem, dot, suffix = file.name.rpartition(".")
    name = slug(stem if dot else file.name)[:90] + (f".{slug(suffix)[:9]}" if dot else "")
    return "/".join([*folders, str(file.file_id), name if is_native(file.content_type) else f"{name}.gz"])


async def pack(file: FileDraft, target: IO[bytes]) -> tuple[int, bytes]:
    """Writes the file's bytes to `target`, compressed unless native; returns original size and SHA-256.

    Raises InvalidInput when the file vanishes while it is read.
    """
    short = isinstance(file.content, bytes) and len(file.content) <= SHORT
    return _pack(file, target) if short else await asyncio.to_thread(_pack, file, target)


def _pack(file: FileDraft, target: IO[bytes]) -> tuple[int, bytes]:
    digest = hashlib.sha256()
    size = 0
    try:
        # mtime 0: the same content gives the same bytes
        native = is_native(file.content_type)
        packer = nullcontext(target) if native else gzip.GzipFile(fileobj=target, mode="wb", compresslevel=6, mtime=0)
        with packer as writer:
            for block in _blocks(file.content):
                digest.update(block)
                size += len(block)
                writer.write(block)
    except FileNotFoundError as error:
        raise InvalidInput(f"{file.name} vanished while it was read; nothing of it was stored.") from error
    return size, digest.digest()


def _blocks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as reader:
        while block := reader.read(BLOCK):
            yield block
