"""What a chat history holds, whatever file it came from.

A history belongs to one user. It may bring its own nodes and edges; conversations and files are assigned
to nodes by the write path unless they name one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from engine.domain.scope import Origin, Privacy

NodePath = tuple[str, ...]
"""Names from layer 1 downwards; the empty path is the user."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `ref` is the source's own id of it, `at` its time (aware) where the source has one. One that is private
    becomes a record of its own where it lies, which no grant opens."""

    speaker: str
    text: str
    at: datetime | None = None
    ref: str | None = None
    privacy: Privacy = "org"


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order. `source_id` is unique in the history; `node` fixes the node instead of assignment,
    `origin` its scope and source instead of those of the caller."""

    source_id: str
    turns: tuple[Turn, ...]
    title: str = ""
    started_at: datetime | None = None
    node: NodePath | None = None
    origin: Origin | None = None
    privacy: Privacy = "org"

    @property
    def holds_private(self) -> bool:
        """Whether it, or any turn of it, is private."""
        return self.privacy == "private" or any(turn.privacy == "private" for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of many, with the id under which it is stored once."""

    source_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """A file that came with the history, read when it is stored and not before."""

    source_id: str
    path: Path
    content_type: str
    title: str = ""
    occurred_at: datetime | None = None
    node: NodePath | None = None
    origin: Origin | None = None
    privacy: Privacy = "org"


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """A node that the history asks for; parents come before children."""

    path: NodePath
    node_type: str = "concept"
    summary: str = ""
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedEdge:
    """A cross-node edge that the history asks for."""

    source: NodePath
    target: NodePath
    edge_type: str
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file of a folder that is not read, by its path in the folder, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """One user's history. `handle` names the user inside a workspace. `passed_over`: files of its folder that were not read."""

    handle: str
    display_name: str
    conversations: tuple[Conversation, ...]
    files: tuple[HistoryFile, ...] = ()
    nodes: tuple[PlannedNode, ...] = ()
    edges: tuple[PlannedEdge, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()

    def private(self) -> History:
        """The same history, all that it holds for its user alone."""
        return replace(
            self,
            conversations=tuple(replace(one, privacy="private") for one in self.conversations),
            files=tuple(replace(one, privacy="private") for one in self.files),
        )

    def without_nodes(self) -> History:
        """The same history, all of it at the root."""
        return replace(
            self,
            conversations=tuple(replace(one, node=None) for one in self.conversations),
            files=tuple(replace(one, node=None) for one in self.files),
            nodes=(),
            edges=(),
        )

    def turns(self) -> Iterator[Turn]:
        for conversation in self.conversations:
            yield from conversation.turns


def source_key(conversation_id: str) -> str:
    """The id of a conversation in the table of stored sources."""
    return f"conversation:{conversation_id}"[:500]
