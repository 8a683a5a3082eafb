"""All jobs. To add one, add an entry to CATALOGUE and its function above; what is derived stands in `engine.derive.catalogue`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from engine.derive.catalogue import CATALOGUE as DERIVED
from engine.derive.derivations import Derivation
from engine.domain.job import DETAILS, Report
from engine.forgetting.erasure import Erasure
from engine.forgetting.retention_runs import RetentionRuns
from engine.ingest.rereading.replays import RecordReplays
from engine.ingest.streams.streaming import Streams
from engine.jobs.runs import Job
from engine.lifecycle.large_nodes import LargeNodes
from engine.neurigraph import Engine

UNDER_WAY = 10.0
"""Seconds that a commit may be under way before the job finishes it."""
MOST_ROUNDS = 20
MOST_DETAILS = 100


async def _recover(engine: Engine) -> Report:
    finished = 0
    for _ in range(MOST_ROUNDS):
        done = await engine.outbox.recover(older_than=UNDER_WAY, due_only=True)
        finished += done
        if not done:
            break
    return {"finished": finished}


async def _take_up(engine: Engine) -> Report:
    taken_up, given_up = await engine.services.jobs.take_up_stalled()
    return {"taken_up": taken_up, "given_up": given_up}


async def _check_drift(engine: Engine) -> Report:
    findings = await engine.doctor.examine()
    errors = sum(finding.severity == "error" for finding in findings)
    details = [
        asdict(one) | {"node_id": str(one.node_id) if one.node_id else None, "files": [str(file) for file in one.files]}
        for one in findings[:MOST_DETAILS]
    ]
    return {"errors": errors, "warnings": len(findings) - errors, DETAILS: details}


def _reported(run: Callable[[Engine], Awaitable[Any]]) -> Callable[[Engine], Awaitable[Report]]:
    """The job that runs this; its report is the value that it returns."""

    async def job(engine: Engine) -> Report:
        return asdict(await run(engine))

    return job


_sweep_orphans = _reported(lambda engine: engine.sweep.run())
_sweep_files = _reported(lambda engine: engine.dormancy.run())
_store_conversations = _reported(lambda engine: engine.parts[Streams].run())
_index_large_nodes = _reported(lambda engine: LargeNodes(engine.postgres, engine.settings.index_items).run())
_build_replays = _reported(lambda engine: engine.parts[RecordReplays].run())
_forget = _reported(lambda engine: engine.parts[Erasure].run())
_retention = _reported(lambda engine: engine.parts[RetentionRuns].by_rules())
_expire = _reported(lambda engine: engine.parts[RetentionRuns].expired())
_clean_up = _reported(lambda engine: engine.retention.run())


def derivation_jobs() -> list[Job]:
    """The jobs that make what is derived: one for the derivations that name it, one after the other."""
    by_job: dict[str, list[Derivation]] = defaultdict(list)
    for one in DERIVED:
        by_job[one.job].append(one)
    return [
        Job(name, f"Makes {', '.join(one.about for one in own)}.", own[0].schedule, _derive(name))
        for name, own in by_job.items()
    ]


def _derive(job: str) -> Callable[[Engine], Awaitable[Report]]:
    return lambda engine: engine.derivations.of_job(job)


CATALOGUE = (
    Job(
        "recovery",
        "Finishes commits that were left half way; sets aside what fails too often.",
        "* * * * * */10",
        _recover,
    ),
    Job("stalled-jobs", "Takes up runs whose worker died.", "* * * * *", _take_up, alone=False),
    Job(
        "orphan-sweep",
        "Moves files to quarantine that no manifest knows, after the grace time.",
        "23 * * * *",
        _sweep_orphans,
    ),
    Job("file-sweep", "Puts files to sleep whose time is over.", "* * * * *", _sweep_files),
    Job(
        "conversations",
        "Stores what is due of streamed conversations, ends silent ones.",
        "* * * * *",
        _store_conversations,
    ),
    *derivation_jobs(),
    Job("large-nodes", "Builds indexes of large nodes, drops those of small ones.", "*/10 * * * *", _index_large_nodes),
    Job("replay-build", "Makes the records of replays that were started.", "* * * * *", _build_replays),
    Job("forgettings", "Takes what is being forgotten further, and signs receipts.", "* * * * *", _forget),
    Job("retention", "Forgets what rules of retention take.", "29 * * * *", _retention),
    Job("expiries", "Forgets what has expired.", "* * * * *", _expire),
    Job("drift-check", "Compares the three stores and keeps what does not fit.", "41 3 * * *", _check_drift),
    Job(
        "clean-up",
        "Deletes kept answers, finished commits, old runs, sessions and lines of the access log.",
        "11 * * * *",
        _clean_up,
    ),
)
