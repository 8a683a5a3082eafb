"""Who asks. Set in every Postgres transaction and passed to every Cypher statement that reads for somebody."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class UserPrincipal:
    """A user acting in their own graph: everything in it, nothing of any other."""

    user_id: UUID

    @property
    def kind(self) -> str:
        """The name that the policies know."""
        return "user"

    @property
    def principal_id(self) -> UUID:
        """The id that the policies compare."""
        return self.user_id


Principal = UserPrincipal
"""Personas, third parties and administrators join this union with their rules."""
