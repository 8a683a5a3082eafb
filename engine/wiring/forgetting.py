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
from engine.forgetting.nodes import ErasedNodes
from engine.forgetting.numbers import EntityNumbers
from engine.forgetting.objects import ErasedObjects
from engine.forgetting.pages import TablePages
from engine.forgetting.receipt_files import ReceiptFiles
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


def erasure(
    settings: Settings,
    stores: Stores,
    outbox: Outbox,
    retractions: SourceRetractions,
    clock: Clock,
    on_step: StepHook,
) -> Erasure:
    """What forgets."""
    postgres, neo4j = stores.postgres, stores.neo4j
    parts = ErasureParts(
        ErasedRows(postgres),
        ErasedNodes(postgres),
        ErasedUsers(postgres),
        ErasedGraph(neo4j, clock, EntityNumbers(postgres)),
        ErasedObjects(stores.objects, clock, timedelta(seconds=settings.forget_settle_s), keys_of_users(settings)),
        TablePages(postgres),
    )
    key, files = key_of_receipts(settings), receipt_files(settings)
    home = None if settings.postgres_url else settings.home
    end = ForgettingEnd(postgres, Traces(postgres, neo4j, stores.objects, home), key, files, clock)
    return Erasure(
        postgres,
        outbox,
        ForgettingLog(postgres),
        Subjects(postgres, neo4j),
        retractions,
        parts,
        end,
        clock,
        settings.forget_settle_s,
        on_step,
    )
