"""The identity that a credential authenticates. Which memories it may read is decided by its principal.

operator       runs the installation: acts for every user of the workspace
administrator  keeps the workspace's users, integrations and tokens; reads no memory
user, persona, third_party  as in `principal`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

IdentityKind = Literal["operator", "administrator", "user", "persona", "third_party"]


@dataclass(frozen=True, slots=True)
class Identity:
    """An authenticated identity. `principal_id` is None for the operator alone, who has no id."""

    kind: IdentityKind
    principal_id: UUID | None
    workspace: str

    @property
    def administers(self) -> bool:
        """Whether this identity may manage users, integrations and tokens of the workspace."""
        return self.kind in ("operator", "administrator")
