"""Saved statements of explorers: `cypher/bloom/phrases` and `actions`, one a file, with what their headers say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import LiteralString
from uuid import UUID

FOLDER = Path(__file__).resolve().parents[2] / "cypher" / "bloom"
_HEADER = re.compile(r"^// ([A-Z][\w ]*): (.*)$", re.MULTILINE)
_PAIR = re.compile(r'(\w+) (?:from (\w+)|"([^"]*)")')


@dataclass(frozen=True, slots=True)
class Saved:
    """A search phrase or a scene action. `text` has its parameters as `$name`.

    `suggestions`: by parameter the file that lists its values; `example`: values for the bundled history;
    `empty`: why it finds nothing there.
    """

    name: str
    text: str
    purpose: str
    suggestions: dict[str, str]
    example: dict[str, str]
    empty: str
    statement: str

    def of(self, user_id: UUID) -> str:
        """The statement on the graph of that user alone."""
        return _of(self.statement, user_id)


@cache
def phrases() -> tuple[Saved, ...]:
    """The search phrases, by name of their file."""
    return _saved("phrases", "Phrase")


@cache
def actions() -> tuple[Saved, ...]:
    """The scene actions, by name of their file."""
    return _saved("actions", "Action")


def suggestions(name: str, user_id: UUID) -> str:
    """The statement that lists the values of a parameter in the graph of that user."""
    return _of(_body((FOLDER / "suggestions" / f"{name}.cypher").read_text(encoding="utf-8")), user_id)


@cache
def schema(name: str) -> LiteralString:
    """A statement that reads which properties a graph has."""
    return (FOLDER / "schema" / f"{name}.cypher").read_text(encoding="utf-8")


def _saved(folder: str, kind: str) -> tuple[Saved, ...]:
    found = []
    for path in sorted((FOLDER / folder).glob("*.cypher")):
        text = path.read_text(encoding="utf-8")
        header = dict(_HEADER.findall(text))
        given = {key: _PAIR.findall(header.get(key, "")) for key in ("Suggestions", "Example")}
        one = Saved(
            name=path.stem,
            text=header[kind],
            purpose=header["Purpose"],
            suggestions={name: listed for name, listed, _ in given["Suggestions"]},
            example={name: value for name, _, value in given["Example"]},
            empty=header.get("Empty on the bundled history", ""),
            statement=_body(text),
        )
        found.append(one)
    return tuple(found)


def _body(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("//"))


def _of(statement: str, user_id: UUID) -> str:
    # Explorers ask a person for every parameter, so the user is written into the text. An id needs no quoting.
    return statement.replace("$user_id", f"'{user_id}'")
