"""Who calls an operation of a memory, and on what terms; and what operations use of the engine, by class: a subject of operations
names its own parts.

class Events(OfGraph, name="events"):
    _log = Part(EventLog)
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import UUID, uuid5

from engine.access.access_log import AccessLog
from engine.access.idempotency import Answer, Idempotency
from engine.domain.clock import Clock
from engine.domain.ingest import PLAIN, Terms
from engine.domain.principal import Identity, Principal
from engine.domain.scope import INGESTED, Origin
from engine.errors import NotFound, StoreDamaged
from engine.hierarchy.shells import Shells
from engine.hierarchy.tables import Damage
from engine.privacy.redact import Redactor
from engine.stores.limits import ending_within

if TYPE_CHECKING:
    from engine.access.principals import WorkspaceTokens

T = TypeVar("T")

NO_PRINCIPAL = UUID(int=0)
"""An id that no principal has: with it every user is unknown."""
REFUSAL_S = 0.05
"""A refusal is answered after this time, or a multiple of it; unpadded, denied and missing differ by some 0.1 ms."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One object of each class, put together in `engine.wiring`: `parts[EventLog]`. `limit`: seconds that a
    read may take in all."""

    clock: Clock
    redactor: Redactor
    limit: float
    max_text_bytes: int
    by_class: Mapping[type, Any]

    def __getitem__(self, kind: type[T]) -> T:
        """Raises KeyError for a class of which nothing was put together: an error in the wiring."""
        made: T = self.by_class[kind]
        return made

    def replaced(self, *made: object) -> Parts:
        """The same with these in place of the others of their classes."""
        return replace(self, by_class={**self.by_class, **{type(one): one for one in made}})


class Part(Generic[T]):
    """An attribute of a subject of operations: the object of this class."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind

    def __get__(self, subject: Any, _: object = None) -> T:
        parts: Parts = subject.caller.parts
        return parts[self._kind]


@dataclass(frozen=True, slots=True)
class Repeatable:
    """The idempotency key of a request, and what to call where the kept answer is returned."""

    key: str
    replayed: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal, and how what it writes is stored. `counts`: what is redacted is counted there."""

    principal: Principal
    parts: Parts
    origin: Origin = INGESTED
    terms: Terms = PLAIN
    repeatable: Repeatable | None = None
    counts: Counter[str] | None = None

    @property
    def key(self) -> str | None:
        """The idempotency key as it is stored: without personal data."""
        return self.parts.redactor.identifier(self.repeatable.key) if self.repeatable else None

    def own_id(self, *made: object) -> UUID | None:
        """The id of what this write makes, None without a key. A repeat of one that was killed before its answer was kept makes
        it under the same id: once."""
        return uuid5(self.principal.principal_id, repr((self.key, *made))) if self.repeatable else None

    @property
    def redactor(self) -> Redactor:
        return self.parts.redactor

    @property
    def inner(self) -> Caller:
        """The same caller for an operation inside of another: the key belongs to the outer one."""
        return replace(self, repeatable=None)

    async def require_graph(self) -> None:
        """Raises NotFound unless the graph exists and is the principal's: a user's own, or that of a persona's owner."""
        await self.parts[Shells].schema_of(self.principal, self.principal.principal_id)

    async def require_known(self) -> None:
        """Raises NotFound where an empty answer is that of an unknown user.

        Not for an integration: it gets empty answers for every user, known or unknown.
        """
        if self.principal.kind != "third_party":
            await self.require_graph()

    async def once(self, request: bytes, action: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to the request with the caller's key; a kept one is said to be one. Raises NotFound, IdempotencyMismatch,
        Forgotten, InProgress."""
        await self.require_graph()
        again = self.terms.again
        answer, replayed = await self.parts[Idempotency].once(self.principal, self.key, request, action, again=again)
        if replayed and self.repeatable:
            self.repeatable.replayed()
        return answer

    @asynccontextmanager
    async def around(self, refusal: str, node_id: UUID | None, *, limited: bool) -> AsyncIterator[None]:
        """A limit of time for all calls to the stores inside, if `limited`.

        A `refusal` is logged by this name at the node, or at the root, and answered after a multiple of REFUSAL_S: its time must
        not reveal whether a policy was checked. An error of a damaged store names the node.
        """
        started = monotonic()
        with ending_within(self.parts.limit) if limited else nullcontext():
            try:
                async with self.naming(node_id):
                    yield
            except NotFound:
                if refusal:
                    await self.parts[AccessLog].refused(self.principal, node_id or self.principal.user_id, refusal)
                    await asyncio.sleep(REFUSAL_S - (monotonic() - started) % REFUSAL_S)
                raise

    @asynccontextmanager
    async def naming(self, node_id: UUID | None) -> AsyncIterator[None]:
        """Within this, an error of a damaged store names the damaged node."""
        try:
            yield
        except StoreDamaged as error:
            if error.node_id is not None:  # an operation inside has found it
                raise
            raise StoreDamaged(error.store, await self._damaged(node_id)) from error

    async def _damaged(self, node_id: UUID | None) -> UUID | None:
        """The damaged node of an operation: that one, or the first of the graph; None where it is no node's damage."""
        damage = self.parts[Damage]
        found = await damage.found(self.principal, [node_id], rows=True) if node_id else ()
        found = found or await damage.found(self.principal, None)
        return found[0].node_id if found else None


async def principal_of(tokens: WorkspaceTokens, identity: Identity, user_id: UUID) -> Principal:
    """The principal as which an identity calls operations on the graph of a user; one that has no rights where it may not."""
    own, kind = identity.principal_id, identity.kind
    if kind == "operator":
        # The stores may hold other workspaces too, with operators of their own.
        return Principal("user", user_id if await tokens.knows("user", user_id) else NO_PRINCIPAL, user_id)
    if kind == "administrator" or own is None:
        return Principal("user", own or NO_PRINCIPAL, user_id)
    if kind != "user" and own == user_id:  # no persona or integration is a user
        return Principal(kind, NO_PRINCIPAL, user_id)
    return Principal(kind, own, user_id)


# who may call an operation: anyone else gets NotFound; what a caller then sees, the databases decide ---------


async def owner(caller: Caller) -> bool:
    """The user whose graph it is."""
    return caller.principal.owns


async def members(caller: Caller) -> bool:
    """The user whose graph it is, and its personas."""
    if caller.principal.kind == "persona":
        await caller.require_graph()
        return True
    return caller.principal.owns


async def readers(_: Caller) -> bool:
    """The user, its personas, and integrations."""
    return True
