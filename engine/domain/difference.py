"""A page of differences between two moments, and what they are asked of."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from engine.domain.delta import Difference


@dataclass(frozen=True, slots=True)
class DifferencePage:
    """Differences between two moments, by node and subject. `after` leads to the next page; None on the last page."""

    differences: tuple[Difference, ...]
    after: tuple[UUID, UUID] | None


@dataclass(frozen=True, slots=True)
class Within:
    """What a difference is asked of: one node with its contents, one subject, or a whole graph (both None)."""

    node_id: UUID | None = None
    subject_id: UUID | None = None


EVERYTHING = Within()
