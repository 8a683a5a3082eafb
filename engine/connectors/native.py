"""The project's own format, `neurigraph-history/1`, described in docs/history-format.md, and the nodes and edges that such a
history plans, in an order in which they can be created.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast, get_args

from pydantic import Field

from engine.connectors.source import (
    Few,
    Form,
    Skipped,
    disk_errors,
    drained,
    emptied,
    filled,
    identifier,
    joined,
    kind_of,
    moment,
    named,
    shown,
    size_of,
    storable,
)
from engine.domain.history import Conversation, History, HistoryFile, NodePath, PlannedEdge, PlannedNode, Turn
from engine.domain.names import name_key
from engine.domain.node import MAX_LAYER
from engine.domain.scope import MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.errors import DepthExceeded, InvalidHistory, InvalidInput

LONGEST_SUMMARY = 2_000
MOST_TERMS = 100
"""Keywords, and aliases, of one node."""
FORMAT = "neurigraph-history/1"


class NodeForm(Form):
    """An entry of `nodes`."""

    path: Few[str]
    type: Literal["concept", "persona"] = "concept"
    summary: str = ""
    keywords: Few[str] = Field(default_factory=list)
    aliases: Few[str] = Field(default_factory=list)


class EdgeForm(Form):
    """An entry of `edges`."""

    source: Few[str] = Field(alias="from")
    target: Few[str] = Field(alias="to")
    type: str
    properties: dict[str, object] = Field(default_factory=dict)


class Outline:
    """Collects nodes; each path is kept in the spelling in which it was first listed, ancestors included."""

    def __init__(self) -> None:
        self._nodes: dict[NodePath, PlannedNode] = {}  # by path of keys
        self._listed: set[NodePath] = set()

    def list_nodes(self, forms: list[NodeForm], place: str) -> None:
        """Takes the nodes that the history lists. Raises InvalidHistory when one is listed twice."""
        for number, form in enumerate(forms):
            where = joined(place, number)
            keys = self._take(form.path, joined(where, "path"))
            if not keys:
                raise InvalidHistory("A node's path has at least one name.", path=joined(where, "path"))
            if keys in self._listed:
                raise InvalidHistory(f"The node {form.path} is listed twice.", path=where)
            self._listed.add(keys)
            self._nodes[keys] = replace(_described(form, where), path=self._nodes[keys].path)

    def path(self, names: list[str] | None, place: str) -> NodePath | None:
        """The path in the listed spelling; a path that is not listed joins the outline as concepts."""
        if names is None:
            return None
        keys = self._take(names, place)
        return self._nodes[keys].path if keys else ()

    def edges(self, forms: list[EdgeForm], place: str) -> tuple[PlannedEdge, ...]:
        """The edges. Raises InvalidHistory where an end is no node of the outline, or both ends are one."""
        return tuple(self._edge(form, joined(place, number)) for number, form in enumerate(forms))

    def nodes(self) -> tuple[PlannedNode, ...]:
        """All nodes, parents before children, otherwise in the order of the history."""
        return tuple(sorted(self._nodes.values(), key=lambda node: len(node.path)))

    def _edge(self, form: EdgeForm, place: str) -> PlannedEdge:
        source = self._known(form.source, joined(place, "from"))
        target = self._known(form.target, joined(place, "to"))
        if source == target:
            raise InvalidHistory("An edge needs two different nodes.", path=place)
        return PlannedEdge(source, target, named(form.type, joined(place, "type")), _properties(form.properties, place))

    def _known(self, names: list[str], place: str) -> NodePath:
        keys = _keys(names, place)
        if keys not in self._nodes:
            raise InvalidHistory(f"No node of this history has the path {names}.", path=place)
        return self._nodes[keys].path

    def _take(self, names: list[str], place: str) -> NodePath:
        keys = _keys(names, place)
        path: NodePath = ()
        for depth in range(1, len(keys) + 1):
            name = named(names[depth - 1], joined(place, depth - 1))
            path = self._nodes.setdefault(keys[:depth], PlannedNode((*path, name))).path
        return keys


def _keys(names: list[str], place: str) -> NodePath:
    if len(names) > MAX_LAYER:
        raise DepthExceeded(f"A path has at most {MAX_LAYER} names; this one has {len(names)} (at {place}).")
    return tuple(name_key(named(name, joined(place, number))) for number, name in enumerate(names))


def _described(form: NodeForm, place: str) -> PlannedNode:
    summary = storable(form.summary, joined(place, "summary"))
    if len(summary) > LONGEST_SUMMARY:
        detail = f"A summary has at most {LONGEST_SUMMARY:,} characters; this one has {len(summary):,}."
        raise InvalidHistory(detail, path=joined(place, "summary"))
    keywords = _terms(form.keywords, joined(place, "keywords"))
    return PlannedNode((), form.type, summary, keywords, _terms(form.aliases, joined(place, "aliases")))


def _terms(raw: list[str], place: str) -> tuple[str, ...]:
    if len(raw) > MOST_TERMS:
        raise InvalidHistory(f"A node has at most {MOST_TERMS} of these, not {len(raw):,}.", path=place)
    return tuple(named(term, joined(place, number)) for number, term in enumerate(raw))


def _properties(raw: Mapping[str, object], place: str) -> dict[str, str]:
    properties: dict[str, str] = {}
    for key, value in raw.items():
        where = joined(place, "properties", key)
        if not isinstance(value, str):
            raise InvalidHistory(f"Expected a text, found {kind_of(value)}.", path=where)
        properties[identifier(key, where)] = storable(value, where)
    return properties


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
