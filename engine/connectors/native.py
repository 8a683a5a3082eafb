"""The project's own format, `neurigraph-history/1`, described in docs/history-format.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast, get_args

from pydantic import Field

from engine.connectors.outline import EdgeForm, NodeForm, Outline
from engine.connectors.places import (
    Few,
    Form,
    Skipped,
    drained,
    emptied,
    filled,
    identifier,
    joined,
    moment,
    named,
    storable,
)
from engine.connectors.source import disk_errors, shown, size_of
from engine.domain.history import Conversation, History, HistoryFile, Turn
from engine.domain.scope import MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.errors import InvalidHistory, InvalidInput

FORMAT = "neurigraph-history/1"


class _UserForm(Form):
    handle: str
    name: str | None = None


class _HistoryForm(Form):
    format: str
    user: _UserForm | None = None
    nodes: Few[NodeForm] = Field(default_factory=list)
    edges: Few[EdgeForm] = Field(default_factory=list)
    conversations: list[object] = Field(default_factory=list)
    files: list[object] = Field(default_factory=list)


class _SourceForm(Form):
    id: str
    title: str = ""
    node: Few[str] | None = None
    scope: str | None = None
    scope_id: str | None = None
    source: str | None = None
    privacy: str | None = None


class _ConversationForm(_SourceForm):
    started_at: str | None = None
    turns: list[object]


class _TurnForm(Form):
    speaker: str
    text: str
    at: str | None = None
    id: str | None = None
    privacy: str | None = None


class _FileForm(_SourceForm):
    path: str
    content_type: str
    occurred_at: str | None = None


def native_history(
    document: dict[str, object], folder: Path, *, handle: str | None, max_text_bytes: int, skipped: Skipped
) -> History:
    """The history that a parsed document holds; files are looked up below `folder`. Empties the document.

    Raises InvalidHistory with the place of what is wrong, InvalidName, DepthExceeded, TooLarge.
    """
    form = emptied(_HistoryForm, document, "")
    if form.format != FORMAT:
        raise InvalidHistory(f"{storable(form.format[:60], 'format')!r} is not {FORMAT!r}.", path="format")
    handle, name = _user(form.user, handle)
    outline = Outline()
    outline.list_nodes(form.nodes, "nodes")
    conversations = _conversations(form.conversations, outline, skipped)
    files = _Files(folder, max_text_bytes, outline, skipped).read(form.files)
    edges = outline.edges(form.edges, "edges")
    return History(handle, name, conversations, files, outline.nodes(), edges)


def _user(form: _UserForm | None, handle: str | None) -> tuple[str, str]:
    if form is None:
        if handle is None:
            raise InvalidHistory("The history names no user; add one or pass a handle.", path="user")
        return handle, handle
    chosen = handle if handle is not None else named(form.handle, "user.handle")
    return chosen, named(form.name, "user.name") if form.name is not None else chosen


def _conversations(entries: list[object], outline: Outline, skipped: Skipped) -> tuple[Conversation, ...]:
    found: dict[str, Conversation] = {}
    for place, raw in drained(entries, "conversations"):
        form = emptied(_ConversationForm, raw, place)
        identifier(form.id, joined(place, "id"))
        if form.id in found:
            raise InvalidHistory(f"Another conversation has the id {form.id!r} too.", path=joined(place, "id"))
        conversation = Conversation(
            form.id,
            _turns(form.turns, joined(place, "turns"), skipped),
            storable(form.title, joined(place, "title")),
            moment(form.started_at, joined(place, "started_at")),
            outline.path(form.node, joined(place, "node")),
            _origin(form, place),
            _privacy(form.privacy, joined(place, "privacy")),
        )
        found[form.id] = conversation
    kept = tuple(conversation for conversation in found.values() if conversation.turns)
    skipped["conversation without turns"] += len(found) - len(kept)
    return kept


def _origin(form: _SourceForm, place: str) -> Origin | None:
    """Scope and source where the history names one of them. Raises InvalidHistory."""
    if form.scope is None and form.scope_id is None and form.source is None:
        return None
    try:
        scope = MemoryScope(cast(ScopeKind, form.scope or "user"), form.scope_id)
        return Origin(scope, cast(SourceKind, form.source or "ingested"))
    except InvalidInput as error:
        raise InvalidHistory(error.detail, path=place) from error


def _privacy(given: str | None, place: str) -> Privacy:
    if given is not None and given not in get_args(Privacy):
        raise InvalidHistory(f"What is stored is org or private, not {storable(given[:60], place)!r}.", path=place)
    return cast(Privacy, given or "org")


def _turns(entries: list[object], place: str, skipped: Skipped) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    speakers: dict[str, str] = {}  # few names, many turns: each is cleaned and kept once
    for where, raw in drained(entries, place):
        form = filled(_TurnForm, raw, where)
        if form.speaker not in speakers:
            speakers[form.speaker] = named(form.speaker, joined(where, "speaker"))
        at = moment(form.at, joined(where, "at"))
        ref = identifier(form.id, joined(where, "id")) if form.id is not None else None
        text = storable(form.text, joined(where, "text"))
        privacy = _privacy(form.privacy, joined(where, "privacy"))
        if text.strip():
            turns.append(Turn(speakers[form.speaker], text, at, ref, privacy))
        else:
            skipped["turn without text"] += 1
    return tuple(turns)


class _Files:
    """Reads the entries of `files`; a file's bytes are read when it is stored, its size and place now."""

    def __init__(self, folder: Path, max_text_bytes: int, outline: Outline, skipped: Skipped) -> None:
        self._folder, self._limit = Path(os.path.realpath(folder)), max_text_bytes
        self._outline, self._skipped = outline, skipped

    def read(self, entries: list[object]) -> tuple[HistoryFile, ...]:
        files: list[HistoryFile] = []
        seen: set[str] = set()
        for place, raw in drained(entries, "files"):
            form = filled(_FileForm, raw, place)
            if identifier(form.id, joined(place, "id")) in seen:
                raise InvalidHistory(f"Another file has the id {form.id!r} too.", path=joined(place, "id"))
            seen.add(form.id)
            path = self._located(form.path, joined(place, "path"))
            file = HistoryFile(
                form.id,
                path,
                identifier(form.content_type, joined(place, "content_type")),
                storable(form.title, joined(place, "title")),
                moment(form.occurred_at, joined(place, "occurred_at")),
                self._outline.path(form.node, joined(place, "node")),
                _origin(form, place),
                _privacy(form.privacy, joined(place, "privacy")),
            )
            if self._size(path, joined(place, "path")):
                files.append(file)
            else:
                self._skipped["empty file"] += 1
        return tuple(files)

    def _located(self, raw: str, place: str) -> Path:
        identifier(raw, place)
        with disk_errors(self._folder):
            path = Path(os.path.realpath(self._folder / raw))
        if not path.is_relative_to(self._folder):
            raise InvalidHistory(f"{raw!r} leads out of the folder of the history.", path=place)
        return path

    def _size(self, path: Path, place: str) -> int:
        try:
            return size_of(path, self._limit)
        except InvalidHistory as error:
            raise InvalidHistory(error.detail, path=place) from error
        except InvalidInput as error:
            raise type(error)(f"{shown(path)}: {error.detail} (at {place})") from error
