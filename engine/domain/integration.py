"""An integration: an application that users may grant nodes to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Integration:
    """An application. `created` is False where the one of that name existed already."""

    integration_id: UUID
    name: str
    created_at: datetime
    created: bool
