"""embeddings: embedding versions: build a canary, compare, promote, roll back."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.domain.embedding import EmbeddingVersion, ModelChoice, Pace
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

if TYPE_CHECKING:
    from engine.domain.embedding import VersionProgress

Name = Annotated[str | None, typer.Argument(metavar="[VERSION]", help="The version; without one, the canary.")]
Duty = Annotated[float, typer.Option("--duty", metavar="0.7", help="The share of the time in which it works.")]

embeddings = Commands("embeddings", "Embedding versions: another model beside the active one.")
canary = Commands("canary", "The version that is built beside the active one.")
embeddings.add_typer(canary)


@embeddings.async_command("list", as_json=True)
async def list_versions(here: Session) -> None:
    """List the versions, oldest first."""
    async with here.workspace() as workspace:
        found = await workspace.embeddings.list()
    rows = [(one.name, one.status, one.dimension, one.compression, _kept(one)) for one in found]
    columns = ("version", "status", "dimensions", "stored as", "vectors")
    print_list(here, {"versions": found}, columns, rows, "No versions.")


def _kept(version: EmbeddingVersion) -> str:
    return "gone" if version.slot is None else f"slot {version.slot}"


@canary.async_command("start", as_json=True)
async def start(
    here: Session,
    encoder: Annotated[str | None, typer.Option("--encoder", help="e5-small, minilm or bge-small.")] = None,
    openai: Annotated[str | None, typer.Option("--openai", metavar="MODEL", help="An embedding model.")] = None,
    compression: Annotated[
        Literal["float32", "halfvec"] | None, typer.Option("--compression", help="How vectors are stored.")
    ] = None,
    later: Annotated[bool, typer.Option("--later", help="Do not build it now.")] = False,
    duty: Duty = 0.7,
) -> None:
    """Make the vectors of another model beside the active ones; if interrupted, resume with `embeddings build`."""
    if (encoder is None) == (openai is None):
        raise InvalidInput("Say which model: --encoder NAME or --openai MODEL.")
    choice = ModelChoice("onnx", encoder) if encoder else ModelChoice("openai", openai or "")
    async with here.operations() as (engine, progress):
        version = await engine.workspace.embeddings.start(choice, compression)
        if not later:
            await engine.workspace.embeddings.build(version.name, pace=Pace(duty), progress=progress)
        _print_progress(here, await engine.workspace.embeddings.get(version.name))


@embeddings.async_command("build", as_json=True)
async def build(here: Session, version: Name = None, duty: Duty = 0.7) -> None:
    """Make the missing vectors of a version; may be interrupted and resumed at any time."""
    async with here.operations() as (engine, progress):
        report = await engine.workspace.embeddings.build(version, pace=Pace(duty), progress=progress)
        _print_progress(here, await engine.workspace.embeddings.get(report.version))


@embeddings.async_command("status", as_json=True)
async def status(here: Session, version: Name = None) -> None:
    """Show the progress of a version and its comparison."""
    async with here.workspace() as workspace:
        progress = await workspace.embeddings.get(version)
    _print_progress(here, progress)
    if not here.as_json and progress.version.comparison:
        _print_comparison(here, dict(progress.version.comparison))


@embeddings.async_command("compare", as_json=True)
async def compare(
    here: Session,
    version: Name = None,
    samples: Annotated[int, typer.Option("--samples", help="How many stored texts are used as queries.")] = 100,
    queries: Annotated[
        Path | None, typer.Option("--queries", metavar="FILE", help="A JSON list of {user, query, expected}.")
    ] = None,
) -> None:
    """Compare the canary with the active version on the same queries; the result is kept with the canary."""
    async with here.workspace() as workspace:
        # Imported late: it imports the drivers.
        read = import_module("engine.lifecycle.embedding_versions").labelled_queries if queries else None
        report = await workspace.embeddings.compare(samples, read(queries) if read else (), name=version)
    if here.as_json:
        print_json(here.out, report)
    else:
        _print_comparison(here, report)


@embeddings.async_command("promote", as_json=True)
async def promote(
    here: Session,
    version: Name = None,
    force: Annotated[bool, typer.Option("--force", help="Also if vectors are missing.")] = False,
) -> None:
    """Search with the canary from now on."""
    async with here.workspace() as workspace:
        _print_progress(here, await workspace.embeddings.promote(version, force=force))


@embeddings.async_command("rollback", as_json=True)
async def roll_back(here: Session) -> None:
    """Search with the previous version again, at once."""
    async with here.workspace() as workspace:
        _print_progress(here, await workspace.embeddings.roll_back())


@embeddings.async_command("drop", as_json=True)
async def drop(here: Session, version: Annotated[str, typer.Argument(metavar="VERSION")]) -> None:
    """Delete the vectors of a version that is not active."""
    async with here.workspace() as workspace:
        dropped = await workspace.embeddings.drop(version)
    here.answer(dropped, f"{dropped.name}: its vectors are gone.")


def _print_progress(here: Session, progress: VersionProgress) -> None:
    version = progress.version
    counts = {"total": progress.total, "done": progress.done, "remaining": progress.remaining}
    share = f"{progress.done:,} of {counted(progress.total, 'text')} with vectors"
    here.answer(plain(version) | counts, f"{version.name}: {version.status}, {share}.")


def _print_comparison(here: Session, report: dict[str, Any]) -> None:
    for name, value in report.items():
        here.line(f"{name:28} {value}")
