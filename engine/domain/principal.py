"""Who a credential authenticates (an identity), and as whom a request reads and writes a graph (a principal). The principal is
set in every Postgres transaction and passed to every Cypher statement.

    user           everything in the own graph, nothing of any other
    persona        reads what lies at and below its own node, except what is private; more by grant
    third_party    nothing but the nodes that were granted to it, read only
    operator       runs the installation: acts as the user of any graph of the workspace
    administrator  keeps the workspace's users, integrations and tokens; reads no memory

The service itself (migrations, recovery, jobs) is no principal: it uses `Postgres.as_service`.

Tokens are credentials that the engine makes: a requested one, the metadata of one, and a new one with its secret, which is
shown once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal
from uuid import UUID

PrincipalKind = Literal["user", "persona", "third_party"]
IdentityKind = Literal["operator", "administrator", "user", "persona", "third_party"]
LONGEST_KIND = 12
"""Characters to which `kind` is filled up in Cypher."""

TokenKind = Literal["user", "persona", "third_party", "administrator"]
NO_GRACE = timedelta()
LONGEST_GRACE = timedelta(days=7)
"""How long a replaced token may still be good at most."""


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


@dataclass(frozen=True, slots=True)
class Principal:
    """A principal in the graph of `user_id`; the databases decide what it may see there.

    `principal_id` is the user, the persona's node, or the integration.
    """

    kind: PrincipalKind
    principal_id: UUID
    user_id: UUID

    def __post_init__(self) -> None:
        """Only the user is the root of a graph."""
        if self.kind != "user" and self.principal_id == self.user_id:
            raise ValueError("A persona or an integration is not the user whose graph it reads.")

    @classmethod
    def user(cls, user_id: UUID) -> Principal:
        """A user in the own graph."""
        return cls("user", user_id, user_id)

    @property
    def owns(self) -> bool:
        """Whether this is the user whose graph it is."""
        return self.kind == "user" and self.principal_id == self.user_id

    @property
    def name(self) -> str:
        """How deltas and the audit log name the principal."""
        return f"{self.kind}:{self.principal_id}"

    def own_key(self, key: str, most: int = 500) -> str:
        """A source's or request's id as it is kept: those of other principals are kept apart from the user's.

        One that would be longer than `most` characters is kept as its hash.
        """
        own = key if self.kind == "user" else f"{self.name}:{key}"
        return own if len(own) <= most else f"{self.name}:{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}"

    @property
    def parameters(self) -> dict[str, str]:
        """What every Cypher statement that reads or writes for a principal takes."""
        kind = self.kind.ljust(LONGEST_KIND)  # one size class: for a string of another Neo4j plans again, for seconds
        return {"user_id": str(self.user_id), "principal": str(self.principal_id), "kind": kind}


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
