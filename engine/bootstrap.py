"""The only wiring: settings become stores, stores become the engine. Nothing opens a connection at import."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from psycopg import conninfo, sql

from engine.access.grants import Grants
from engine.access.idempotency import Idempotency
from engine.access.integrations import Integrations
from engine.access.tokens import Tokens
from engine.domain.clock import Clock, SystemClock
from engine.domain.search import SearchRequest
from engine.embedded import attached, encoder_folder
from engine.errors import NeurigraphError, SettingsError
from engine.hierarchy.outbox import Outbox, StepHook
from engine.hierarchy.provisioning import Provisioning
from engine.hierarchy.shells import Shells
from engine.ingest.commit import RecordCommit
from engine.ingest.pipeline import Ingest, IngestLimits
from engine.jobs.catalogue import CATALOGUE
from engine.jobs.job import scheduled
from engine.jobs.jobs import Jobs
from engine.jobs.queue import Queue, WorkLimits
from engine.jobs.runs import Runs
from engine.jobs.schema import install_queue
from engine.lifecycle.doctor import Doctor
from engine.lifecycle.rehydrate import Rehydration
from engine.lifecycle.retention import KeptFor, Retention
from engine.lifecycle.sweep import Sweep
from engine.memory import Parts
from engine.neurigraph import Engine
from engine.progress import Progress, Silent
from engine.providers.embedder import Embedder
from engine.providers.onnx import OnnxEncoder
from engine.providers.openai import OpenAIEmbedder
from engine.retrieval.pipeline import Search
from engine.retrieval.weights import load_weights
from engine.settings import Settings
from engine.stores.migrations import migrate_neo4j, migrate_postgres, migrations
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, object_store
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text


def _no_step(_: str) -> None:
    """Nobody watches the steps."""


@dataclass(frozen=True, slots=True)
class _Stores:
    """The opened stores, the embedder and the queue, with the runs that it keeps."""

    postgres: Postgres
    neo4j: Neo4j
    objects: ObjectStore
    embedder: Embedder
    queue: Queue
    runs: Runs


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the three stores are."""

    neo4j_url: str
    neo4j_user: str
    neo4j_password: str
    postgres_url: str
    request_url: str
    objects_url: str


@asynccontextmanager
async def open_engine(
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
    clock: Clock | None = None,
    on_step: StepHook = _no_step,
    worker: bool = False,
) -> AsyncIterator[Engine]:
    """The engine, ready: stores reached (or started), migrated, commits that a crash left finished.

    With `worker`, and unless the settings say no, it also carries out background jobs until it is closed: for processes
    that stay. Without, what is left half way after the start waits for an engine that does.

    Raises StackError, StoreUnavailable, MigrationError, SettingsError.
    """
    settings, progress, clock = settings or Settings(), progress or Silent(), clock or SystemClock()
    async with AsyncExitStack() as stack:
        addresses = await _addresses(settings, progress, stack)
        embedder = await _embedder(settings, progress)
        stack.push_async_callback(embedder.close)
        neo4j = Neo4j(
            addresses.neo4j_url,
            addresses.neo4j_user,
            addresses.neo4j_password,
            database=settings.neo4j_database,
            pool=settings.neo4j_pool,
            timeout=settings.statement_timeout_s,
        )
        stack.push_async_callback(neo4j.close)
        postgres = Postgres(
            addresses.postgres_url,
            addresses.request_url,
            size=settings.postgres_pool,
            statement_timeout=settings.statement_timeout_s,
            connect_timeout=settings.connect_timeout_s,
        )
        stack.push_async_callback(postgres.close)
        objects = object_store(addresses.objects_url, timeout=settings.connect_timeout_s)
        runs = Runs(postgres, clock)
        queue = _queue(settings, addresses, runs)
        stack.push_async_callback(queue.close)
        stores = _Stores(postgres, neo4j, objects, embedder, queue, runs)
        await _initialize(stores, addresses)
        engine = _wired(settings, stores, clock, on_step)
        await engine.outbox.recover_quietly(0)
        stack.push_async_callback(_ended, asyncio.create_task(_warm(engine)))
        if worker and settings.worker:
            await stack.enter_async_context(engine.working())
        yield engine


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


def _wired(settings: Settings, stores: _Stores, clock: Clock, on_step: StepHook) -> Engine:
    postgres, neo4j, objects, embedder = stores.postgres, stores.neo4j, stores.objects, stores.embedder
    outbox = Outbox(postgres, neo4j, on_step)
    shells = Shells(postgres, neo4j, clock)
    commit = RecordCommit(postgres, objects, outbox, clock, on_step)
    limits = IngestLimits(settings.batch_turns, settings.summary_words, settings.max_text_bytes)
    ttl = timedelta(minutes=settings.recompress_after_minutes)
    parts = Parts(
        provisioning=Provisioning(postgres, outbox, embedder, clock, on_step),
        shells=shells,
        ingest=Ingest(postgres, neo4j, embedder, commit, limits),
        search=Search(postgres, neo4j, embedder, load_weights(settings.ranking)),
        rehydration=Rehydration(postgres, neo4j, objects, shells, clock, ttl),
        idempotency=Idempotency(postgres),
        grants=Grants(postgres, outbox, clock),
        max_text_bytes=settings.max_text_bytes,
    )
    grace = timedelta(minutes=settings.orphan_grace_minutes)
    kept = KeptFor(
        timedelta(days=settings.idempotency_days),
        timedelta(days=settings.outbox_days),
        timedelta(days=settings.job_history_days),
    )
    schedules = scheduled(CATALOGUE, settings.job_schedules)
    return Engine(
        settings=settings,
        parts=parts,
        outbox=outbox,
        postgres=postgres,
        neo4j=neo4j,
        objects=objects,
        embedder=embedder,
        doctor=Doctor(postgres, neo4j, objects),
        sweep=Sweep(postgres, objects, clock, grace),
        retention=Retention(postgres, clock, kept),
        jobs=Jobs(CATALOGUE, schedules, stores.queue, stores.runs, clock),
        tokens=Tokens(postgres, settings.workspace, clock),
        integrations=Integrations(postgres, settings.workspace),
    )


