"""The forgettings as Postgres holds them: asked for, moved from step to step, ended; what each takes with it, and its receipt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from engine.domain.forgetting import Forgetting, ForgettingState, ForgettingSubject
from engine.domain.read_limits import check_page
from engine.errors import NotFound
from engine.forgetting import tombstones
from engine.stores.postgres import Connection, Jsonb, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

THINGS_PAGE = 500


@dataclass(frozen=True, slots=True)
class _After:
    after: Any


@dataclass(frozen=True, slots=True)
class _Receipt:
    receipt: Mapping[str, Any] | None


class ForgettingLog:
    """The rows of forgettings; for the service alone, callers ask whose they are."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def ask(self, user_id: UUID, subject: ForgettingSubject, reason: str, author: str) -> Forgetting:
        """Enters a forgetting; the one of the same subject where another process has entered it meanwhile."""
        asked = {"forgetting_id": uuid4(), "user_id": user_id, "kind": subject.kind, "subject": subject.id}
        row = asked | {"reason": reason, "author": author}
        await self._postgres.change_as_service(sql_text("forgettings/ask"), row)
        return only([one for one in [await self.open(user_id, subject)] if one])

    async def open(self, user_id: UUID, subject: ForgettingSubject) -> Forgetting | None:
        """The forgetting of this subject that is not done; None where there is none."""
        asked = {"user_id": user_id, "kind": subject.kind, "subject": subject.id}
        found = await self._postgres.fetch_as_service(sql_text("forgettings/open"), asked, row=UUID)
        return await self.get(found[0]) if found else None

    async def get(self, forgetting_id: UUID, user_id: UUID | None = None) -> Forgetting:
        """One, of that user where one is named. Raises NotFound."""
        return only(await self._found(user_id, forgetting_id, None, 1))

    async def page(self, user_id: UUID, *, before: int | None, limit: int) -> tuple[Forgetting, ...]:
        """Those of a user, newest first, one page. Raises InvalidInput."""
        check_page(limit)
        return tuple(await self._found(user_id, None, before, limit))

    async def due(self) -> list[Forgetting]:
        """Those that wait for somebody to go on, the oldest first, 100 at most."""
        return await self._postgres.fetch_as_service(sql_text("forgettings/due"), row=Forgetting)

    async def unfinished(self) -> list[Forgetting]:
        """All that are not done, the oldest first, 10,000 at most."""
        return await self._postgres.fetch_as_service(sql_text("forgettings/unfinished"), row=Forgetting)

    async def receipt(self, forgetting_id: UUID, user_id: UUID | None) -> Mapping[str, Any]:
        """The signed receipt. Raises NotFound, also before there is one."""
        asked = {"forgetting_id": forgetting_id, "user_id": user_id}
        found = await self._postgres.fetch_as_service(sql_text("forgettings/receipt"), asked, row=_Receipt)
        if not found or found[0].receipt is None:
            raise NotFound
        return found[0].receipt

    # steps ------------------------------------------------------------------------------------------------

    async def move(self, one: Forgetting, state: ForgettingState, step: str, settle: float | None = None) -> None:
        """Takes it to the beginning of another step, unless another process has done so. `settle`: seconds that late writers are
        waited for."""
        row = {
            "forgetting_id": one.forgetting_id,
            "from_step": one.step,
            "state": state,
            "step": step,
            "settle": settle,
        }
        await self._postgres.change_as_service(sql_text("forgettings/moved"), row)

    async def so_far(self, forgetting_id: UUID) -> Any:
        """How far its step is; None at the beginning."""
        found = await self._postgres.fetch_as_service(
            sql_text("forgettings/so_far"), {"forgetting_id": forgetting_id}, row=_After
        )
        return only(found).after

    async def note(self, forgetting_id: UUID, after: Any) -> None:
        """Says how far its step is."""
        row = {"forgetting_id": forgetting_id, "after": Jsonb(after)}
        await self._postgres.change_as_service(sql_text("forgettings/after"), row)

    async def count(self, forgetting_id: UUID, store: str, counts: Mapping[str, int]) -> None:
        """Adds to what was erased."""
        if erased := {name: number for name, number in counts.items() if number}:
            row = {"forgetting_id": forgetting_id, "store": store, "counts": Jsonb(erased)}
            await self._postgres.change_as_service(sql_text("forgettings/counted"), row)

    async def fail(self, forgetting_id: UUID, failure: str) -> None:
        """Ends one that cannot go on; the same call takes it up again."""
        row = {"forgetting_id": forgetting_id, "failure": failure or "It failed."}
        await self._postgres.change_as_service(sql_text("forgettings/failed"), row)

    async def end(self, forgetting_id: UUID, state: ForgettingState, receipt: Mapping[str, Any]) -> None:
        """Ends one, and takes the names of what was forgotten away, in one transaction."""
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgettings/locked"), {"forgetting_id": forgetting_id})
            if state == "done":
                await connection.execute(sql_text("forgettings/emptied"), {"forgetting_id": forgetting_id})
            row = {"forgetting_id": forgetting_id, "state": state, "receipt": Jsonb(dict(receipt))}
            await connection.execute(sql_text("forgettings/ended"), row)

    # what it takes with it --------------------------------------------------------------------------------

    async def enter(
        self, connection: Connection, forgetting: Forgetting, kind: str, things: Sequence[str], *, known: bool
    ) -> None:
        """Enters things; `known`: with tombstones, by which they are known when they come again. Raises NotFound where its user
        is gone."""
        if forgetting.user_id is None:
            raise NotFound
        row = {"forgetting_id": forgetting.forgetting_id, "user_id": forgetting.user_id, "kind": kind}
        await connection.execute(sql_text("forgettings/things_entered"), row | {"things": sorted({*things})})
        if known:
            await tombstones.enter(connection, forgetting.forgetting_id, forgetting.user_id, kind, things)

    async def things(self, forgetting_id: UUID, kind: str, after: str = "") -> AsyncIterator[list[str]]:
        """The things of one kind in their order, pages of 500."""
        while True:
            asked = {"forgetting_id": forgetting_id, "kind": kind, "after": after, "limit": THINGS_PAGE}
            page = await self._postgres.fetch_as_service(sql_text("forgettings/things"), asked, row=str)
            if not page:
                return
            yield page
            after = page[-1]

    async def objects(self, forgetting_id: UUID) -> list[str]:
        """Keys of objects that are not deleted yet, some."""
        asked = {"forgetting_id": forgetting_id, "limit": THINGS_PAGE}
        return await self._postgres.fetch_as_service(sql_text("forgettings/objects"), asked, row=str)

    async def objects_gone(self, forgetting_id: UUID, keys: Sequence[str]) -> None:
        """Says that they are deleted."""
        row = {"forgetting_id": forgetting_id, "keys": list(keys)}
        await self._postgres.change_as_service(sql_text("forgettings/objects_gone"), row)

    async def _found(
        self, user_id: UUID | None, forgetting_id: UUID | None, before: int | None, limit: int
    ) -> list[Forgetting]:
        asked = {"user_id": user_id, "forgetting_id": forgetting_id, "before": before, "limit": limit}
        found = await self._postgres.fetch_as_service(sql_text("forgettings/page"), asked, row=Forgetting)
        if forgetting_id and not found:
            raise NotFound
        return found
