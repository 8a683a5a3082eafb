"""Which model makes the vectors: what the settings name, what a stored version names, and who loads it."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from engine.domain.embedding import EmbeddingVersion, ModelChoice, usual_compression
from engine.embedded import encoder_folder
from engine.errors import SettingsError
from engine.progress import Progress
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Embedder
from engine.providers.onnx import OnnxEncoder
from engine.providers.openai import OpenAIEmbedder
from engine.settings import Settings
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

log = logging.getLogger(__name__)


def chosen(settings: Settings) -> ModelChoice:
    """The model that the settings name: OpenAI's where there are key and model, else the offline encoder."""
    if settings.openai_api_key and settings.embedding_model:
        return ModelChoice("openai", settings.embedding_model)
    return ModelChoice("onnx", settings.encoder)


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
            return await OpenAIEmbedder.connect(
                settings.openai_api_key.get_secret_value(),
                choice.model,
                base_url=settings.openai_base_url,
                timeout=settings.statement_timeout_s,
                dimension=dimension,
            )
        if choice.provider != "onnx":
            raise SettingsError(f"There is no provider {choice.provider}; there are onnx and openai.")
        folder = await encoder_folder(settings.cache, choice.model, self.progress, base_url=settings.jars_url)
        return await OnnxEncoder.load(folder, choice.model, threads=settings.encoder_threads)


async def active_model(settings: Settings, postgres: Postgres, loader: Loader) -> ActiveModel:
    """The model of the active version; on a new home that of the settings becomes the first version.

    Raises SettingsError where the settings name a model that no version was made with, and what loading raises.
    """
    choice = chosen(settings)
    known = await _known(postgres)
    embedder = None
    if not any(version.status == "active" for version in known):
        embedder = await loader.load(choice)
        await _register(postgres, embedder)
        known = await _known(postgres)
    active = next(version for version in known if version.status == "active")
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
        return next(version for version in await _known(postgres) if version.status == "active")

    return ActiveModel(Model(active, embedder), find, loader.load)


def _option(choice: ModelChoice) -> str:
    return "encoder" if choice.provider == "onnx" else "openai"


async def _known(postgres: Postgres) -> list[EmbeddingVersion]:
    async with postgres.as_service() as connection:
        cursor = await connection.execute(sql_text("embedding_versions"))
        return [EmbeddingVersion(**row) for row in await cursor.fetchall()]


async def _register(postgres: Postgres, embedder: Embedder) -> None:
    """The first version of a home."""
    version = {
        "name": embedder.version,
        "provider": embedder.provider,
        "model": embedder.model,
        "dimension": embedder.dimension,
        "compression": usual_compression(embedder.dimension),
    }
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("embedding_version_insert"), version)
