"""Legal holds: while one is in force, nothing erases what it names.

That holds in Postgres: a forgetting of what is held is refused where it is asked for and at each transaction that erases, and a
hold is refused on what is being erased; both wait for each other. Here are the same refusals before anything is changed, and the
log. A hold is never deleted: it is released, with a reason, and from then on it does not say what it named.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from engine.domain.forgetting import ForgettingKind, RecordPlace
from engine.domain.read_limits import check_page
from engine.domain.retention import Hold, HoldSubject
from engine.errors import InvalidInput, NotFound
from engine.forgetting.subjects import Subjects
from engine.stores.limited import Connection
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

NO_REASON = "A hold is set and released with a reason."
OTHER = "A hold names a user, a node, a source or a record."


class LegalHolds:
    """The legal holds of a workspace; for the service alone, callers ask who may set them."""

    def __init__(self, postgres: Postgres, subjects: Subjects, workspace: str) -> None:
        self._postgres, self._subjects, self._workspace = postgres, subjects, workspace

    async def set(self, user_id: UUID, subject: HoldSubject, reason: str, author: str) -> Hold:
        """Sets a hold; the one that is in force where there is one on the same. Raises NotFound for what is not there,
        InvalidInput without a reason, Conflict for what is being forgotten."""
        if not reason.strip():
            raise InvalidInput(NO_REASON)
        named = {"user_id": user_id, "kind": subject.kind, "subject": await self._named(user_id, subject)}
        row = named | {"hold_id": uuid4(), "reason": reason, "author": author}
        made = await self._postgres.fetch_as_service(sql_text("hold/set"), row, row=UUID)
        made = made or await self._postgres.fetch_as_service(sql_text("hold/in_force"), named, row=UUID)
        return await self.get(only(made))

    async def get(self, hold_id: UUID) -> Hold:
        """One hold. Raises NotFound."""
        return only(await self._found(None, hold_id, before=None, released=True, limit=1))

    async def page(self, user_id: UUID | None, *, released: bool, before: int | None, limit: int) -> tuple[Hold, ...]:
        """Holds of a user, None: of all, newest first, one page; `released`: also those that are over. Raises InvalidInput."""
        check_page(limit)
        return tuple(await self._found(user_id, None, before=before, released=released, limit=limit))

    async def release(self, hold_id: UUID, reason: str, author: str) -> Hold:
        """Releases a hold; repeating it changes nothing. Raises NotFound, InvalidInput without a reason."""
        if not reason.strip():
            raise InvalidInput(NO_REASON)
        await self.get(hold_id)
        row = {"hold_id": hold_id, "reason": reason, "author": author}
        await self._postgres.fetch_as_service(sql_text("hold/release"), row, row=UUID)
        return await self.get(hold_id)

    async def _named(self, user_id: UUID, subject: HoldSubject) -> str:
        """What is held, as the stores name it. Raises NotFound, InvalidInput."""
        if subject.kind == "user":
            return str(user_id)
        if subject.kind == "source":
            return await self._subjects.source(user_id, subject.id)
        try:
            named = UUID(subject.id)
        except ValueError:
            raise InvalidInput("A node and a record are named by their ids.") from None
        if subject.kind == "record":
            await self._subjects.record(user_id, named)
        elif subject.kind == "node":
            asked = {"user_id": user_id, "node_id": named}
            only(await self._postgres.fetch_as_service(sql_text("retention/node_of_user"), asked, row=int))
        else:
            raise InvalidInput(OTHER)
        return str(named)

    async def _found(
        self, user_id: UUID | None, hold_id: UUID | None, *, before: int | None, released: bool, limit: int
    ) -> list[Hold]:
        asked = {"workspace": self._workspace, "user_id": user_id, "hold_id": hold_id, "before": before}
        asked |= {"released": released, "limit": limit}
        found = await self._postgres.fetch_as_service(sql_text("hold/page"), asked, row=Hold)
        if hold_id and not found:
            raise NotFound
        return found


async def refuse_held(
    connection: Connection, kind: ForgettingKind, user_id: UUID, sources: Sequence[str], records: Sequence[RecordPlace]
) -> None:
    """Raises OnHold where a hold is on any of these."""
    records_of, nodes = [one.record_id for one in records], list({one.node_id for one in records})
    asked = {"kind": kind, "user_id": user_id, "sources": list(sources), "records": records_of, "nodes": nodes}
    await connection.execute(sql_text("hold/refuse"), asked)
