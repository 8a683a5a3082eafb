"""The graph's part of a committed record: a line of its node's manifest."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.domain.graph import ManifestLine
from engine.domain.record import EmbeddedRecord


def manifest_line(user_id: UUID, record: EmbeddedRecord, row: dict[str, Any]) -> ManifestLine:
    """The manifest line of a record, as the graph stores it."""
    draft = record.draft
    return ManifestLine(
        record_id=draft.record_id,
        user_id=user_id,
        node_id=draft.node.node_id,
        commit_id=row["commit_id"],
        title=draft.title,
        content_type=draft.content_type,
        source_id=draft.source_id,
        file_id=draft.file.file_id,
        file_name=draft.file.name,
        occurred_at=draft.occurred_at,
        items=draft.counted,
        privacy=draft.privacy,
        known_from=row["now"],
        valid_from=row["valid_from"],
    )
