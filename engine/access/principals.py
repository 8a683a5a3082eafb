"""The principals of a workspace: its users, the integrations that users may grant nodes to, and the tokens that authenticate all.

The secret of a token is `ngt_` and 32 random bytes in base64url. It is shown once, at creation or rotation; what is kept is
its SHA-256. Every request checks in the database that its token is valid, so that a revocation takes effect at once.

Names of users and integrations are compared by a normal form, which those that are older than it get at a start. Where two
look alike already, both stay: the older has the form, the other a unique one. No third one can be created.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.domain.grant import Integration
from engine.domain.names import clean_name, look_alike_key
from engine.domain.node import User
from engine.domain.principal import LONGEST_GRACE, NO_GRACE, Identity, IssuedToken, NewToken, Token, TokenKind
from engine.domain.read_limits import check_page
from engine.errors import Conflict, InvalidInput, NotFound
from engine.hierarchy.provisioning import Provisioning
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_of, sql_text

MOST_KNOWN = 10_000
"""Most principals in the cache of those known to exist; beyond it the cache is cleared."""

_SECRET = re.compile(r"ngt_[A-Za-z0-9_-]{43}")

NAMED = (("users", "user_id", "handle", "handle_key"), ("integrations", "integration_id", "name", "name_key"))
KEYED_AT_ONCE = 500

_log = logging.getLogger(__name__)


class WorkspaceUsers:
    """Users by handle and by id; the operations say what each call does (`engine.operations.workspace`)."""

    def __init__(self, postgres: Postgres, provisioning: Provisioning, workspace: str) -> None:
        self._postgres, self._provisioning, self._workspace = postgres, provisioning, workspace

    async def create(self, handle: str, display_name: str = "") -> User:
        user = await self._provisioning.user(self._workspace, handle, display_name)
        try:
            return user if user.created else await self.find(user.handle)
        except NotFound:
            raise Conflict(
                "The user with this handle is being forgotten; the handle is free once that is done."
            ) from None

    async def find(self, handle: str) -> User:
        return await self._one("user/by_handle", handle=handle)

    async def get(self, user_id: UUID) -> User:
        return await self._one("user/by_id", user_id=user_id)

    async def page(self, *, after: str = "", limit: int = 100) -> tuple[User, ...]:
        check_page(limit)
        return await self._rows("user/list", after=after, limit=limit)

    async def _one(self, statement: str, **parameters: Any) -> User:
        for user in await self._rows(statement, **parameters):
            return user
        raise NotFound

    async def _rows(self, statement: str, **parameters: Any) -> tuple[User, ...]:
        everything = {"workspace": self._workspace, **parameters}
        return tuple(await self._postgres.fetch_as_service(sql_text(statement), everything, row=User))


class WorkspaceIntegrations:
    """The integrations of one workspace; the operations say what each call does (`engine.operations.workspace`)."""

    def __init__(self, postgres: Postgres, workspace: str) -> None:
        self._postgres, self._workspace = postgres, workspace

    async def create(self, name: str) -> Integration:
        name = clean_name(name)
        parameters = {
            "integration_id": uuid4(),
            "workspace": self._workspace,
            "name": name,
            "key": look_alike_key(name),
        }
        [found] = await self._postgres.fetch_as_service(sql_text("integration/create"), parameters, row=Integration)
        if found.name != name:
            raise Conflict(f"The name looks like that of another integration, {found.name}.")
        return found

    async def list(self, *, after: str = "", limit: int = 100) -> list[Integration]:
        check_page(limit)
        parameters = {"workspace": self._workspace, "after": after, "limit": limit}
        return await self._postgres.fetch_as_service(sql_text("integration/list"), parameters, row=Integration)


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


@dataclass(frozen=True, slots=True)
class _Unkeyed:
    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class _LookAlikes:
    name: str
    other: str


async def complete_keys(postgres: Postgres) -> None:
    """Adds what is missing; idempotent, also in several processes at the same time."""
    for table, id_column, name, key in NAMED:
        columns = {"table": table, "id": id_column, "name": name, "key": key}
        while await _keyed(postgres, table, columns) == KEYED_AT_ONCE:
            pass


async def _keyed(postgres: Postgres, table: str, columns: Mapping[str, str]) -> int:
    unkeyed, keyed = sql_of("look_alike/unkeyed", **columns), sql_of("look_alike/keyed", **columns)
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("look_alike/lock"))
        found = await connection.fetch(unkeyed, {"limit": KEYED_AT_ONCE}, row=_Unkeyed)
        if not found:
            return 0
        keys = {"ids": [one.id for one in found], "keys": [look_alike_key(one.name) for one in found]}
        for pair in await connection.fetch(keyed, keys, row=_LookAlikes):
            _log.warning("%s: %r looks like %r. Both stay as they are.", table.capitalize(), pair.name, pair.other)
    return len(found)
