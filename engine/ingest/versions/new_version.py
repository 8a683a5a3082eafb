"""The parts of a document, and those of its new version, decided before anything is embedded or written. Pure.

A document that spans several concepts has a part at each of their nodes: a record with its passages. The file is stored once: the
user opens all of it, others the passages of the record (`engine.lifecycle.parts`). An unchanged chunk is found by its hash and
stays in its part; a new chunk goes to the part of the chunk before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4, uuid5

from engine.domain.document import Ending, Matched, NewVersion, RecordRenewal, allotted, chunk_hash, matched, parted
from engine.domain.record import AssignableNode, ItemDraft, RecordDraft
from engine.domain.splitting import chunks
from engine.ingest.cleaning import fingerprint
from engine.ingest.describe import describe
from engine.ingest.drafts import document_draft
from engine.ingest.sources import ChangedDocument
from engine.providers.embedder import Vectors


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
    """The version of one part on its way in: the part as it was (`head`), its draft with the ids of what stayed, which items are
    new, what is to end."""

    changed: ChangedDocument
    head: PartHead
    draft: RecordDraft
    match: Matched
    version: NewVersion
    commit_id: UUID
    part: bool = False
    """Whether the file holds what lies at other nodes, too."""

    @property
    def fresh(self) -> tuple[ItemDraft, ...]:
        """The items that were not there before."""
        return tuple(item for item, place in zip(self.draft.items, self.match.places, strict=True) if place is None)


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
    hashes = [chunk_hash(item.section, item.content) for item in whole.items]
    before = [pair for head in heads for pair in zip(head.chunks, parted(head.chunk_hashes), strict=True)]
    match = matched(before, hashes)
    owner = {chunk: number for number, head in enumerate(heads) for chunk in head.chunks}
    homes = allotted([None if place is None else owner[place] for place in match.places])
    works = []
    for number, head in enumerate(heads):
        own = [index for index, home in enumerate(homes) if home == number]
        draft = _of_items(whole, head.document_id, nodes[head.node_id], [whole.items[index] for index in own])
        gone = tuple(chunk for chunk in match.gone if owner[chunk] == number)
        mine = Matched(tuple(match.places[index] for index in own), gone)
        draft = describe(draft, count_tokens, summary_words)
        work = _part(changed, head, draft, mine, [hashes[index] for index in own])
        works.append(replace(work, part=len(heads) > 1))
    return sorted(works, key=lambda work: work.draft.node.schema_name)


def _part(
    changed: ChangedDocument, head: PartHead, draft: RecordDraft, match: Matched, hashes: Sequence[bytes]
) -> VersionPart:
    source, number = changed.source, head.version + 1
    items = tuple(
        replace(item, item_id=place or uuid5(source.session, f"{number}:{item.position}"))
        for item, place in zip(draft.items, match.places, strict=True)
    )
    draft = replace(draft, items=items)
    version = NewVersion(
        draft.record_id,
        number,
        source.key,
        draft.node.node_id,
        draft.title,
        fingerprint(changed.document),
        draft.file.file_id,
        draft.file.name,
        tuple((item.item_id, digest) for item, digest in zip(items, hashes, strict=True)),
        match.places.count(None),
        len(match.gone),
    )
    return VersionPart(changed, head, draft, match, version, uuid4())


def renewal_of(work: VersionPart, vector: Vectors | None, ending: Sequence[Ending]) -> RecordRenewal:
    """The part's record after the version."""
    draft = work.draft
    occurred = draft.occurred_at.astimezone(UTC).isoformat(timespec="microseconds") if draft.occurred_at else None
    fields = {
        "title": draft.title,
        "summary": draft.summary,
        "kw_entities": list(draft.keywords.entities),
        "kw_topics": list(draft.keywords.topics),
        "kw_dates": list(draft.keywords.dates),
        "kw_relationships": list(draft.keywords.relationships),
        **({"occurred_at": occurred} if occurred else {}),
    }
    known = (work.head.known_at, *(item.known_from for item in ending))
    reason = f"version {work.version.version} of the document"
    return RecordRenewal(draft.node.node_id, draft.node.schema_name, draft.record_id, fields, vector, known, reason)
