"""Records that expired long ago and are still there: the job that forgets them does not run, or fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.domain.clock import Clock
from engine.lifecycle.finding import Finding
from engine.progress import counted
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LATE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _LateRecords:
    late: int
    oldest: datetime | None


async def late_expiries(postgres: Postgres, clock: Clock) -> AsyncIterator[Finding]:
    """A finding where records expired over an hour ago that no legal hold keeps. Raises StoreUnavailable."""
    asked = {"before": clock.now() - LATE}
    [found] = await postgres.fetch_as_service(sql_text("retention/late"), asked, row=_LateRecords)
    if found.oldest is not None:
        problem = f"expired and not forgotten, the first on {found.oldest:%Y-%m-%d %H:%M}"
        remedy = "`neurigraph job run expiries` forgets them; `job log expiries` says why it did not"
        yield Finding("warning", "postgres", counted(found.late, "record"), problem, remedy)
