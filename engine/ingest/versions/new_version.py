"""The parts of a document, and those of its new version, decided before anything is embedded or written. Pure.

A document that spans several concepts has a part at each of their nodes: a record with its passages. The file is stored once: the
user opens all of it, others the passages of the record (`engine.lifecycle.resources`). An unchanged chunk is found by its hash
and stays in its part; a new chunk goes to the part of the chunk before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from engine.domain.document import NewVersion, allotted, parted
from engine.domain.record import AssignableNode, ItemDraft, RecordDraft
from engine.domain.splitting import chunks
from engine.ingest.cleaning import fingerprint
from engine.ingest.describe import describe
from engine.ingest.drafts import document_draft
from engine.ingest.sources import ChangedDocument
from engine.records.diff import diff, digest


@dataclass(frozen=True, slots=True)
class PartHead:
    """The newest version of a document, or of the part of it that lies at one node."""

    document_id: UUID
    node_id: UUID
    version: int
    content_hash: bytes
    chunks: list[UUID]
    chunk_hashes: bytes
    known_at: datetime
    schema_name: str


@dataclass(frozen=True, slots=True)
class VersionPart:
    """The version of one part on its way in: the part as it was (`head`), its draft with the ids of what stayed, the ids of
    what is new, what is to end."""

    changed: ChangedDocument
    head: PartHead
    draft: RecordDraft
    new: frozenset[UUID]
    gone: tuple[UUID, ...]
    version: NewVersion
    commit_id: UUID
    part: bool = False
    """Whether the file holds what lies at other nodes, too."""

    @property
    def fresh(self) -> tuple[ItemDraft, ...]:
        """The items that were not there before."""
        return tuple(item for item in self.draft.items if item.item_id in self.new)

    @property
    def stayed(self) -> tuple[ItemDraft, ...]:
        """The others."""
        return tuple(item for item in self.draft.items if item.item_id not in self.new)


def shared(draft: RecordDraft, nodes: Sequence[AssignableNode]) -> list[RecordDraft]:
    """The record of a whole document as one for each node of its items; nodes in the order of their first item.

    `nodes`: the node of each item. Ids and positions of items are those in the whole document.
    """
    by_node: dict[UUID, tuple[AssignableNode, list[ItemDraft]]] = {}
    for item, node in zip(draft.items, nodes, strict=True):
        by_node.setdefault(node.node_id, (node, []))[1].append(item)
    return [_of_items(draft, uuid4(), node, items) for node, items in by_node.values()]


def _of_items(draft: RecordDraft, record_id: UUID, node: AssignableNode, items: Sequence[ItemDraft]) -> RecordDraft:
    text = draft.text if len(items) == len(draft.items) else "\n\n".join(item.content for item in items)
    return replace(draft, record_id=record_id, node=node, items=tuple(items), text=text)


def parts_of(
    changed: ChangedDocument,
    heads: Sequence[PartHead],
    nodes: Mapping[UUID, AssignableNode],
    count_tokens: Callable[[str], int],
    summary_words: int,
) -> list[VersionPart]:
    """Everything about the version that needs no vector, part by part, in the order of schemas, as writers lock them.

    `heads`: the newest version of each part, the largest first.
    """
    source, document = changed.source, changed.document
    whole = document_draft(source.session, document, chunks(document.text), nodes[heads[0].node_id], source.trigger)
    before = [pair for head in heads for pair in zip(head.chunks, parted(head.chunk_hashes), strict=True)]
    number = 1 + max(head.version for head in heads)
    found = diff(before, whole.items, lambda item: uuid5(source.session, f"{number}:{item.position}"))
    owner = {chunk: part for part, head in enumerate(heads) for chunk in head.chunks}
    homes = allotted([owner.get(item.item_id) for item in found.items])
    works = []
    for part, head in enumerate(heads):
        own = [item for item, home in zip(found.items, homes, strict=True) if home == part]
        gone = tuple(chunk for chunk in found.gone if owner[chunk] == part)
        drafted = _of_items(whole, head.document_id, nodes[head.node_id], own)
        work = _part(changed, head, drafted, found.new, gone)
        described = describe(work.draft, count_tokens, summary_words)
        works.append(replace(work, draft=described, part=len(heads) > 1))
    return sorted(works, key=lambda work: work.draft.node.schema_name)


def _part(
    changed: ChangedDocument, head: PartHead, draft: RecordDraft, new: frozenset[UUID], gone: tuple[UUID, ...]
) -> VersionPart:
    new &= {item.item_id for item in draft.items}
    version = NewVersion(
        draft.record_id,
        head.version + 1,
        changed.source.key,
        draft.node.node_id,
        draft.title,
        fingerprint(changed.document),
        draft.file.file_id,
        draft.file.name,
        tuple((item.item_id, digest(item)) for item in draft.items),
        len(new),
        len(gone),
    )
    return VersionPart(changed, head, draft, new, gone, version, uuid4())


def fields_of(draft: RecordDraft) -> dict[str, Any]:
    """The fields of a record that a version of its document says, as deltas hold them."""
    occurred = draft.occurred_at.astimezone(UTC).isoformat(timespec="microseconds") if draft.occurred_at else None
    return {
        "title": draft.title,
        "summary": draft.summary,
        "kw_entities": list(draft.keywords.entities),
        "kw_topics": list(draft.keywords.topics),
        "kw_dates": list(draft.keywords.dates),
        "kw_relationships": list(draft.keywords.relationships),
        **({"occurred_at": occurred} if occurred else {}),
    }