async def _addresses(settings: Settings, progress: Progress, stack: AsyncExitStack) -> Addresses:
    """Managed stores where URLs are set; the embedded servers for the others."""
    objects_url = (
        settings.objects_url.get_secret_value() if settings.objects_url else _folder_url(settings.home / "objects")
    )
    if settings.neo4j_url and settings.postgres_url:
        if settings.neo4j_password is None:
            raise SettingsError("NEURIGRAPH_NEO4J_URL needs NEURIGRAPH_NEO4J_PASSWORD.")
        url = settings.postgres_url.get_secret_value()
        request = (
            settings.postgres_request_url.get_secret_value() if settings.postgres_request_url else request_url(url)
        )
        password = settings.neo4j_password.get_secret_value()
        return Addresses(settings.neo4j_url, settings.neo4j_user, password, url, request, objects_url)
    if settings.neo4j_url or settings.postgres_url:
        raise SettingsError("Set both NEURIGRAPH_NEO4J_URL and NEURIGRAPH_POSTGRES_URL, or neither.")
    servers = await stack.enter_async_context(
        attached(settings.home, settings.cache, progress=progress, base_url=settings.jars_url)
    )
    return Addresses(
        servers.neo4j_url,
        servers.neo4j_user,
        servers.neo4j_password,
        servers.postgres_url,
        request_url(servers.postgres_url),
        objects_url,
    )


def _folder_url(folder: Path) -> str:
    return folder.absolute().as_uri()


def request_url(service_url: str) -> str:
    """The URL of the unprivileged role on the same server; its password is derived from the service's.

    HMAC-SHA256 keyed with the service's password: nobody without it can compute it, and it need not be stored.
    """
    parts = conninfo.conninfo_to_dict(service_url)
    password = hmac.new(str(parts.get("password", "")).encode(), b"neurigraph request role", hashlib.sha256).hexdigest()
    return conninfo.make_conninfo(service_url, user="neurigraph_request", password=password)


async def _embedder(settings: Settings, progress: Progress) -> Embedder:
    if settings.openai_api_key and settings.embedding_model:
        return await OpenAIEmbedder.connect(
            settings.openai_api_key.get_secret_value(),
            settings.embedding_model,
            base_url=settings.openai_base_url,
            timeout=settings.statement_timeout_s,
        )
    folder = await encoder_folder(settings.cache, settings.encoder, progress, base_url=settings.jars_url)
    return await OnnxEncoder.load(folder, settings.encoder, threads=settings.encoder_threads)


async def _initialize(stores: _Stores, addresses: Addresses) -> None:
    """Everything that the stores need before the first request; running it again changes nothing."""
    postgres, neo4j, embedder = stores.postgres, stores.neo4j, stores.embedder
    await postgres.open_service()
    await migrate_postgres(postgres, migrations("postgres"))
    await install_queue(postgres)
    await stores.queue.open()
    password = str(conninfo.conninfo_to_dict(addresses.request_url).get("password", ""))
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("request_role").format(password=sql.Literal(password)))
        cursor = await connection.execute(sql_text("embedding_version_active"))
        active = await cursor.fetchone()
        if active is None:
            version = {
                "name": embedder.version,
                "provider": embedder.provider,
                "model": embedder.model,
                "dimension": embedder.dimension,
                "compression": "halfvec" if embedder.dimension > 1000 else "float32",
            }
            await connection.execute(sql_text("embedding_version_insert"), version)
        elif (active["name"], active["dimension"]) != (embedder.version, embedder.dimension):
            raise SettingsError(
                f"This home was made with the embeddings {active['name']} ({active['dimension']} dimensions), the settings "
                f"name {embedder.version} ({embedder.dimension}); set the earlier model, or use another home."
            )
    await postgres.open_request()
    await neo4j.open()
    await migrate_neo4j(neo4j, migrations("neo4j"))
    await neo4j.write(cypher("schema/vector_index"), dimension=embedder.dimension)
    await stores.objects.check()


async def _warm(engine: Engine) -> None:
    """Asks for nobody once: a graph server that has just started plans the search in a second, later in no time."""
    with suppress(NeurigraphError):
        await engine.memory(uuid4()).search(SearchRequest("warm"))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
