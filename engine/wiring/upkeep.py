"""Upkeep of the stores: the doctor, the sweep and its quarantine, the mending."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any

from engine.commit.outbox import StepHook
from engine.domain.clock import Clock
from engine.lifecycle.doctor import Doctor
from engine.lifecycle.installation.findings import belonging
from engine.lifecycle.installation.installation import Installation
from engine.lifecycle.mending.mend import Mending, Parts
from engine.lifecycle.pending_vectors import PendingVectors
from engine.lifecycle.quarantine import Quarantine
from engine.lifecycle.retention import KeptFor, Retention
from engine.lifecycle.sweep import Sweep
from engine.settings import Settings
from engine.wiring.write_path import Stores


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The parts, as the engine offers them."""

    installation: Installation
    quarantine: Quarantine
    sweep: Sweep
    doctor: Doctor
    pending: PendingVectors
    mending: Mending
    retention: Retention

    @property
    def by_name(self) -> dict[str, Any]:
        """The parts under the names that the engine gives them."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


def upkeep(settings: Settings, stores: Stores, installation: Installation, clock: Clock, on_step: StepHook) -> Upkeep:
    """The parts over these stores."""
    postgres, neo4j, objects = stores.postgres, stores.neo4j, stores.objects
    quarantine = Quarantine(objects, clock, timedelta(days=settings.quarantine_days))
    grace = timedelta(minutes=settings.orphan_grace_minutes)
    sweep = Sweep((postgres, neo4j, objects), installation, quarantine, clock, grace)
    doctor = Doctor(postgres, neo4j, objects, belonging(installation, sweep))
    pending = PendingVectors(postgres, neo4j, stores.active)
    parts = Parts(installation, quarantine, doctor, pending, settings.home)
    mending = Mending(postgres, neo4j, parts, clock, on_step)
    retention = Retention(postgres, clock, _kept_for(settings))
    return Upkeep(installation, quarantine, sweep, doctor, pending, mending, retention)


def _kept_for(settings: Settings) -> KeptFor:
    return KeptFor(
        timedelta(days=settings.idempotency_days),
        timedelta(days=settings.outbox_days),
        timedelta(days=settings.job_history_days),
        timedelta(days=settings.session_days),
        timedelta(days=settings.access_log_days),
    )
