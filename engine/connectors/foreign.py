"""Exports of other assistants: recognised, so that the error says what they are and what can be read instead."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from engine.connectors.source import ACCEPTED, disk_errors, shown
from engine.errors import WrongContentType

_HEAD = 256 * 1024
"""Bytes from which an export is recognised; exports of years are far larger than what is read at once."""
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json", re.IGNORECASE)
_KEYS = {"ChatGPT": (b'"mapping"', b'"create_time"'), "Claude": (b'"chat_messages"', b'"uuid"')}


def refuse_foreign(path: Path) -> None:
    """Raises WrongContentType for an export of another assistant: its conversations.json, the folder or the ZIP with it."""
    with disk_errors(path):
        head = _head(path)
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return
    for assistant, keys in _KEYS.items():
        if all(key in head for key in keys):
            raise WrongContentType(
                f"{shown(path)} is an export of {assistant}, which is not read yet. Read today: {ACCEPTED}; "
                "docs/history-format.md describes the history, to which an export can be converted."
            )


def _head(path: Path) -> bytes:
    """The beginning of the conversations; empty where there are none that have a place in an export."""
    if path.is_dir():
        path = next((one for one in sorted(path.iterdir()) if _CONVERSATIONS.fullmatch(one.name)), path)
    if path.suffix.lower() == ".zip":
        return _packed_head(path)
    if path.suffix.lower() != ".json" or not path.is_file():
        return b""
    with path.open("rb") as reader:
        return reader.read(_HEAD)


def _packed_head(path: Path) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            inside = next((name for name in sorted(archive.namelist()) if _CONVERSATIONS.fullmatch(name)), None)
            if inside is None:
                return b""
            with archive.open(inside) as reader:
                return reader.read(_HEAD)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):  # damaged, encrypted, or packed in another way
        return b""
