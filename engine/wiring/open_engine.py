"""The only wiring: settings become stores, stores become the engine. Nothing opens a connection at import."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from engine.access.access_log import AccessLog
from engine.access.grants import GraphGrants
from engine.access.idempotency import Idempotency
from engine.access.principals import WorkspaceIntegrations, WorkspaceTokens, WorkspaceUsers, complete_keys
from engine.commit.outbox import Outbox, StepHook, no_step
from engine.commit.set_aside import SetAside
from engine.commit.unit_of_work import UnitsOfWork
from engine.derive.catalogue import CATALOGUE as DERIVED
from engine.derive.derivations import Derivations, Means, raised
from engine.derive.reading import Readings
from engine.domain.clock import Clock, SystemClock
from engine.facts.reads import KnownFacts
from engine.forgetting.erasure import Erasure
from engine.forgetting.holds import LegalHolds
from engine.forgetting.retention import RetentionRules
from engine.hierarchy.provisioning import Provisioning
from engine.hierarchy.shells import Shells
from engine.hierarchy.tables import Upgrades
from engine.history.changes import Changes
from engine.history.contents import ContentHistory
from engine.history.edges import EdgeHistory
from engine.history.events import EventLog
from engine.history.nodes import NodeHistory
from engine.history.reading import DocumentReads, Past
from engine.ingest.assignment.placing import Assignments
from engine.ingest.pipeline import Ingest
from engine.ingest.sessions import FailureLog
from engine.ingest.streams.streaming import Streams
from engine.jobs.jobs import JobCatalogue
from engine.jobs.queue import CONNECTIONS, Queue, WorkLimits, install_queue
from engine.jobs.runs import Runs, scheduled
from engine.knowledge.unread_records import UnreadRecords
from engine.lifecycle.embedding_versions import EmbeddingVersions
from engine.lifecycle.exporting import Exporting
from engine.lifecycle.file_states import Dormancy, FileLog, FileStates, NodeStates
from engine.lifecycle.installation import Installation
from engine.lifecycle.moving import Moving
from engine.lifecycle.rehydrate import Rehydration
from engine.lifecycle.resources import RawResources
from engine.naming.configuration import load_domain
from engine.neurigraph import Engine
from engine.operations.caller import Parts
from engine.operations.keeper import Services
from engine.privacy.redact import Redactor
from engine.progress import Progress, Silent
from engine.providers.active import ActiveModel
from engine.providers.calls import ObservedModel
from engine.providers.language import LanguageModel
from engine.retrieval.pipeline import Search
from engine.retrieval.touches import Touches
from engine.settings import Settings
from engine.stores import definitions, graph_definitions
from engine.stores.encryption import Encryption
from engine.stores.erasure import grant_erasure
from engine.stores.migrations import migrate_neo4j, migrate_postgres, migrations
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, object_store
from engine.stores.postgres import Postgres
from engine.stores.roles import ensure_roles
from engine.stores.sql_roles import listed, renew_views
from engine.stores.urls import authority
from engine.wiring.addresses import Addresses, addresses_of, derived, keys_of_users
from engine.wiring.forgetting import forgetting
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.models import Loader, active_model, language_model, token_counter
from engine.wiring.read_path import community_builds, knowledge, read_path
from engine.wiring.upkeep import file_times, upkeep
from engine.wiring.warming import warm_quietly
from engine.wiring.write_path import Stores, assigner, ingest_by, proposals, readings, replays, stream_limits, streams

RECOVERY_INTERVAL = 2.0
"""Seconds between two checks for unfinished commits: every engine finishes them, with or without a worker."""
RECOVERY_AGE = 10.0
"""Seconds that a commit may be under way before another process finishes it."""


@asynccontextmanager
async def open_engine(  # noqa: PLR0913 (the options of the one way in)
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
    on_step: StepHook = no_step,
    worker: bool = False,
    language: LanguageModel | None = None,
    addresses: Addresses | None = None,
    warming: bool = True,
) -> AsyncIterator[Engine]:
    """The engine, ready: stores reached (or started), migrated, commits that a crash left finished.

    With `worker`, and unless the settings say no, it also carries out background jobs until it is closed: for processes
    that stay. Commits that were left half way are finished in either case. `language`: a language model of the caller's, instead
    of the one that the settings name; it is closed with the engine. `addresses`: where the stores are, from a caller that holds
    the embedded servers. `warming`: the first search is planned in the background.

    Raises StackError, StoreUnavailable, MigrationError, SettingsError.
    """
    settings, progress, clock = settings or Settings(), progress or Silent(), clock or SystemClock()
    Redactor(settings.redact), stream_limits(settings)  # a misspelt kind, a wrong order start no servers
    async with AsyncExitStack() as stack:
        addresses = addresses or await addresses_of(settings, progress, stack)
        postgres, neo4j, objects = _clients(settings, addresses, stack)
        runs = Runs(postgres, clock)
        queue = _queue(settings, addresses, runs)
        stack.push_async_callback(queue.close)
        await _initialize(postgres, neo4j, objects, queue, addresses, progress)
        installation = await _installed(Installation(postgres, neo4j, objects, clock), settings, stack)
        loader = Loader(settings, progress)
        active = await active_model(settings, postgres, loader)
        stack.push_async_callback(active.close)
        if language := language or language_model(settings):
            language = ObservedModel(language, settings.language_model_prices)
            stack.push_async_callback(language.close)
        jobs = JobCatalogue(CATALOGUE, scheduled(CATALOGUE, settings.job_schedules), queue, runs, clock)
        counter, domain = await token_counter(loader), load_domain(settings.domain)
        stores = Stores(postgres, neo4j, objects, active, jobs, counter, language, domain)
        redactor = Redactor(settings.redact, derived(addresses.postgres_url, b"neurigraph redacted ids").encode())
        engine = _wired(settings, stores, redactor, installation, clock, on_step)
        stack.push_async_callback(engine.parts[Rehydration].close)
        stack.push_async_callback(engine.parts[Streams].close)
        stack.push_async_callback(engine.parts[Touches].close)
        await engine.outbox.recover_quietly(0)
        await engine.nodes.apply_quietly()
        recovery = _recover_for_ever(engine.outbox, active)
        for background in [recovery, warm_quietly(engine)] if warming else [recovery]:
            stack.push_async_callback(_ended, asyncio.create_task(background))
        if worker and settings.worker:
            await stack.enter_async_context(engine.working())
        yield engine


def _clients(settings: Settings, addresses: Addresses, stack: AsyncExitStack) -> tuple[Postgres, Neo4j, ObjectStore]:
    """The clients of the three stores, not connected yet; `stack` closes them."""
    data = None if settings.postgres_url else settings.home
    neo4j = Neo4j(
        addresses.neo4j_url,
        (addresses.neo4j_user, addresses.neo4j_password),
        database=settings.neo4j_database,
        pool=settings.neo4j_pool,
        timeout=settings.statement_timeout_s,
        connect_timeout=settings.connect_timeout_s,
        authority=authority(settings.neo4j_ca, "NEURIGRAPH_NEO4J_CA"),
        data=data,
    )
    stack.push_async_callback(neo4j.close)
    postgres = Postgres(
        addresses.postgres_url,
        addresses.request_url,
        size=settings.postgres_pool - CONNECTIONS,
        statement_timeout=settings.statement_timeout_s,
        connect_timeout=settings.connect_timeout_s,
        data=data,
    )
    stack.push_async_callback(postgres.close)
    objects = object_store(
        addresses.objects_url,
        timeout=settings.connect_timeout_s,
        silence=settings.objects_timeout_s,
        authority=authority(settings.objects_ca, "NEURIGRAPH_OBJECTS_CA"),
        cold_url=settings.objects_cold_url.get_secret_value() if settings.objects_cold_url else None,
        encryption=Encryption(keys_of_users(settings), on=settings.encrypt),
    )
    return postgres, neo4j, objects


def _queue(settings: Settings, addresses: Addresses, runs: Runs) -> Queue:
    limits = WorkLimits(
        concurrency=settings.worker_concurrency,
        attempts=settings.job_attempts,
        first_pause=settings.job_retry_s,
        time_limit=settings.job_time_limit_s,
        patience=settings.worker_patience_s,
        silence=settings.job_stalled_s,
    )
    return Queue(addresses.postgres_url, runs, limits, connect_timeout=settings.connect_timeout_s)


def _wired(
    settings: Settings, stores: Stores, redactor: Redactor, installation: Installation, clock: Clock, on_step: StepHook
) -> Engine:
    postgres, neo4j, objects, active = stores.postgres, stores.neo4j, stores.objects, stores.active
    outbox = Outbox(postgres, neo4j, on_step, attempts=settings.commit_attempts)
    units, shells = UnitsOfWork(postgres, outbox), Shells(postgres, neo4j, clock)
    states, nodes = FileStates(postgres, clock, file_times(settings)), NodeStates(postgres, neo4j)
    edges = EdgeHistory(postgres, neo4j, units, shells, clock)
    node_history = NodeHistory(postgres, neo4j, units, active, clock)
    provisioning, moving = Provisioning(postgres, units, active, clock), Moving(postgres, units, nodes, clock)
    decides = assigner(settings, stores, provisioning, redactor, clock)
    ingest = ingest_by(decides, settings, stores, units, redactor, clock, on_step)
    known = knowledge(settings, stores, ingest, clock)
    made = (
        provisioning,
        shells,
        ingest,
        ingest.sessions,
        ingest.failures,
        streams(settings, stores, ingest, redactor, clock, on_step),
        *read_path(settings, stores, known, clock),
        Touches(postgres, neo4j, clock, settings.touch_interval_s),
        Changes(shells, _content_history(ingest, active), node_history, edges, known["unread_records"]),
        DocumentReads(postgres, shells),
        Exporting(postgres, resources := RawResources(postgres, objects), clock, settings.max_text_bytes),
        resources,
        KnownFacts(postgres, clock),
        readings(settings, stores, ingest, clock),
        replays(settings, stores, ingest, clock, on_step),
        EventLog(postgres, clock),
        Past(postgres, shells, node_history, edges, clock),
        edges,
        *known.values(),
        Assignments(postgres),
        moving,
        proposals(settings, stores, provisioning, ingest, moving, redactor, clock),
        Rehydration(postgres, objects, shells, states, nodes, on_step),
        Dormancy(states, nodes, objects, shells, clock, on_step),
        FileLog(postgres, clock),
        Idempotency(postgres),
        AccessLog(postgres),
        GraphGrants(postgres, units, clock),
        SetAside(postgres, neo4j, outbox, settings.workspace),
        *forgetting(settings, stores, outbox, known["retractions"], clock, on_step),
        stores.jobs,
    )
    parts = Parts(clock, redactor, postgres.limit, settings.max_text_bytes, {type(one): one for one in made})
    services = _services(settings, stores, parts)
    derivations = _derivations(settings, stores, parts, services.embeddings)
    return Engine(
        settings=settings,
        parts=parts,
        outbox=outbox,
        postgres=postgres,
        neo4j=neo4j,
        objects=objects,
        active=active,
        dormancy=parts[Dormancy],
        states=states,
        nodes=nodes,
        **upkeep(settings, stores, installation, derivations, clock, on_step),
        services=services,
    )


def _content_history(ingest: Ingest, active: ActiveModel) -> ContentHistory:
    return ContentHistory(ingest.commit.units, ingest.commit.writer.slices, active)


def _derivations(settings: Settings, stores: Stores, parts: Parts, embeddings: EmbeddingVersions) -> Derivations:
    means = Means(
        postgres=stores.postgres,
        neo4j=stores.neo4j,
        active=stores.active,
        clock=parts.clock,
        ingest=parts[Ingest],
        unread=parts[UnreadRecords],
        readings=parts[Readings],
        communities=community_builds(settings, stores, parts.clock),
        embeddings=embeddings,
        fact_stale_days=settings.fact_stale_days,
    )
    return Derivations(DERIVED, means)


def _services(settings: Settings, stores: Stores, parts: Parts) -> Services:
    postgres, workspace, clock = stores.postgres, settings.workspace, parts.clock
    return Services(
        users=WorkspaceUsers(postgres, parts[Provisioning], workspace),
        tokens=WorkspaceTokens(postgres, workspace, clock),
        integrations=WorkspaceIntegrations(postgres, workspace),
        jobs=stores.jobs,
        failures=parts[FailureLog],
        commits=parts[SetAside],
        embeddings=EmbeddingVersions(
            postgres, stores.neo4j, stores.active, parts[Search].search_with, workspace, clock
        ),
        erasure=parts[Erasure],
        holds=parts[LegalHolds],
        rules=parts[RetentionRules],
        redactor=parts.redactor,
        limit=parts.limit,
    )


async def _initialize(
    postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, queue: Queue, addresses: Addresses, progress: Progress
) -> None:
    """Everything that the stores need before the first request, by one process at a time; running it again changes nothing."""
    await postgres.open_service()
    async with postgres.preparing():
        await ensure_roles(postgres, addresses.postgres_url, addresses.request_url, addresses.admin_url)
        await migrate_postgres(postgres, migrations("postgres"))
        await Upgrades(postgres).run(progress)
        await definitions.repeat(postgres)
        await grant_erasure(postgres)
        await raised(postgres, DERIVED)
        if addresses.admin_url is not None and await listed(postgres):
            await renew_views(addresses.admin_url)
        await complete_keys(postgres)
        await install_queue(postgres)
        await neo4j.open()
        await migrate_neo4j(neo4j, migrations("neo4j"))
        await graph_definitions.repeat(neo4j)
        await objects.check()
    await queue.open()
    await postgres.open_request()


async def _installed(installation: Installation, settings: Settings, stack: AsyncExitStack) -> Installation:
    """The stores proven to belong together, and marked as long as the engine is open."""
    await installation.begin(adopt=settings.adopt_stores)
    stack.push_async_callback(installation.advance_quietly)
    stack.push_async_callback(_ended, asyncio.create_task(installation.keep_marking()))
    return installation


async def _recover_for_ever(outbox: Outbox, active: ActiveModel) -> None:
    while True:
        await asyncio.sleep(RECOVERY_INTERVAL)
        await outbox.recover_quietly(RECOVERY_AGE, due_only=True)
        await active.follow_quietly()


async def _ended(task: asyncio.Task[None]) -> None:
    while not task.done():
        task.cancel()  # again, where a library swallowed it
        await asyncio.wait([task], timeout=1)
    with suppress(asyncio.CancelledError):
        task.result()
