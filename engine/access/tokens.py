"""Tokens: the secrets by which users, personas, integrations and administrators are authenticated.

A secret is `ngt_` and 32 random bytes in base64url. It is shown once, at creation or rotation; what is kept is its
SHA-256. Every request checks in the database that its token is valid, so that a revocation takes effect at once.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.domain.names import clean_name
from engine.domain.page import check_page
from engine.domain.principal import Identity
from engine.domain.token import LONGEST_GRACE, NO_GRACE, IssuedToken, NewToken, Token, TokenKind
from engine.errors import InvalidInput
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

MOST_KNOWN = 10_000
"""Most principals in the cache of those known to exist; beyond it the cache is cleared."""

_SECRET = re.compile(r"ngt_[A-Za-z0-9_-]{43}")


def is_secret(credential: str) -> bool:
    """Whether a credential has the form of the engine's tokens."""
    return _SECRET.fullmatch(credential) is not None


class WorkspaceTokens:
    """The tokens of one workspace, as `engine.operations.workspace` says. `by` is who acts; the audit log keeps it."""

    def __init__(self, postgres: Postgres, workspace: str, clock: Clock) -> None:
        self._postgres, self._workspace, self._clock = postgres, workspace, clock
        self._known: set[tuple[str, UUID]] = set()

    async def create(self, new: NewToken, by: Identity) -> IssuedToken:
        if (new.kind == "administrator") != (new.principal_id is None):
            raise InvalidInput("A token names its principal, an administrator's none.")
        if new.expires_at is not None and new.expires_at <= self._clock.now():
            raise InvalidInput("The token would have expired already.")
        secret, digest = _new_secret()
        parameters = asdict(new) | {"token_id": uuid4(), "name": clean_name(new.name), "token_hash": digest}
        return IssuedToken(await self._changed("token/create", parameters, by), secret)

    async def revoke(self, token_id: UUID, by: Identity) -> Token:
        return await self._changed("token/revoke", {"token_id": token_id}, by)

    async def rotate(self, token_id: UUID, by: Identity, grace: timedelta = NO_GRACE) -> IssuedToken:
        """A new token that replaces an old one, with the same lifetime; the old one ends now or after the grace period.

        Raises NotFound, Conflict for one that has ended or was replaced already, InvalidInput.
        """
        if not NO_GRACE <= grace <= LONGEST_GRACE:
            raise InvalidInput(f"The grace period of an old token is at most {LONGEST_GRACE.days} days.")
        secret, digest = _new_secret()
        parameters = {"token_id": token_id, "new_id": uuid4(), "token_hash": digest, "grace": grace}
        return IssuedToken(await self._changed("token/rotate", parameters, by), secret)

    async def list(self, *, after: UUID | None = None, limit: int = 100) -> list[Token]:
        check_page(limit)
        parameters = {"workspace": self._workspace, "after": after, "limit": limit}
        return await self._postgres.fetch_as_service(sql_text("token/list"), parameters, row=Token)

    async def authenticate(self, secret: str) -> Identity | None:
        """The identity of the secret; None for one that is unknown, expired, revoked or of another workspace."""
        if not is_secret(secret):
            return None
        parameters = {"workspace": self._workspace, "token_hash": _digest(secret)}
        found = await self._postgres.fetch_as_service(sql_text("token/authenticate"), parameters, row=Identity)
        return found[0] if found else None

    async def knows(self, kind: TokenKind, principal_id: UUID) -> bool:
        """Whether the workspace has such a principal; known ones are cached."""
        if (kind, principal_id) in self._known:
            return True
        parameters = {"workspace": self._workspace, "kind": kind, "principal_id": principal_id}
        exists = bool(await self._postgres.fetch_as_service(sql_text("token/principal"), parameters, row=bool))
        if exists:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known.add((kind, principal_id))
        return exists

    async def _changed(self, statement: str, parameters: dict[str, Any], by: Identity) -> Token:
        everything = parameters | {"workspace": self._workspace, "actor_kind": by.kind, "actor_id": by.principal_id}
        [token] = await self._postgres.fetch_as_service(sql_text(statement), everything, row=Token)
        return token


def _new_secret() -> tuple[str, bytes]:
    secret = "ngt_" + secrets.token_urlsafe(32)
    return secret, _digest(secret)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()
