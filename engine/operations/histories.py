"""A whole chat history into a memory: its nodes and edges first, then its conversations and files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from engine.domain.history import History, NodePath
from engine.domain.node import NewNode
from engine.domain.record import AssignableNode, IngestReport, Skipped
from engine.errors import Archived, InvalidInput
from engine.ingest.documents import read_document, reference_of
from engine.ingest.sources import Pending, failed
from engine.privacy.redact import redacted_origin
from engine.progress import Progress

if TYPE_CHECKING:
    from engine.memory import Memory


async def take_in(memory: Memory, history: History, progress: Progress, max_text_bytes: int) -> IngestReport:
    """Stores a history; what is stored already is left as it is, so it can be repeated."""
    redacted: Counter[str] = Counter()
    places, created = await _plan_nodes(memory, history, progress, redacted)
    edges = await _plan_edges(memory, history, places)
    pending: list[Pending] = [
        Pending(
            conversation,
            places.get(conversation.node) if conversation.node else None,
            conversation.privacy,
            origin=conversation.origin or memory.origin,
        )
        for conversation in history.conversations
    ]
    refused: list[Skipped] = []
    for file in history.files:
        node, origin = places.get(file.node) if file.node else None, file.origin or memory.origin
        try:
            document = await read_document(file, max_text_bytes=max_text_bytes)
        except InvalidInput as error:
            cleaned = replace(file, title=memory.redactor.text(file.title, Counter()))
            source_id = memory.redactor.identifier(f"file:{file.source_id}"[:500])
            reference = reference_of(cleaned, node, redacted_origin(origin, memory.redactor))
            refused.append(failed(source_id, error, "read", reference))
            continue
        pending.append(Pending(document, node, file.privacy, origin))
    progress.start("ingest", sum(len(c.turns) for c in history.conversations) + len(history.files), "turns")
    report = await memory.store(pending, progress, refused)
    progress.finish("ingest", f"{report.turns} turns and {report.files} files into {len(report.records)} records")
    redacted.update(report.redacted)
    return replace(report, nodes_created=created, edges_created=edges, redacted=dict(redacted))


async def _plan_nodes(
    memory: Memory, history: History, progress: Progress, redacted: Counter[str]
) -> tuple[dict[NodePath, AssignableNode], int]:
    """Provisions what the history asks for; every node by its path below the root, and how many are new."""
    ids: dict[NodePath, UUID] = {(): memory.principal.user_id}
    created = 0
    wanted = len(history.nodes)
    if wanted:
        progress.start("nodes", wanted, "nodes")
    for planned in history.nodes:
        parent = ids[planned.path[:-1]]
        kind: Literal["concept", "persona"] = "persona" if planned.node_type == "persona" else "concept"
        new = NewNode(parent, planned.path[-1], kind, planned.summary, planned.keywords, planned.aliases)
        replaced: Counter[str] = Counter()
        node = await memory.provision(new, redacted=replaced)
        ids[planned.path] = node.node_id
        created += node.created
        redacted.update(replaced if node.created else ())
        progress.advance("nodes")
    if wanted:
        progress.finish("nodes", f"{created} created")
    named = {conversation.node for conversation in history.conversations} | {file.node for file in history.files}
    for path in sorted(path for path in named if path):
        if path not in ids:
            deepest = await memory.provision_path(path)
            ids[path] = deepest.node_id if deepest else memory.principal.user_id
    by_id = {node.node_id: node for node in await memory.nodes()}
    for path, node_id in ids.items():
        if node_id not in by_id and (await memory.shell(node_id)).archived:
            raise Archived(f"{'/'.join(path)} is archived: it takes no writes until it is taken back.")
    return {path: by_id[node_id] for path, node_id in ids.items() if node_id in by_id}, created


async def _plan_edges(memory: Memory, history: History, places: Mapping[NodePath, AssignableNode]) -> int:
    created = 0
    for edge in history.edges:
        ends = places[edge.source].node_id, places[edge.target].node_id
        created += (await memory.relate(*ends, edge.edge_type, edge.properties))[1]
    return created
