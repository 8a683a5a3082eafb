"""embeddings: embedding versions: build a canary, compare, promote, roll back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from engine.domain.embedding import EmbeddingVersion, ModelChoice, Pace
from engine.shell import session
from engine.shell.options import AsJson
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Session
from engine.shell.tables import counted

if TYPE_CHECKING:
    from engine.domain.embedding import VersionProgress
    from engine.operations.workspace import Embeddings
    from engine.progress import Progress

Name = Annotated[str | None, typer.Argument(metavar="[VERSION]", help="The version; without one, the canary.")]
Duty = Annotated[float, typer.Option("--duty", metavar="0.7", help="The share of the time in which it works.")]
Work = Callable[["Embeddings", "Progress"], Awaitable[Any]]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    embeddings = typer.Typer(no_args_is_help=True, help="Embedding versions: another model beside the active one.")
    canary = typer.Typer(no_args_is_help=True, help="The version that is built beside the active one.")
    canary.command("start")(start)
    embeddings.add_typer(canary, name="canary")
    for name, command in (
        ("list", list_versions),
        ("build", build),
        ("status", status),
        ("compare", compare),
        ("promote", promote),
        ("rollback", roll_back),
        ("drop", drop),
    ):
        embeddings.command(name)(command)
    app.add_typer(embeddings, name="embeddings")


async def _with(here: Session, work: Work) -> Any:
    async with here.engine() as (engine, progress):
        return await work(engine.workspace.embeddings, progress)


def list_versions(context: typer.Context, as_json: AsJson = False) -> None:
    """List the versions, oldest first."""
    here = session.of(context)
    versions = here.run(_with(here, lambda embeddings, _: embeddings.list()))
    if as_json:
        print_json(here.out, {"versions": versions})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("version", "status", "dimensions", "stored as", "vectors"):
        table.add_column(name, overflow="fold")
    for version in versions:
        table.add_row(
            Text(version.name), version.status, str(version.dimension), version.compression, _kept(version)
        )  # fmt: skip
    here.out.print(table)


def _kept(version: EmbeddingVersion) -> str:
    return "gone" if version.slot is None else f"slot {version.slot}"


def start(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    encoder: Annotated[str | None, typer.Option("--encoder", help="e5-small, minilm or bge-small.")] = None,
    openai: Annotated[str | None, typer.Option("--openai", metavar="MODEL", help="An embedding model.")] = None,
    compression: Annotated[
        Literal["float32", "halfvec"] | None, typer.Option("--compression", help="How vectors are stored.")
    ] = None,
    later: Annotated[bool, typer.Option("--later", help="Do not build it now.")] = False,
    duty: Duty = 0.7,
    as_json: AsJson = False,
) -> None:
    """Make the vectors of another model beside the active ones; if interrupted, resume with `embeddings build`."""
    here = session.of(context)
    if (encoder is None) == (openai is None):
        raise session.failed(here.notes, "Say which model: --encoder NAME or --openai MODEL.")
    choice = ModelChoice("onnx", encoder) if encoder else ModelChoice("openai", openai or "")

    async def work(embeddings: Embeddings, progress: Progress) -> VersionProgress:
        version = await embeddings.start(choice, compression)
        if not later:
            await embeddings.build(version.name, pace=Pace(duty), progress=progress)
        return await embeddings.get(version.name)

    _print_progress(here, here.run(_with(here, work)), as_json=as_json)


def build(context: typer.Context, version: Name = None, duty: Duty = 0.7, as_json: AsJson = False) -> None:
    """Make the missing vectors of a version; may be interrupted and resumed at any time."""
    here = session.of(context)

    async def work(embeddings: Embeddings, progress: Progress) -> VersionProgress:
        report = await embeddings.build(version, pace=Pace(duty), progress=progress)
        return await embeddings.get(report.version)

    _print_progress(here, here.run(_with(here, work)), as_json=as_json)


def status(context: typer.Context, version: Name = None, as_json: AsJson = False) -> None:
    """Show the progress of a version and its comparison."""
    here = session.of(context)
    far = here.run(_with(here, lambda embeddings, _: embeddings.get(version)))
    _print_progress(here, far, as_json=as_json)
    if not as_json and far.version.comparison:
        _print_comparison(here, dict(far.version.comparison))


def compare(
    context: typer.Context,
    version: Name = None,
    samples: Annotated[int, typer.Option("--samples", help="How many stored texts are used as queries.")] = 100,
    queries: Annotated[
        Path | None, typer.Option("--queries", metavar="FILE", help="A JSON list of {user, query, expected}.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the canary with the active version on the same queries; the result is kept with the canary."""
    here = session.of(context)

    async def work(embeddings: Embeddings, _: Progress) -> dict[str, Any]:
        # Imported late: it imports the drivers.
        read = import_module("engine.lifecycle.comparison").labelled_queries
        return await embeddings.compare(samples, read(queries) if queries else (), name=version)

    report = here.run(_with(here, work))
    if as_json:
        print_json(here.out, report)
    else:
        _print_comparison(here, report)


def promote(
    context: typer.Context,
    version: Name = None,
    force: Annotated[bool, typer.Option("--force", help="Also if vectors are missing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Search with the canary from now on."""
    here = session.of(context)
    far = here.run(_with(here, lambda embeddings, _: embeddings.promote(version, force=force)))
    _print_progress(here, far, as_json=as_json)


def roll_back(context: typer.Context, as_json: AsJson = False) -> None:
    """Search with the previous version again, at once."""
    here = session.of(context)
    _print_progress(here, here.run(_with(here, lambda embeddings, _: embeddings.roll_back())), as_json=as_json)


def drop(
    context: typer.Context, version: Annotated[str, typer.Argument(metavar="VERSION")], as_json: AsJson = False
) -> None:
    """Delete the vectors of a version that is not active."""
    here = session.of(context)
    dropped = here.run(_with(here, lambda embeddings, _: embeddings.drop(version)))
    if as_json:
        print_json(here.out, dropped)
    else:
        here.out.print(Text(f"{dropped.name}: its vectors are gone."))


def _print_progress(here: Session, far: VersionProgress, *, as_json: bool) -> None:
    if as_json:
        counts = {"total": far.total, "done": far.done, "remaining": far.remaining}
        print_json(here.out, plain(far.version) | counts)
        return
    share = f"{far.done:,} of {counted(far.total, 'text')} with vectors"
    here.out.print(Text(f"{far.version.name}: {far.version.status}, {share}."), soft_wrap=True)


def _print_comparison(here: Session, report: dict[str, Any]) -> None:
    for name, value in report.items():
        here.out.print(Text(f"{name:28} {value}"), soft_wrap=True)
