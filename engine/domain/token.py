"""Tokens as values: a requested one, the metadata of one, and a new one with its secret, which is shown once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

TokenKind = Literal["user", "persona", "third_party", "administrator"]
NO_GRACE = timedelta()
LONGEST_GRACE = timedelta(days=7)
"""How long a replaced token may still be good at most."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is known about a token; its secret is not. An administrator's `principal_id` is the token's own."""

    token_id: UUID
    principal_kind: TokenKind
    principal_id: UUID
    name: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    """Noted once a minute."""
    replaces: UUID | None


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret, which can never be read again."""

    token: Token
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A requested token. `principal_id` is None for an administrator, whom the token itself makes."""

    kind: TokenKind
    principal_id: UUID | None
    name: str
    expires_at: datetime | None = None
