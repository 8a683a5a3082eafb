"""Loads models: embedders by the settings or by a stored version, and the language model."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from engine.domain.embedding import EmbeddingVersion, ModelChoice, usual_compression
from engine.embedded import encoder_folder
from engine.errors import SettingsError, StackError, StoreFailed
from engine.progress import Progress
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Embedder
from engine.providers.language import LanguageModel
from engine.providers.tokens import ByteCounter, TokenCounter, VocabularyCounter
from engine.settings import Settings
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

log = logging.getLogger(__name__)


def chosen(settings: Settings) -> ModelChoice:
    """The model that the settings name: OpenAI's where there are key and model, else the offline encoder."""
    if settings.openai_api_key and settings.embedding_model:
        return ModelChoice("openai", settings.embedding_model)
    return ModelChoice("onnx", settings.encoder)


def language_model(settings: Settings) -> LanguageModel | None:
    """The language model that the settings name, not called yet; None where they name none.

    Raises SettingsError for another name than `openai:…` or `anthropic:…`, or without the key that it needs.
    """
    if not settings.language_model:
        return None
    provider, _, model = settings.language_model.partition(":")
    keys = {
        "openai": (settings.openai_api_key, settings.openai_base_url),
        "anthropic": (settings.anthropic_api_key, settings.anthropic_base_url),
    }
    if provider not in keys or not model:
        raise SettingsError("NEURIGRAPH_LANGUAGE_MODEL is written openai:NAME or anthropic:NAME.")
    key, base_url = keys[provider]
    if key is None and base_url is None:
        raise SettingsError(f"{settings.language_model} needs {provider.upper()}_API_KEY.")
    limits = (settings.language_model_timeout_s, settings.language_model_retries, settings.language_model_concurrency)
    # loaded when it is needed: the SDKs take longer to load than the rest
    connect = getattr(import_module("engine.providers.services"), f"{provider}_model")
    service: LanguageModel = connect(model, key.get_secret_value() if key else "none", base_url, limits)
    return service


@dataclass(frozen=True, slots=True)
class Loader:
    """Loads embedders by the settings."""

    settings: Settings
    progress: Progress

    async def load(self, choice: ModelChoice, dimension: int | None = None) -> Embedder:
        """The embedder of a model. Raises SettingsError, StackError, DownloadFailed, and ProviderUnavailable where its dimension
        is not known yet."""
        settings = self.settings
        if choice.provider == "openai":
            if settings.openai_api_key is None:
                raise SettingsError(f"The embeddings {choice.version} need OPENAI_API_KEY.")
            # loaded when it is needed, as above
            service: Embedder = await import_module("engine.providers.openai").OpenAIEmbedder.connect(
                settings.openai_api_key.get_secret_value(),
                choice.model,
                base_url=settings.openai_base_url,
                timeout=settings.statement_timeout_s,
                dimension=dimension,
            )
            return service
        if choice.provider != "onnx":
            raise SettingsError(f"There is no provider {choice.provider}; there are onnx and openai.")
        folder = await encoder_folder(settings.cache, choice.model, self.progress, base_url=settings.jars_url)
        encoder: Embedder = import_module("engine.providers.onnx").OnnxEncoder(
            folder, choice.model, threads=settings.encoder_threads
        )
        return encoder


async def active_model(settings: Settings, postgres: Postgres, loader: Loader) -> ActiveModel:
    """The model of the active version; on a new home that of the settings becomes the first version.

    Raises SettingsError where the settings name a model that no version was made with, and what loading raises.
    """
    choice = chosen(settings)
    known = await _known(postgres)
    embedder = None
    if not known:
        embedder = await loader.load(choice)
        await _register(postgres, embedder)
        known = await _known(postgres)
    active = _active(known)
    if choice not in {version.choice for version in known}:
        raise SettingsError(
            f"This home was made with the embeddings {active.name}; the settings name {choice.version}, which would not fit"
            f" what is stored. Set the earlier model again, and `neurigraph embeddings canary start --{_option(choice)}"
            f" {choice.model}` makes its vectors beside the others; `embeddings promote` then changes over."
        )
    if active.choice != choice:
        log.warning("the settings name %s; the active embeddings are %s", choice.version, active.name)
    embedder = embedder if embedder and active.choice == choice else await loader.load(active.choice, active.dimension)
    if embedder.dimension != active.dimension:
        await embedder.close()
        raise SettingsError(
            f"{active.model} gives {embedder.dimension} dimensions now; the vectors of {active.name} have {active.dimension}."
        )

    async def find() -> EmbeddingVersion:
        return _active(await _known(postgres))

    return ActiveModel(Model(active, embedder), find, loader.load)


def _active(known: Sequence[EmbeddingVersion]) -> EmbeddingVersion:
    """The version that is searched. Raises StoreFailed where none is, as after a bad restore."""
    for version in known:
        if version.status == "active":
            return version
    there = ", ".join(f"{version.name} ({version.status})" for version in known)
    raise StoreFailed(
        "metadata store",
        f"No embedding version is active; there are {there}. Restore Postgres from a backup, or set the status of the version"
        " that was searched to active in engine.embedding_versions.",
    )


async def token_counter(loader: Loader) -> TokenCounter:
    """Counts by the vocabulary of the configured offline encoder, fetched with it at the first start.

    Where vectors are made elsewhere and it cannot be brought here, by bytes. Raises SettingsError.
    """
    settings = loader.settings
    try:
        folder = await encoder_folder(settings.cache, settings.encoder, loader.progress, base_url=settings.jars_url)
    except StackError as error:
        log.warning("tokens of streamed conversations are estimated by bytes: %s", error.detail)
        return ByteCounter()
    return VocabularyCounter(folder)


def _option(choice: ModelChoice) -> str:
    return "encoder" if choice.provider == "onnx" else "openai"


async def _known(postgres: Postgres) -> list[EmbeddingVersion]:
    return await postgres.fetch_as_service(sql_text("embedding/versions"), row=EmbeddingVersion)


async def _register(postgres: Postgres, embedder: Embedder) -> None:
    """The first version of a home."""
    version = {
        "name": embedder.version,
        "provider": embedder.provider,
        "model": embedder.model,
        "dimension": embedder.dimension,
        "compression": usual_compression(embedder.dimension),
    }
    await postgres.change_as_service(sql_text("embedding/version_insert"), version)
