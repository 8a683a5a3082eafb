"""Text files, one or a folder of them, as a history without conversations."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from engine.connectors.places import LONGEST_ID, Skipped
from engine.connectors.source import ACCEPTED, check_text, shown, text_paths
from engine.domain.history import History, HistoryFile
from engine.errors import InvalidHistory, WrongContentType

CONTENT_TYPES = {".txt": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown"}


def text_history(path: Path, *, handle: str | None, max_text_bytes: int, skipped: Skipped) -> History:
    """A history whose files are the text file, or those below the folder. Dates are unknown: None.

    Raises InvalidHistory without a handle and for what cannot be read, WrongContentType, TooLarge.
    """
    if handle is None:
        raise InvalidHistory(f"{shown(path)} holds texts, which name no user; pass a handle.")
    folder = path if path.is_dir() else path.parent
    files: list[HistoryFile] = []
    for file in text_paths(path) if path.is_dir() else [path]:
        content_type = CONTENT_TYPES.get(file.suffix.lower())
        if content_type is None:
            raise WrongContentType(f"{shown(file)} is not read here; accepted is {ACCEPTED}.")
        _refuse_stray_link(file, folder, whole_folder=path.is_dir())
        source_id = _source_id(file.relative_to(folder))
        if check_text(file, max_text_bytes):
            files.append(HistoryFile(source_id, file, content_type, file.stem))
        else:
            skipped["empty file"] += 1
    return History(handle, handle, (), tuple(files))


def _refuse_stray_link(file: Path, folder: Path, *, whole_folder: bool) -> None:
    """Only a folder's own files are read: a link out of it would store files that the caller did not name."""
    if whole_folder and not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder)):
        raise InvalidHistory(f"{shown(file)} is a link that leads out of the folder.")


def _source_id(relative: Path) -> str:
    name = relative.as_posix()
    try:
        digest = hashlib.sha256(name.encode()).hexdigest()
    except UnicodeEncodeError as error:
        raise InvalidHistory(f"The name of the file {shown(relative)} is not valid UTF-8.") from error
    return name if len(name) <= LONGEST_ID else f"{name[: LONGEST_ID - 65]}#{digest[:64]}"
