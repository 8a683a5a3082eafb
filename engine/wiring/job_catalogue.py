"""All jobs, one declaration each. To add one, add an entry to CATALOGUE and its function above."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from engine.domain.job import DETAILS, Report
from engine.ingest.unchained import UnchainedFacts
from engine.jobs.job import Job
from engine.knowledge.facts.carried import CarriedFacts
from engine.lifecycle.large_nodes import LargeNodes
from engine.lifecycle.older_stems import OlderStems
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


async def _build_embeddings(engine: Engine) -> Report:
    if not any(version.status == "canary" for version in await engine.workspace.embeddings.list()):
        return {"filled": 0}
    return asdict(await engine.workspace.embeddings.build())


async def _check_drift(engine: Engine) -> Report:
    findings = await engine.doctor.examine()
    errors = sum(finding.severity == "error" for finding in findings)
    details = [
        asdict(one) | {"node_id": str(one.node_id) if one.node_id else None, "files": [str(file) for file in one.files]}
        for one in findings[:MOST_DETAILS]
    ]
    return {"errors": errors, "warnings": len(findings) - errors, DETAILS: details}


async def _find_entities(engine: Engine) -> Report:
    read = asdict(await engine.parts.unread_records.run())
    return read | {"items": await engine.parts.older_items.run()}


async def _upgrade_nodes(engine: Engine) -> Report:
    upgraded = asdict(await engine.upgrades.run())
    return upgraded | {"stems": await OlderStems(engine.postgres).run()}


def unchained(engine: Engine) -> UnchainedFacts:
    """What enters facts into chains that stand in none, and into the graph."""
    commit, active = engine.parts.ingest.commit, engine.parts.ingest.active
    stale = engine.settings.fact_stale_days
    carried = CarriedFacts(commit.postgres, commit.units, engine.parts.ingest.entities, commit.clock)
    return UnchainedFacts(commit.postgres, commit.units, commit.facts, carried, active, commit.clock, stale)


def _reported(run: Callable[[Engine], Awaitable[Any]]) -> Callable[[Engine], Awaitable[Report]]:
    """The job that runs this; its report is the value that it returns."""

    async def job(engine: Engine) -> Report:
        return asdict(await run(engine))

    return job


_sweep_orphans = _reported(lambda engine: engine.sweep.run())
_sweep_files = _reported(lambda engine: engine.dormancy.run())
_store_conversations = _reported(lambda engine: engine.parts.streams.run())
_pending_embeddings = _reported(lambda engine: engine.pending.run())
_pending_readings = _reported(lambda engine: engine.parts.readings.run())
_index_large_nodes = _reported(lambda engine: LargeNodes(engine.postgres, engine.settings.index_items).run())
_chain_facts = _reported(lambda engine: unchained(engine).run())
_build_communities = _reported(lambda engine: engine.parts.community_builds.run())
_build_replays = _reported(lambda engine: engine.parts.replays.run())
_clean_up = _reported(lambda engine: engine.retention.run())

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
    Job(
        "node-upgrade",
        "Brings node schemas to the newest version, and words of older items.",
        "17 * * * *",
        _upgrade_nodes,
    ),
    Job("embedding-build", "Makes the vectors that a canary still lacks.", "*/5 * * * *", _build_embeddings),
    Job("pending-embeddings", "Makes the vectors that writes left out.", "* * * * *", _pending_embeddings),
    Job("large-nodes", "Builds indexes of large nodes, drops those of small ones.", "*/10 * * * *", _index_large_nodes),
    Job("pending-readings", "Has the model read what it has not read yet.", "* * * * *", _pending_readings),
    Job(
        "entities",
        "Finds the entities of records that were stored without them, or changed by hand.",
        "*/5 * * * *",
        _find_entities,
    ),
    Job(
        "fact-chains",
        "Enters facts into chains and the graph, marks stale ones.",
        "*/10 * * * *",
        _chain_facts,
    ),
    Job(
        "communities",
        "Finds communities, clusters and insights where data changed.",
        "7,37 * * * *",
        _build_communities,
    ),
    Job("replay-build", "Makes the records of replays that were started.", "* * * * *", _build_replays),
    Job("drift-check", "Compares the three stores and keeps what does not fit.", "41 3 * * *", _check_drift),
    Job(
        "clean-up",
        "Deletes kept answers, finished commits, old runs, sessions and lines of the access log.",
        "11 * * * *",
        _clean_up,
    ),
)
