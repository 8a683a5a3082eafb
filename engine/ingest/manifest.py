"""The graph's part of a committed record: a line of its node's manifest."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.domain.record import EmbeddedRecord


def manifest_line(user_id: UUID, record: EmbeddedRecord, row: dict[str, Any]) -> dict[str, Any]:
    """The manifest line of a record, as the graph stores it."""
    draft = record.draft
    return {
        "record_id": str(draft.record_id),
        "user_id": str(user_id),
        "node_id": str(draft.node.node_id),
        "commit_id": str(row["commit_id"]),
        "title": draft.title,
        "content_type": draft.content_type,
        "source_id": draft.source_id,
        "file_id": str(draft.file.file_id),
        "file_name": draft.file.name,
        "occurred_at": draft.occurred_at.isoformat() if draft.occurred_at else None,
        "items": draft.counted,
        "privacy": draft.privacy,
        "known_from": row["now"].isoformat(),
        "valid_from": row["valid_from"].isoformat() if row["valid_from"] else None,
    }
