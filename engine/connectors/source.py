"""Bytes from the disk: what may be read, how much of it, and whether it is text at all; and where in a JSON document something
is wrong: checks of single values that name their place, as in `conversations[3].turns[7].text`.

Every error of the file system becomes an InvalidInput here; nothing above catches OSError.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.domain.clock import time_problem
from engine.domain.names import clean_name
from engine.errors import InvalidHistory, InvalidName, TooLarge, WrongContentType

LONGEST_ID = 400
"""Characters of a source's own id: it goes into keys that must stay whole."""

Skipped = Counter[str]
"""What was empty and left out, by kind: "conversations without turns" → 2."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_EXPECTED = {"string_type": "a text", "list_type": "a list", "dict_type": "an object", "model_type": "an object"}

ACCEPTED = "a history as .json, or text files as .txt, .md or .markdown, or a folder of those"
_PART = 1024 * 1024
_BINARY = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or office document",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF87a": "a GIF picture",
    b"GIF89a": "a GIF picture",
    b"\x7fELF": "a program",
    b"\xd0\xcf\x11\xe0": "an office document",
    b"SQLite format 3\x00": "a SQLite database",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


class Form(BaseModel):
    """An object of a document: types are not converted, unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


Entry = TypeVar("Entry")
Few = Annotated[list[Entry], Field(fail_fast=True)]
"""A list that ends at its first wrong entry: the errors of millions would not fit into memory."""

FormType = TypeVar("FormType", bound=Form)


def filled(form: type[FormType], raw: object, place: str) -> FormType:
    """The form filled from a JSON value. Raises InvalidHistory at the first field that does not fit."""
    try:
        return form.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = joined(place, *first["loc"])
        if first["type"] == "missing":
            raise InvalidHistory("This field is missing.", path=where) from error
        expected = _EXPECTED.get(first["type"])
        found = kind_of(first["input"])
        detail = f"Expected {expected}, found {found}." if expected else f"{first['msg']}, found {found}."
        raise InvalidHistory(detail, path=where) from error


def emptied(form: type[FormType], raw: object, place: str) -> FormType:
    """As `filled`; empties the object, so that what the form releases is freed."""
    result = filled(form, raw, place)
    if isinstance(raw, dict):
        raw.clear()
    return result


def joined(place: str, *steps: str | int) -> str:
    """The place of a field or list entry below a place."""
    for step in steps:
        if isinstance(step, int):
            place += f"[{step}]"
        elif _WORD.fullmatch(step):
            place += f".{step}" if place else step
        else:
            place += f"[{step[:60]!r}]"
    return place


def drained(entries: list[object], place: str) -> Iterator[tuple[str, object]]:
    """Each entry with its place; removes it from the list, so that not all forms and values are held at once."""
    for number, entry in enumerate(entries):
        entries[number] = None
        yield joined(place, number), entry


def storable(text: str, place: str) -> str:
    """The text itself. Raises InvalidHistory for a NUL character, which Postgres cannot hold."""
    if "\x00" in text:
        raise InvalidHistory(f"Character {text.index(chr(0)) + 1} is NUL, which cannot be stored.", path=place)
    return text


def identifier(text: str, place: str) -> str:
    """An id of the source. Raises InvalidHistory unless it has 1 to 400 storable characters."""
    if not 1 <= len(text) <= LONGEST_ID:
        raise InvalidHistory(f"An id has 1 to {LONGEST_ID} characters; this one has {len(text):,}.", path=place)
    return storable(text, place)


def named(raw: str, place: str) -> str:
    """The clean name. Raises InvalidName with the place."""
    try:
        return clean_name(raw)
    except InvalidName as error:
        raise InvalidName(f"{error.detail} (at {place})") from error


def moment(raw: str | None, place: str) -> datetime | None:
    """A date-time from ISO 8601 with the offset it was written with, None for null. Raises InvalidHistory.

    The offset stays: "yesterday" counts from the day on the speaker's calendar. Without one it is UTC.
    """
    if raw is None:
        return None
    try:
        return _aware(datetime.fromisoformat(raw))
    except ValueError as error:
        shown = storable(raw[:60], place)
        raise InvalidHistory(f"{shown!r} is not an ISO 8601 date-time.", path=place) from error


def _aware(parsed: datetime) -> datetime:
    """Raises ValueError for what no store can hold: far offsets, the ends of time in UTC."""
    aware = parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
    if problem := time_problem(aware):
        raise ValueError(problem)
    return aware


