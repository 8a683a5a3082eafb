"""Text files, one or a folder of them, as a history without conversations."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from engine.connectors.places import LONGEST_ID, Skipped
from engine.connectors.source import ACCEPTED, check_text, shown, text_paths, whole_path
from engine.domain.history import History, HistoryFile, PassedOver
from engine.errors import InvalidHistory, TooLarge, WrongContentType

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
