"""Upkeep of the stores: the doctor, the sweep and its quarantine, the mending."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from typing import Any

from engine.commit.outbox import StepHook
from engine.derive.catalogue import late
from engine.derive.derivations import Derivations
from engine.domain.clock import Clock
from engine.lifecycle.definition_check import DefinitionCheck, ValueCheck
from engine.lifecycle.doctor import Doctor, belonging
from engine.lifecycle.file_states import FileTimes
from engine.lifecycle.finding import Finding
from engine.lifecycle.graph_check import EntityCheck
from engine.lifecycle.installation import Installation
from engine.lifecycle.late_expiries import late_expiries
from engine.lifecycle.mending.entities import EntityMending
from engine.lifecycle.mending.mend import Mending, MendingParts
from engine.lifecycle.retention import KeptFor, Retention
from engine.lifecycle.sweep import Quarantine, Sweep
from engine.settings import Settings
from engine.stores.postgres import Postgres
from engine.wiring.write_path import Stores


def upkeep(
    settings: Settings,
    stores: Stores,
    installation: Installation,
    derivations: Derivations,
    clock: Clock,
    on_step: StepHook,
) -> dict[str, Any]:
    """The parts over these stores, under the names that the engine gives them."""
    postgres, neo4j, objects = stores.postgres, stores.neo4j, stores.objects
    quarantine = Quarantine(objects, clock, timedelta(days=settings.quarantine_days))
    grace = timedelta(minutes=settings.orphan_grace_minutes)
    sweep = Sweep((postgres, neo4j, objects), installation, quarantine, clock, grace)
    check = EntityCheck(postgres, neo4j, stores.domain.labels)
    entities = EntityMending(postgres, neo4j, check, stores.domain.labels, clock)
    definitions = DefinitionCheck(postgres, neo4j)
    values = ValueCheck(neo4j)
    checks = definitions, values, check
    doctor = Doctor((postgres, neo4j, objects), checks, belonging(installation, sweep), partial(_late, postgres, clock))
    vectors = partial(derivations.run, "vectors")
    parts = MendingParts(
        installation, quarantine, doctor, definitions, values, entities, stores.active, vectors, settings.home
    )
    mending = Mending(postgres, neo4j, parts, clock, on_step)
    retention = Retention(postgres, clock, _kept_for(settings))
    return {
        "installation": installation, "quarantine": quarantine, "sweep": sweep, "doctor": doctor,
        "derivations": derivations, "mending": mending, "retention": retention,
    }  # fmt: skip


def _kept_for(settings: Settings) -> KeptFor:
    return KeptFor(
        timedelta(days=settings.idempotency_days),
        timedelta(days=settings.outbox_days),
        timedelta(days=settings.job_history_days),
        timedelta(days=settings.session_days),
        timedelta(days=settings.access_log_days),
    )


def file_times(settings: Settings) -> FileTimes:
    """How long files stay restored."""
    return FileTimes(
        timedelta(minutes=settings.recompress_after_minutes),
        timedelta(days=settings.dormant_after_days),
        timedelta(seconds=settings.rehydrate_lease_s),
        settings.rehydrate_wait_s,
    )


async def _late(postgres: Postgres, clock: Clock) -> AsyncIterator[Finding]:
    """What jobs should have done by now."""
    for found in (late(postgres), late_expiries(postgres, clock)):
        async for one in found:
            yield one