def kind_of(value: object) -> str:
    """The kind of a JSON value, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")


def shown(path: Path) -> str:
    """The last part of the path, printable even where the file system's name is not UTF-8."""
    return os.fsencode(path.name or path).decode("utf-8", "replace")


def whole_path(path: Path) -> str:
    """All of a path, printable."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


def size_of(path: Path, limit: int) -> int:
    """Bytes of a regular file, by its directory entry alone. Raises InvalidHistory, or TooLarge above `limit`."""
    with disk_errors(path):
        status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise InvalidHistory(f"{shown(path)} is {kind}; expected {ACCEPTED}.")
    if status.st_size > limit:
        raise TooLarge(f"{shown(path)} has {status.st_size:,} bytes; the limit is {limit:,} (max_text_bytes).")
    return status.st_size


def read_text_bytes(path: Path, limit: int) -> bytes:
    """The whole file without a byte order mark, checked to be UTF-8. Raises as `size_of` and `check_text`."""
    size_of(path, limit)
    with disk_errors(path), path.open("rb") as reader:
        content = reader.read(limit + 1)
    if len(content) > limit:
        raise TooLarge(f"{shown(path)} grew past the limit of {limit:,} bytes while it was read.")
    first = content[:_PART].lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    _refuse_binary(path, content[:_PART], nul_is_binary=first not in (b"{", b"["))
    check = _Utf8(path)
    for start in range(0, len(content), _PART):
        check.take(content[start : start + _PART])
    check.end()
    return content.removeprefix(codecs.BOM_UTF8)


def check_text(path: Path, limit: int) -> bool:
    """Whether a text file holds more than white space. Reads it in parts and keeps nothing.

    Raises InvalidHistory for what cannot be read or is not UTF-8, WrongContentType for binary content, TooLarge.
    """
    size_of(path, limit)
    check, says_something = _Utf8(path), False
    with disk_errors(path), path.open("rb") as reader:
        for number, part in enumerate(_parts(reader)):
            _refuse_binary(path, part, nul_is_binary=True, from_start=number == 0)
            says_something = bool(check.take(part).strip("\ufeff \t\r\n")) or says_something
    check.end()
    return says_something


def text_paths(folder: Path) -> list[Path]:
    """All files below the folder, sorted; hidden ones and hidden folders are left out."""

    def refuse(error: OSError) -> None:
        raise error

    found: list[Path] = []
    with disk_errors(folder):
        for parent, folders, names in os.walk(folder, onerror=refuse):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [Path(parent, name) for name in names if not name.startswith(".")]
    return sorted(found)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Translates errors of the file system about the path."""
    try:
        yield
    except FileNotFoundError as error:
        raise InvalidHistory(f"{shown(path)} was not found; nothing of it was stored.") from error
    except PermissionError as error:
        raise InvalidHistory(f"{shown(path)} may not be read by this user.") from error
    except OSError as error:
        raise InvalidHistory(f"{shown(path)} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a NUL in the path itself
        raise InvalidHistory("This path holds a NUL character.") from error


class _Utf8:
    """Checks UTF-8 part by part and knows the place of the first byte that is none."""

    def __init__(self, path: Path) -> None:
        self._path, self._decode = path, codecs.getincrementaldecoder("utf-8")()
        self._seen, self._lines = 0, 1

    def take(self, part: bytes, final: bool = False) -> str:
        pending = len(self._decode.getstate()[0])
        try:
            text = self._decode.decode(part, final)
        except UnicodeDecodeError as error:
            offset = self._seen - pending + error.start
            line = self._lines + part.count(b"\n", 0, max(error.start - pending, 0))
            raise InvalidHistory(
                f"{shown(self._path)} is not valid UTF-8: byte {offset:,} (counted from 0) in line {line:,}."
            ) from error
        self._seen += len(part)
        self._lines += part.count(b"\n")
        return text

    def end(self) -> None:
        self.take(b"", final=True)


def _parts(reader: BinaryIO) -> Iterator[bytes]:
    while part := reader.read(_PART):
        yield part


def _refuse_binary(path: Path, part: bytes, *, nul_is_binary: bool, from_start: bool = True) -> None:
    kind = next((kind for magic, kind in _BINARY.items() if from_start and part.startswith(magic)), None)
    if kind is None and nul_is_binary and b"\x00" in part:
        kind = "binary"
    if kind is not None:
        raise WrongContentType(f"{shown(path)} is {kind} by its content; accepted is {ACCEPTED}, all in UTF-8.")
