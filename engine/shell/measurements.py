"""eval, bench: evaluations and benchmarks, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from engine.connectors import read_history
from engine.domain.search import SearchAnswer, SearchRequest
from engine.progress import counted
from engine.shell.entities_measured import measure_entities
from engine.shell.placement_measured import measure_placement
from engine.shell.plain_json import print_json, write_json
from engine.shell.session import Commands, Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from uuid import UUID

    from engine.benchmarks.report import Figure, Report
    from engine.evaluation.baselines import StoredItem


Benchmark = Literal[
    "provisioning", "ingest", "retrieval", "start", "enforcement", "oracle", "embeddings", "compression", "history",
    "files", "stream", "crashes", "soak", "knowledge",
]  # fmt: skip
"""The benchmarks by their names; each is a module of `engine.benchmarks`."""

commands = Commands()


@commands.async_command("bench")
async def bench(
    here: Session,
    benchmark: Annotated[Benchmark, typer.Argument(help="What to measure.")],
    out: Annotated[Path | None, typer.Argument(metavar="[OUT]", help="With --json: a file instead of stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Give JSON, on stdout or in OUT.")] = False,
    data: Annotated[Path | None, typer.Option("--data", help="A history instead of the bundled one.")] = None,
    items: Annotated[
        int | None,
        typer.Option(
            "--items",
            min=50,
            help="For embeddings: how many are rebuilt; for stream: tokens; for crashes: how many writes; for soak: seconds; "
            "for knowledge: facts.",
        ),
    ] = None,
    kills: Annotated[
        int | None, typer.Option("--kills", min=3, help="For crashes: how many processes are killed.")
    ] = None,
) -> None:
    """Measure with wall clock and CPU time, on an empty home that is removed afterwards."""
    if out is not None and not as_json:
        raise typer.BadParameter("OUT goes with --json.", param_hint="OUT")
    if items is not None and benchmark not in ("embeddings", "stream", "crashes", "soak", "knowledge"):
        raise typer.BadParameter(
            "--items goes with embeddings, stream, crashes, soak and knowledge.", param_hint="--items"
        )
    if kills is not None and benchmark != "crashes":
        raise typer.BadParameter("--kills goes with crashes.", param_hint="--kills")
    size = {name: value for name, value in (("items", items), ("kills", kills)) if value is not None}
    # Imported late: it imports the whole engine.
    measure = import_module(f"engine.benchmarks.{benchmark}").measure
    with here.progress() as progress:
        report: Report = await measure(here.settings, data, progress, **size)
    if out is not None:
        write_json(out, report)
    if as_json and out is None:
        print_json(here.out, report)
    else:
        _print_report(here, report)


def _print_report(here: Session, report: Report) -> None:
    shown = table(report.benchmark, "", "", "goal")
    shown.columns[1].justify = "right"
    for figure in report.figures:
        shown.add_row(figure.name, f"{figure.value:,.7g}", figure.unit, _goal(figure))
    here.out.print(shown)
    cpu = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.cpu_s.items())
    machine = report.machine
    where = f"{counted(machine.cores, 'core')}, {machine.system}, Python {machine.python}"
    here.line(f"\n{report.wall_s:.1f} s; CPU seconds: {cpu}; {where}", style="dim")


def _goal(figure: Figure) -> Text:
    if figure.met is None:
        return Text("")
    return Text("✓ " if figure.met else "✗ ", style="green" if figure.met else "red").append(figure.goal)


@commands.async_command("eval")
async def evaluate(
    here: Session,
    evaluation: Annotated[Literal["locomo", "placement", "entities"], typer.Argument(help="What to evaluate on.")],
    data: Annotated[
        Path,
        typer.Option("--data", metavar="PATH", help="The samples, or for entities the labels; they are never shipped."),
    ],
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write JSON into this file.")] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Also store the file's own observations, as a model's answers.")
    ] = False,
    gold: Annotated[
        Path | None, typer.Option("--gold", metavar="PATH", help="For placement: the expected nodes.")
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option("--texts", metavar="PATH", help="For entities: the files that the labels point into."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--answers", metavar="PATH", help="For entities: a model's recorded answers about these texts."),
    ] = None,
) -> None:
    """Recall of the search on labelled questions (locomo), where a history's turns lie and who could read them (placement),
    or the names found in labelled texts (entities)."""
    if evaluation == "entities":
        return measure_entities(here, data, texts or (), out, answers)
    if evaluation == "placement":
        if gold is None:
            raise typer.BadParameter("placement needs the file of expected nodes.", param_hint="--gold")
        return await measure_placement(here, data, gold, out)
    await _measure_recall(here, data, out, recorded=recorded)


async def _measure_recall(here: Session, data: Path, out: Path | None, *, recorded: bool) -> None:
    """Stores samples that are not stored yet, each as a user, then searches."""
    locomo = import_module("engine.evaluation.locomo")
    baselines = import_module("engine.evaluation.baselines")
    model = import_module("engine.evaluation.recorded").RecordedModel.of(data) if recorded else None
    with here.progress() as reading:
        limit = here.settings.max_text_bytes
        histories = await read_history(data, max_text_bytes=limit, progress=reading)
    async with here.engine(language=model) as (engine, progress):
        users: dict[str, UUID] = {}
        for history in histories:
            handle = history.handle + ("-recorded" if recorded else "")
            users[history.handle] = (await engine.ingest(replace(history, handle=handle), progress)).user_id

        async def ask(handle: str, request: SearchRequest) -> SearchAnswer:
            return await engine.memory(users[handle]).search(request)

        async def rows(handle: str) -> Sequence[StoredItem]:
            found: Sequence[StoredItem] = await baselines.stored_items(engine, users[handle])
            return found

        report: dict[str, Any] = await locomo.evaluate_locomo(data, ask, rows, engine.embedder.embed_query, progress)
        report["encoder"] = engine.embedder.version
    if out is not None:
        write_json(out, report)
    _print_evaluation(here, report)


def _print_evaluation(here: Session, report: Mapping[str, Any]) -> None:
    """One row for each ranking and category, recall in percent."""
    depths = ("questions", "@5", "@10", "@20")
    shown = table(f"{report['data']}, recall in %", *depths, right=depths)
    rankings = {"search": report["search"], **report["baselines"]}
    for name, ranking in rankings.items():
        shown.add_row(name, str(ranking["questions"]), *_recalls(ranking), style="bold" if name == "search" else "")
        for category, part in ranking["by_category"].items():
            shown.add_row(f"  {category}", str(part["questions"]), *_recalls(part), style="dim")
    here.out.print(shown)
    here.out.print()
    figures = ("recall@10", "widened", "nodes", "items", "p50 ms", "p95 ms")
    shown = table("widening", *figures, right=figures)
    for name, cost in report["navigation"].items():
        shares = [f"{100 * cost[key]:.1f}" for key in ("recall@10", "widened")]
        sizes = [f"{cost[key]:,.0f}" for key in ("nodes_searched", "items_searched")]
        shown.add_row(name, *shares, *sizes, *(f"{cost['milliseconds'][key]:.1f}" for key in ("p50", "p95")))
    here.out.print(shown)


def _recalls(figures: Mapping[str, Any]) -> list[str]:
    return [f"{100 * figures[f'recall@{depth}']:.1f}" for depth in (5, 10, 20)]
