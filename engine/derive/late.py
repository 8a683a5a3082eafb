"""The doctor's question about all that is derived: is everything made, at its version?"""

from __future__ import annotations

from collections.abc import AsyncIterator

from engine.commit.rows import due
from engine.derive.catalogue import DERIVATIONS
from engine.lifecycle.finding import Finding
from engine.progress import counted
from engine.stores.postgres import Postgres


async def late(postgres: Postgres) -> AsyncIterator[Finding]:
    """What is due for longer than it takes: since when, at which version, what makes it, and why it was not made. Raises
    StoreUnavailable."""
    for one in await due.waiting(postgres):
        derivation = DERIVATIONS.get(one.derivation)  # none of a newer release, which stays noted
        if derivation is None or one.age.total_seconds() < derivation.late:
            continue
        reason = f" ({one.reason})" if one.reason else ""
        problem = f"{derivation.about}: due since {one.oldest:%Y-%m-%d %H:%M}, version {one.version}{reason}"
        remedy = (
            f"nothing to do: the job {derivation.job} makes them; `neurigraph job log {derivation.job}` has its runs"
        )
        yield Finding("warning", "postgres", counted(one.waiting, "record" if one.records else "node"), problem, remedy)
