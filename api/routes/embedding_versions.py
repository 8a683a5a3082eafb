"""Embedding versions of the instance: build a canary beside the active one, compare, promote, roll back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from api.bodies import JsonRoute
from api.context import ADMINISTRATORS, CurrentWorkspace
from api.cursors import PAGE_HEADERS, APage
from api.problems import WRITES, documented
from engine.domain.embedding import BuildReport, Compression, EmbeddingVersion, ModelChoice, Pace, VersionProgress
from engine.domain.written import Body

router = APIRouter(
    prefix="/v1/embedding-versions", tags=["embedding versions"], route_class=JsonRoute, dependencies=ADMINISTRATORS
)
Name = Annotated[
    str, Path(max_length=200, pattern=r"^[^\x00]+$", description="The version's name.", examples=["e5-small-v2"])
]


class Nothing(Body):
    """An empty object."""


class NewCanary(Body):
    """An embedding model for a canary."""

    provider: Literal["onnx", "openai"] = "onnx"
    model: str = Field(min_length=1, max_length=200, description="An offline encoder, or a model of the service.")
    compression: Compression | None = Field(
        default=None, description="How vectors are stored; null: the model's default."
    )


class BuildBody(Body):
    """How much of the build this request does."""

    most: int = Field(default=500, ge=1, le=10_000, description="Vectors.")
    duty: float = Field(default=1, ge=0.05, le=1, description="The share of the time in which it works.")


class CompareBody(Body):
    """How a version is compared."""

    samples: int = Field(default=100, ge=1, le=500, description="How many stored texts are used as queries.")


class PromoteBody(Body):
    """How a version is promoted."""

    force: bool = Field(default=False, description="Also if vectors are missing: those texts are found by words.")


@router.get("", operation_id="listEmbeddingVersions", responses=PAGE_HEADERS)
async def list_versions(workspace: CurrentWorkspace, page: APage) -> Sequence[EmbeddingVersion]:
    """All versions, oldest first."""
    return page.window(await workspace.embeddings.list())


@router.post("", operation_id="startCanary", status_code=201, responses=WRITES)
async def start_canary(body: NewCanary, workspace: CurrentWorkspace) -> EmbeddingVersion:
    """Creates a canary of a model, without vectors yet; repeating it returns the same one."""
    return await workspace.embeddings.start(ModelChoice(body.provider, body.model), body.compression)


@router.get("/{name}", operation_id="getEmbeddingVersion")
async def version_progress(name: Name, workspace: CurrentWorkspace) -> VersionProgress:
    """The progress of a version; it counts every text, so do not poll it every second."""
    return await workspace.embeddings.get(name)


@router.post("/{name}/build", operation_id="buildEmbeddings", responses=WRITES)
async def build(name: Name, body: BuildBody, workspace: CurrentWorkspace) -> BuildReport:
    """Makes some of a version's missing vectors and returns how many remain; repeat it until none does."""
    return await workspace.embeddings.build(name, pace=Pace(body.duty, body.most))


@router.post("/{name}/compare", operation_id="compareEmbeddings", responses=WRITES)
async def compare(name: Name, body: CompareBody, workspace: CurrentWorkspace) -> dict[str, Any]:
    """Compares the version with the active one on stored texts; the result is kept with it."""
    return await workspace.embeddings.compare(body.samples, name=name)


@router.post("/{name}/promote", operation_id="promoteEmbeddings", responses=WRITES)
async def promote(name: Name, body: PromoteBody, workspace: CurrentWorkspace) -> VersionProgress:
    """Makes the canary the active version, in one step."""
    return await workspace.embeddings.promote(name, force=body.force)


@router.post("/{name}/rollback", operation_id="rollBackEmbeddings", responses=WRITES)
async def roll_back(name: Name, body: Nothing, workspace: CurrentWorkspace) -> VersionProgress:
    """Rolls back the active version, which is named, to the previous one, in one step."""
    return await workspace.embeddings.roll_back(name)


@router.delete("/{name}", operation_id="dropEmbeddings", responses=documented(409))
async def drop(name: Name, workspace: CurrentWorkspace) -> EmbeddingVersion:
    """Deletes the vectors of a version that is not active."""
    return await workspace.embeddings.drop(name)
