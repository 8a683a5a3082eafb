"""The wiring of forgetting."""

from __future__ import annotations

from datetime import timedelta

from engine.commit.outbox import Outbox, StepHook
from engine.domain.clock import Clock
from engine.embedded.layout import Home
from engine.forgetting.ending import ForgettingEnd
from engine.forgetting.erasure import Erasure, ErasureParts
from engine.forgetting.forgettings import ForgettingLog
from engine.forgetting.graph import ErasedGraph
from engine.forgetting.holds import LegalHolds
from engine.forgetting.nodes import ErasedNodes
from engine.forgetting.numbers import EntityNumbers
from engine.forgetting.objects import ErasedObjects
from engine.forgetting.pages import TablePages
from engine.forgetting.receipt_files import ReceiptFiles
from engine.forgetting.retention import RetentionRules
from engine.forgetting.retention_runs import RetentionRuns
from engine.forgetting.rows import ErasedRows
from engine.forgetting.subjects import Subjects
from engine.forgetting.traces import Traces
from engine.forgetting.users import ErasedUsers
from engine.history.retractions import SourceRetractions
from engine.settings import Settings
from engine.wiring.addresses import key_of_receipts, keys_of_users
from engine.wiring.write_path import Stores


def receipt_files(settings: Settings) -> ReceiptFiles:
    """The files of the receipts of a home."""
    home = Home(settings.home)
    return ReceiptFiles(settings.receipts or home.receipts, home.backups)


def forgetting(
    settings: Settings,
    stores: Stores,
    outbox: Outbox,
    retractions: SourceRetractions,
    clock: Clock,
    on_step: StepHook,
) -> tuple[Erasure, RetentionRules, RetentionRuns, LegalHolds]:
    """What forgets, by what it is told to forget, and what it must not."""
    postgres = stores.postgres
    rules = RetentionRules(postgres, clock, settings.workspace)
    subjects = Subjects(postgres, stores.neo4j, rules)
    made = Erasure(
        postgres,
        outbox,
        ForgettingLog(postgres),
        subjects,
        retractions,
        _parts(settings, stores, clock),
        _end(settings, stores, clock),
        clock,
        settings.forget_settle_s,
        on_step,
    )
    return made, rules, RetentionRuns(postgres, made, rules, clock), LegalHolds(postgres, subjects, settings.workspace)


def _parts(settings: Settings, stores: Stores, clock: Clock) -> ErasureParts:
    postgres, neo4j = stores.postgres, stores.neo4j
    return ErasureParts(
        ErasedRows(postgres),
        ErasedNodes(postgres),
        ErasedUsers(postgres),
        ErasedGraph(neo4j, clock, EntityNumbers(postgres)),
        ErasedObjects(stores.objects, clock, timedelta(seconds=settings.forget_settle_s), keys_of_users(settings)),
        TablePages(postgres),
    )


def _end(settings: Settings, stores: Stores, clock: Clock) -> ForgettingEnd:
    key, files = key_of_receipts(settings), receipt_files(settings)
    home = None if settings.postgres_url else settings.home
    traces = Traces(stores.postgres, stores.neo4j, stores.objects, home)
    return ForgettingEnd(stores.postgres, traces, key, files, clock)
