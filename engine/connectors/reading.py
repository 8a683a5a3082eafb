"""Recognises what a path holds and reads it: own format, LoCoMo, text files, one or a folder of them, as a history without
conversations. Exports of other assistants are recognised, so that the error says what they are and what can be read instead.

The disk and the parser work in a thread; progress is reported from the event loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import zipfile
from collections import Counter
from pathlib import Path

from pydantic_core import from_json

from engine.connectors.locomo import locomo_histories
from engine.connectors.native import FORMAT, native_history
from engine.connectors.source import (
    ACCEPTED,
    LONGEST_ID,
    Skipped,
    check_text,
    disk_errors,
    read_text_bytes,
    shown,
    size_of,
    text_paths,
    whole_path,
)
from engine.domain.history import History, HistoryFile, PassedOver
from engine.domain.names import clean_name
from engine.errors import InvalidHistory, TooLarge, WrongContentType
from engine.progress import Progress, counted

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


CONTENT_TYPES = {".txt": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown"}


def text_history(path: Path, *, handle: str | None, max_text_bytes: int, skipped: Skipped) -> History:
    """A history whose files are the text file, or those below the folder. Dates are unknown: None.

    A file of a folder that cannot be read is passed over. Raises InvalidHistory without a handle, for a file that cannot be read,
    and for a folder in which none can; WrongContentType, TooLarge.
    """
    if handle is None:
        raise InvalidHistory(f"{shown(path)} holds texts, which name no user; pass a handle.")
    if not path.is_dir():
        file = _checked(path, path.parent, max_text_bytes)
        skipped["empty file"] += file is None
        return History(handle, handle, (), (file,) if file else ())
    files: list[HistoryFile] = []
    passed_over: list[PassedOver] = []
    for one in text_paths(path):
        try:
            _refuse_stray_link(one, path)
            file = _checked(one, path, max_text_bytes)
        except (InvalidHistory, WrongContentType, TooLarge) as error:  # one bad file does not refuse a folder
            passed_over.append(
                PassedOver(whole_path(one.relative_to(path)), error.detail.removeprefix(f"{shown(one)} "))
            )
            continue
        skipped["empty file"] += file is None
        files += [file] if file else []
    if passed_over and not files:
        first = passed_over[0]
        raise InvalidHistory(
            f"{shown(path)} holds no file that is read; the first of {len(passed_over):,}: {first.path} {first.reason}"
        )
    return History(handle, handle, (), tuple(files), passed_over=tuple(passed_over))


def _checked(file: Path, folder: Path, max_text_bytes: int) -> HistoryFile | None:
    """A text file; None where it is empty. Raises InvalidHistory, WrongContentType, TooLarge."""
    content_type = CONTENT_TYPES.get(file.suffix.lower())
    if content_type is None:
        raise WrongContentType(f"{shown(file)} is not read here; accepted is {ACCEPTED}.")
    source_id = _source_id(file.relative_to(folder))
    return HistoryFile(source_id, file, content_type, file.stem) if check_text(file, max_text_bytes) else None


def _refuse_stray_link(file: Path, folder: Path) -> None:
    """Only a folder's own files are read: a link out of it would store files that the caller did not name."""
    if not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder)):
        raise InvalidHistory(f"{shown(file)} is a link that leads out of the folder.")


def _source_id(relative: Path) -> str:
    name = relative.as_posix()
    try:
        digest = hashlib.sha256(name.encode()).hexdigest()
    except UnicodeEncodeError as error:
        raise InvalidHistory(f"The name of the file {shown(relative)} is not valid UTF-8.") from error
    return name if len(name) <= LONGEST_ID else f"{name[: LONGEST_ID - 65]}#{digest[:64]}"


_TASK = "read"
_SEVERAL = {
    "empty file": "empty files",
    "turn without text": "turns without text",
    "conversation without turns": "conversations without turns",
    "sample without turns": "samples without turns",
}
"""What is left out, as it is named where there is one, and where there are more."""
_AT = re.compile(r"^(.*) at line (\d+) column (\d+)$", re.DOTALL)


