"""Rules of retention, and the records that they, or an expiry, take.

A rule takes a record whose age is above that of the rule, and that fits all else that the rule names. The age is the time since
the record, or its newest version, was stored, by the clock of the engine; the time of which its text speaks does not count. What
a rule takes is found node by node in Postgres, and only where something of the user is that old at all.

What is due goes by forgettings of the kind `retention`, each of so many records; the subject of one names the rule, or says that
the records had expired.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.domain.forgetting import RecordPlace
from engine.domain.read_limits import check_page
from engine.domain.retention import (
    DueRecord,
    NewRetentionRule,
    RecordKind,
    RetentionPreview,
    RetentionRule,
)
from engine.errors import InvalidInput, NotFound
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

EXPIRED = "expired"
"""In place of the id of a rule: what expires by itself."""
GROUP = 200
"""Records of one forgetting of what is due."""
MOST_RULES = 200
"""Rules of a user, or of a workspace."""
TAKES_ALL = "This rule takes all {} records that there are: say everything if that is meant."


@dataclass(frozen=True, slots=True)
class DuePlace:
    """A record that is due, and where it lies."""

    record_id: UUID
    node_id: UUID
    source_id: str
    title: str
    kind: RecordKind
    stored_at: datetime
    withdrawn: bool
    held: bool
    schema_name: str

    @property
    def place(self) -> RecordPlace:
        """Where it lies."""
        return RecordPlace(self.node_id, self.schema_name, self.record_id)

    @property
    def shown(self) -> DueRecord:
        """What its user is shown of it: of what is withdrawn no words."""
        source, title = ("", "") if self.withdrawn else (self.source_id, self.title)
        return DueRecord(self.record_id, self.node_id, source, title, self.kind, self.stored_at, self.held)


@dataclass(frozen=True, slots=True)
class _Counted:
    records: int
    held: int
    in_all: int


class RetentionRules:
    """The rules of a workspace; for the service alone, callers ask whose they are."""

    def __init__(self, postgres: Postgres, clock: Clock, workspace: str, group: int = GROUP) -> None:
        """`group`: how many records one forgetting takes."""
        self._postgres, self._clock, self._workspace, self.group = postgres, clock, workspace, group

    async def set(self, user_id: UUID | None, new: NewRetentionRule, author: str) -> RetentionRule:
        """Sets a rule for the records of a user; None: of every user of the workspace. One that takes the same stays, with the
        new note. Raises NotFound for a node that is not the user's, InvalidInput where it takes everything and does not say so,
        and for too many rules."""
        if user_id is not None:
            await self._check_user(user_id, new)
        elif new.node_id is not None:
            raise InvalidInput("A rule for all users names no node.")
        own = {"rule_id": str(uuid4()), "user_id": user_id and str(user_id), "set_by": author}
        row = {"workspace": self._workspace, "rule": Jsonb(_columns(new) | own), "most": MOST_RULES}
        async with self._postgres.as_service() as connection:
            if user_id is not None:
                await connection.execute(sql_text("commit/hold_writes"), {"user_id": user_id})
            made = await connection.fetch(sql_text("retention/set"), row, row=UUID)
        if not made:
            raise InvalidInput(f"There are {MOST_RULES} rules: remove some first.")
        return await self.get(user_id, made[0])

    async def get(self, user_id: UUID | None, rule_id: UUID) -> RetentionRule:
        """A rule of a user, or of all users. Raises NotFound."""
        return only(await self._found(user_id, rule_id, 0, 1))

    async def page(self, user_id: UUID | None, *, after: int, limit: int) -> tuple[RetentionRule, ...]:
        """Rules for a user, with those for all users, the oldest first, one page; None: those for all users. Raises
        InvalidInput."""
        check_page(limit)
        return tuple(await self._found(user_id, None, after, limit))

    async def remove(self, user_id: UUID | None, rule_id: UUID) -> RetentionRule:
        """Removes a rule of a user, None: one for all users; returns what it was. Raises NotFound."""
        rule = await self.get(user_id, rule_id)
        asked = {"workspace": self._workspace, "user_id": user_id, "rule_id": rule_id}
        only(await self._postgres.fetch_as_service(sql_text("retention/remove"), asked, row=UUID))
        return rule

    async def preview(self, user_id: UUID, new: NewRetentionRule | None, *, limit: int) -> list[RetentionPreview]:
        """What a rule that is not set yet would take now; None: what each rule that is set takes, and what has expired. Examples,
        `limit` at most of each; nothing is written. Raises InvalidInput."""
        check_page(limit)
        if new is not None:
            return [await self._preview(user_id, None, _columns(new), limit)]
        rules = await self._found(user_id, None, 0, MOST_RULES * 2)
        found = [await self._preview(user_id, rule, _columns(rule), limit) for rule in rules]
        expired = await self.due(user_id, EXPIRED, free=False, limit=MOST_EXPIRED)
        if expired:
            held = sum(one.held for one in expired)
            shown = tuple(one.shown for one in expired[:limit])
            found.append(RetentionPreview(None, True, len(expired) - held, held, len(expired), shown))
        return found

    # what is due ------------------------------------------------------------------------------------------

    async def due(self, user_id: UUID, rule: str, *, free: bool, limit: int) -> list[DuePlace]:
        """Records of a user that a rule takes now, by its id, or that have expired (`EXPIRED`); none where the rule is removed.
        `free`: without those that are held."""
        asked: dict[str, Any] = {"user_id": user_id, "now": self._clock.now(), "free": free, "limit": limit}
        if rule == EXPIRED:
            statement = sql_text("retention/expired")
        else:
            statement, asked = sql_text("retention/due_by_rule"), asked | {"rule_id": UUID(rule)}
        return await self._postgres.fetch_as_service(statement, asked, row=DuePlace)

    async def _preview(
        self, user_id: UUID, rule: RetentionRule | None, columns: dict[str, Any], limit: int
    ) -> RetentionPreview:
        counted = await self._counted(user_id, columns)
        asked = {"user_id": user_id, "rule": Jsonb(columns), "now": self._clock.now(), "free": False, "limit": limit}
        found = await self._postgres.fetch_as_service(sql_text("retention/due"), asked, row=DuePlace)
        shown = tuple(one.shown for one in found)
        return RetentionPreview(rule, False, counted.records, counted.held, counted.in_all, shown)

    async def _counted(self, user_id: UUID, columns: dict[str, Any]) -> _Counted:
        asked = {"user_id": user_id, "rule": Jsonb(columns), "now": self._clock.now()}
        return only(await self._postgres.fetch_as_service(sql_text("retention/counted"), asked, row=_Counted))

    async def _check_user(self, user_id: UUID, new: NewRetentionRule) -> None:
        """Raises NotFound for a node that is not the user's, InvalidInput where the rule takes everything and does not say so."""
        if new.node_id is not None:
            asked = {"user_id": user_id, "node_id": new.node_id}
            layer = only(await self._postgres.fetch_as_service(sql_text("retention/node_of_user"), asked, row=int))
            if layer == 0:
                _check_root(new)
        if new.everything:
            return
        counted = await self._counted(user_id, _columns(new))
        if counted.in_all and counted.records + counted.held == counted.in_all:
            raise InvalidInput(TAKES_ALL.format(counted.in_all))

    async def _found(self, user_id: UUID | None, rule_id: UUID | None, after: int, limit: int) -> list[RetentionRule]:
        asked = {
            "workspace": self._workspace, "user_id": user_id, "rule_id": rule_id, "after": after, "limit": limit,
        }  # fmt: skip
        found = await self._postgres.fetch_as_service(sql_text("retention/page"), asked, row=RetentionRule)
        if rule_id and not found:
            raise NotFound
        return found


MOST_EXPIRED = 10_000
"""Expired records that a preview counts."""


def _check_root(new: NewRetentionRule) -> None:
    """The root has all records below it: it narrows nothing. Raises InvalidInput."""
    named = {**asdict(new), "node_id": None}
    NewRetentionRule(**named)


def _columns(rule: NewRetentionRule | RetentionRule) -> dict[str, Any]:
    """A rule as Postgres has it."""
    named = {one.name: getattr(rule, one.name) for one in fields(NewRetentionRule)}
    span = f"{rule.older_than_days * 86_400:.0f} seconds"
    return named | {"older_than": span, "node_id": rule.node_id and str(rule.node_id)}
