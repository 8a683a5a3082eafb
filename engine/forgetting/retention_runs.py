"""The job of retention: what is due by a rule, or has expired, is forgotten.

Rules are taken with their users, page by page. Of each the records that are due go in forgettings of 200 records, one after the
other; each is taken so far that its rows, its part of the graph and its files are erased, the job `forgettings` ends it. What a
run leaves when its time is over, the next one takes. Two runs at once do no harm: a record that one has erased the other does
not find.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from time import monotonic
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.domain.forgetting import ForgettingSubject
from engine.errors import NeurigraphError, NotFound, StoreUnavailable
from engine.forgetting.erasure import Erasure
from engine.forgetting.retention import EXPIRED, RetentionRules
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

log = logging.getLogger(__name__)

PAGE = 100
RUN_S, GROUP_S = 1200.0, 300.0
"""Seconds of a run, and of one forgetting: no other one of the same rule begins while its records are not erased."""
AUTHOR = "retention"
NIL = UUID(int=0)
MOST_HELD = 10_000


@dataclass(slots=True)
class RetentionReport:
    """Of a run: records that were due and are forgotten, forgettings of them, records that a legal hold keeps, rules (each
    counted with every user) of which a forgetting failed or still waits."""

    records: int = 0
    forgettings: int = 0
    held: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class _RuleOfUser:
    rule_id: UUID
    user_id: UUID


@dataclass(slots=True)
class _Run:
    report: RetentionReport = field(default_factory=RetentionReport)
    began: float = field(default_factory=monotonic)

    @property
    def over(self) -> bool:
        return monotonic() - self.began > RUN_S


class RetentionRuns:
    """Forgets what is due."""

    def __init__(self, postgres: Postgres, erasure: Erasure, rules: RetentionRules, clock: Clock) -> None:
        self._postgres, self._erasure, self._rules, self._clock = postgres, erasure, rules, clock

    async def by_rules(self) -> RetentionReport:
        """Forgets what rules take. Raises StoreUnavailable."""
        run = _Run()
        async for one in self._rules_of_users():
            await self._forget_due(run, one.user_id, str(one.rule_id))
            if run.over:
                break
        return run.report

    async def expired(self) -> RetentionReport:
        """Forgets what has expired. Raises StoreUnavailable."""
        run = _Run()
        async for user_id in self._users_expired():
            await self._forget_due(run, user_id, EXPIRED)
            if run.over:
                break
        return run.report

    async def _forget_due(self, run: _Run, user_id: UUID, rule: str) -> None:
        """What is due of one rule for one user; an error leaves it to the next run."""
        try:
            run.report.held += await self._held(user_id, rule)
            while not run.over:
                if await self._unfinished(user_id, rule):
                    run.report.waiting += 1
                    return
                due = await self._rules.due(user_id, rule, free=True, limit=self._rules.group)
                if not due:
                    return
                subject = ForgettingSubject("retention", f"{rule} {uuid4().hex}")
                done = await self._erasure.forget(user_id, subject, "", AUTHOR, within_s=GROUP_S)
                run.report.forgettings += 1
                if done.state in ("planned", "running"):
                    run.report.waiting += 1
                    return
                run.report.records += len(due)
        except StoreUnavailable:
            raise
        except NotFound:
            return  # another process has forgotten it meanwhile
        except NeurigraphError as error:
            log.warning("what is due by the rule %s waits: %s", rule, error.detail)
            run.report.waiting += 1

    async def _held(self, user_id: UUID, rule: str) -> int:
        """How many records that are due are held."""
        if not await self._postgres.fetch_as_service(sql_text("hold/of_user"), {"user_id": user_id}, row=UUID):
            return 0
        due = await self._rules.due(user_id, rule, free=False, limit=MOST_HELD)
        return sum(one.held for one in due)

    async def _unfinished(self, user_id: UUID, rule: str) -> bool:
        """Whether a forgetting of the rule has not erased its records yet, also after it was taken further now."""
        asked = {"user_id": user_id, "rule": f"{rule} "}
        found = await self._postgres.fetch_as_service(sql_text("retention/unfinished"), asked, row=UUID)
        if not found:
            return False
        one = await self._erasure.carry_on(await self._erasure.forgettings.get(found[0]), within_s=GROUP_S)
        return one.state in ("planned", "running", "failed")

    async def _rules_of_users(self) -> AsyncIterator[_RuleOfUser]:
        last = _RuleOfUser(NIL, NIL)
        while True:
            asked = {"after_rule": last.rule_id, "after_user": last.user_id, "limit": PAGE}
            page = await self._postgres.fetch_as_service(sql_text("retention/rules_of_users"), asked, row=_RuleOfUser)
            for one in page:
                yield one
            if len(page) < PAGE:
                return
            last = page[-1]

    async def _users_expired(self) -> AsyncIterator[UUID]:
        after = NIL
        while True:
            asked = {"now": self._clock.now(), "after": after, "limit": PAGE}
            page = await self._postgres.fetch_as_service(sql_text("retention/users_expired"), asked, row=UUID)
            for one in page:
                yield one
            if len(page) < PAGE:
                return
            after = page[-1]