async def read_history(
    path: Path, *, handle: str | None = None, max_text_bytes: int, progress: Progress
) -> list[History]:
    """The histories in a file or folder, never empty ones; nothing is written.

    `handle` names the user instead of the file's own; text files need it. What is empty is left out and
    counted in the note of the progress. Raises an InvalidInput, nearly always InvalidHistory with the place
    of the first thing that is wrong; WrongContentType for an export of another assistant; TooLarge for a file above
    `max_text_bytes`.
    """
    user = clean_name(handle) if handle is not None else None
    skipped: Skipped = Counter()
    await asyncio.to_thread(refuse_foreign, path)
    size = await asyncio.to_thread(_size, path, max_text_bytes)
    progress.start(_TASK, size, "bytes" if size is not None else "")
    try:
        histories = await asyncio.to_thread(_read, path, user, max_text_bytes, skipped)
        progress.advance(_TASK, size or 0)
    finally:
        progress.finish(_TASK, _note(skipped))
    return histories


def _size(path: Path, max_text_bytes: int) -> int | None:
    """Bytes of a file, None for a folder: unknown before it was walked."""
    if _is_folder(path):
        return None
    if path.suffix.lower() not in (".json", *CONTENT_TYPES):
        with disk_errors(path):
            path.stat()  # a missing file is reported before an unknown kind
        raise WrongContentType(f"{shown(path)} is not read here; accepted is {ACCEPTED}.")
    return size_of(path, max_text_bytes)


def _is_folder(path: Path) -> bool:
    with disk_errors(path):
        return path.is_dir()


def _read(path: Path, handle: str | None, max_text_bytes: int, skipped: Skipped) -> list[History]:
    if path.suffix.lower() == ".json" and not _is_folder(path):
        histories = _documented(path, handle, max_text_bytes, skipped)
    else:
        histories = [text_history(path, handle=handle, max_text_bytes=max_text_bytes, skipped=skipped)]
    if not any(history.conversations or history.files for history in histories):
        raise InvalidHistory(f"{shown(path)} holds no turn with text and no file with content.")
    return histories


def _documented(path: Path, handle: str | None, max_text_bytes: int, skipped: Skipped) -> list[History]:
    document = _parsed(path, max_text_bytes)
    if isinstance(document, list) or (isinstance(document, dict) and "conversation" in document):
        return locomo_histories(document, handle=handle, skipped=skipped)
    if isinstance(document, dict) and "format" in document:
        return [native_history(document, path.parent, handle=handle, max_text_bytes=max_text_bytes, skipped=skipped)]
    raise InvalidHistory(
        f"{shown(path)} is JSON, but no history that is known here: neither an object with "
        f'"format": "{FORMAT}" nor samples with a "conversation".'
    )


def _parsed(path: Path, max_text_bytes: int) -> object:
    content = read_text_bytes(path, max_text_bytes)
    if not content or content.isspace():
        raise InvalidHistory(f"{shown(path)} is empty.")
    try:
        return from_json(content, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        found = _AT.match(str(error))
        if found is None:
            raise InvalidHistory(f"{shown(path)} is not valid JSON: {error}.") from error
        line, offset = int(found[2]), int(found[3])
        raise InvalidHistory(
            f"{shown(path)} is not valid JSON: {_explained(found[1])}.",
            line=line,
            column=_column(content, line, offset),
        ) from error


def _explained(complaint: str) -> str:
    if "hex escape" in complaint:
        return f"a \\u escape is not whole or half a surrogate pair ({complaint})"
    return complaint.replace("expected ident", "a word that JSON does not know")


def _column(content: bytes, line: int, offset: int) -> int:
    """The column in characters from one in bytes."""
    start = 0
    for _ in range(line - 1):
        start = content.index(b"\n", start) + 1
    return max(len(content[start : start + offset].decode("utf-8", "ignore")), 1)


def _note(skipped: Skipped) -> str:
    noted = [counted(count, kind, _SEVERAL[kind]) for kind, count in skipped.items() if count]
    return f"skipped {', '.join(noted)}" if noted else ""
