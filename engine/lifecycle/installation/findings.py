"""The doctor's findings about whole stores: different ages, writing stopped, files that the sweep must not touch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from engine.lifecycle.doctor import Finding
from engine.lifecycle.installation.installation import Installation
from engine.lifecycle.installation.marks import GRAPH, POSTGRES, REMEDY
from engine.lifecycle.sweep import Sweep
from engine.progress import counted

Store = Literal["postgres", "neo4j", "objects"]


def belonging(installation: Installation, sweep: Sweep) -> Callable[[], Awaitable[list[Finding]]]:
    """The doctor's questions about the stores as a whole; asking raises StoreUnavailable."""

    async def asked() -> list[Finding]:
        findings = [
            Finding("error", _store(one.store), one.store, one.problem, REMEDY) for one in await installation.older()
        ]
        stopped = await installation.stopped()
        if stopped and not findings:
            findings.append(Finding("error", "postgres", "writing", stopped, "run `neurigraph mend`"))
        if stopped:
            return findings
        found = await sweep.look_old()
        if found.foreign:
            problem = "keys that the engine does not make, or of users that Postgres does not know"
            findings.append(
                Finding("warning", "objects", counted(found.foreign, "object"), problem, "nothing touches them")
            )
        if objection := await sweep.objection(found):
            findings.append(Finding("error", "objects", counted(found.old, "file"), objection, "run `neurigraph mend`"))
        return findings

    return asked


def _store(name: str) -> Store:
    return "postgres" if name == POSTGRES else "neo4j" if name == GRAPH else "objects"
