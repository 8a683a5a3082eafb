"""The wiring of the write path: what stands between the opened stores and an ingest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from engine.commit.outbox import StepHook
from engine.commit.unit_of_work import UnitsOfWork
from engine.derive.reading import Attempts, Readings
from engine.domain.clock import Clock
from engine.domain.stream import Thresholds
from engine.facts.items import FactItems
from engine.facts.new_facts import FactEntry
from engine.hierarchy.provisioning import Provisioning
from engine.ingest.assignment.model import ModelAssigner
from engine.ingest.assignment.placing import Assigner, NodeLikeness, OfflineAssigner
from engine.ingest.assignment.topic_nodes import TopicNodes
from engine.ingest.commit import RecordCommit
from engine.ingest.extraction.extract import Extraction, ExtractionLimits
from engine.ingest.extraction.form import earlier_for, prompt_for
from engine.ingest.extraction.model_calls import AskedModel, ModelAnswers, Unasked
from engine.ingest.fresh import IngestLimits
from engine.ingest.model_verdicts import JudgedFacts, JudgedNames
from engine.ingest.pipeline import Ingest
from engine.ingest.proposals import HierarchyProposals
from engine.ingest.rereading.again import Rereading
from engine.ingest.rereading.held import HeldRecords
from engine.ingest.rereading.replays import LostManifests, RecordReplays
from engine.ingest.revising import Revisions
from engine.ingest.streams.appending import Appending, Hurry
from engine.ingest.streams.pieces import Pieces, StreamLimits
from engine.ingest.streams.streaming import Streams
from engine.jobs.jobs import JobCatalogue
from engine.knowledge.entity_finder import EntityFinder
from engine.knowledge.known_lines import KnownLines
from engine.lifecycle.moving import Moving
from engine.lifecycle.resources import RawResources
from engine.naming.configuration import Domain
from engine.privacy.redact import Redactor
from engine.providers.active import ActiveModel
from engine.providers.language import LanguageModel
from engine.providers.tokens import TokenCounter
from engine.records.files import RecordFiles
from engine.records.slices import Slices
from engine.records.writer import RecordWriter
from engine.settings import Settings
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres


@dataclass(frozen=True, slots=True)
class Stores:
    """The opened stores, the model that is searched with, the jobs, who counts tokens, the model that reads, the domain."""

    postgres: Postgres
    neo4j: Neo4j
    objects: ObjectStore
    active: ActiveModel
    jobs: JobCatalogue
    counter: TokenCounter
    language: LanguageModel | None
    domain: Domain


def ingest_by(  # noqa: PLR0913 (wired in one place)
    decides: Assigner,
    settings: Settings,
    stores: Stores,
    units: UnitsOfWork,
    redactor: Redactor,
    clock: Clock,
    on_step: StepHook,
) -> Ingest:
    """The pipeline; `decides` says where content goes."""
    active, reads = stores.active, stores.language is not None
    slices = Slices(active, clock)
    facts = FactEntry(FactItems(slices), settings.fact_similarity)
    files = RecordFiles(stores.objects, units)
    commit = RecordCommit(stores.postgres, files, RecordWriter(slices), facts, clock, on_step)
    entities = EntityFinder(stores.neo4j, clock, stores.domain, intentions=settings.intentions)
    known = KnownLines(stores.neo4j, stores.postgres, stores.domain, clock)
    revisions = Revisions(commit, entities, active, settings.summary_words, reads=reads)
    model = asked(settings, stores.postgres, stores.language, clock)
    extraction = _extraction(settings, stores, model, known)
    names = (lambda who, allowance: JudgedNames(model, known, who, allowance)) if model else None
    judged = JudgedFacts(model, stores.postgres, settings.fact_similarity)
    limits = IngestLimits(settings.batch_turns, settings.max_text_bytes)
    return Ingest(
        stores.neo4j, commit, revisions, decides, extraction, judged, names, entities, active, redactor, limits
    )


def streams(
    settings: Settings, stores: Stores, ingest: Ingest, redactor: Redactor, clock: Clock, on_step: StepHook
) -> Streams:
    """Streamed conversations over an ingest."""
    appending = Appending(stores.postgres, stores.counter, redactor, clock, on_step, settings.max_text_bytes)
    hurry = Hurry(lambda: stores.jobs.ask("conversations"))
    pieces = Pieces(stores.postgres, ingest, stream_limits(settings), clock, on_step)
    return Streams(stores.postgres, appending, hurry, pieces, redactor, clock)


def stream_limits(settings: Settings) -> StreamLimits:
    """Where streamed conversations are cut. Raises SettingsError for thresholds in a wrong order."""
    cuts = Thresholds(settings.stream_watch_from, settings.stream_soft, settings.stream_hard)
    return StreamLimits(cuts, timedelta(minutes=settings.stream_silence_minutes))


def _extraction(
    settings: Settings, stores: Stores, model: AskedModel | None, known: KnownLines | None = None
) -> Extraction:
    """`known`: None for what is read by kept answers alone, to former prompts, too."""
    reading = ExtractionLimits(settings.language_model_characters, settings.summary_words)
    prompts = (prompt_for(stores.domain), *(earlier_for(stores.domain) if known is None else ()))
    return Extraction(model, stores.postgres, reading, prompts, known)


def readings(settings: Settings, stores: Stores, ingest: Ingest, clock: Clock) -> Readings:
    """Reading what no model has read yet."""
    attempts = Attempts(settings.reading_attempts, settings.reading_retry_s)
    reread = _rereading(settings, stores, ingest, clock)
    return Readings(stores.postgres, reread, ingest.failures, clock, attempts)


def replays(settings: Settings, stores: Stores, ingest: Ingest, clock: Clock, on_step: StepHook) -> RecordReplays:
    """Making all records of a user again."""
    reread = _rereading(settings, stores, ingest, clock)
    lost = LostManifests(stores.postgres, stores.neo4j, ingest.commit.units)
    return RecordReplays(stores.postgres, reread, lost, stores.active, clock, on_step)


def _rereading(settings: Settings, stores: Stores, ingest: Ingest, clock: Clock) -> Rereading:
    """Reading stored records again, with what an ingest works with."""
    unasked = Unasked(stores.language.name) if stores.language else None
    writer = ingest.commit.writer
    return Rereading(
        ingest.commit.units,
        HeldRecords(stores.postgres, writer.slices, stores.active, RawResources(stores.postgres, stores.objects).read),
        writer,
        stores.active,
        ingest.extraction,
        _extraction(settings, stores, asked(settings, stores.postgres, unasked, clock)),
        ingest.entities,
    )


def assigner(
    settings: Settings, stores: Stores, provisioning: Provisioning, redactor: Redactor, clock: Clock
) -> Assigner:
    """Decides at which node content is stored: by a language model where there is one, else by the rules."""
    topic_nodes = TopicNodes(provisioning, redactor, settings.auto_create_confidence)
    rules = OfflineAssigner(NodeLikeness(stores.postgres, stores.active), topic_nodes)
    model = asked(settings, stores.postgres, stores.language, clock)
    return ModelAssigner(model, rules, topic_nodes, settings.language_model_characters) if model else rules


def proposals(  # noqa: PLR0913 (wired in one place)
    settings: Settings,
    stores: Stores,
    provisioning: Provisioning,
    ingest: Ingest,
    moving: Moving,
    redactor: Redactor,
    clock: Clock,
) -> HierarchyProposals:
    """Hierarchies for memories that have none: by a language model where there is one, else by the rules."""
    model = asked(settings, stores.postgres, stores.language, clock)
    characters = settings.language_model_characters
    return HierarchyProposals(stores.postgres, provisioning, moving.move, ingest, model, characters, redactor)


def asked(settings: Settings, postgres: Postgres, model: LanguageModel | None, clock: Clock) -> AskedModel | None:
    """The language model with its kept answers, where there is one."""
    return AskedModel(model, ModelAnswers(postgres, clock), settings.language_model_prices) if model else None
