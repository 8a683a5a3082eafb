"""eval, bench: evaluations and benchmarks, as tables and as JSON."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from engine.lab.commands.entities import measure_entities
from engine.lab.commands.facts import measure_facts
from engine.lab.commands.placement import measure_placement
from engine.lab.commands.recall import measure_locomo, measure_mixed, measure_passages, measure_personal
from engine.progress import counted
from engine.shell.plain_json import print_json, write_json
from engine.shell.session import Commands, Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from engine.lab.benchmarks.report import Figure, Report


Benchmark = Literal[
    "provisioning", "ingest", "retrieval", "start", "enforcement", "oracle", "embeddings", "compression", "history",
    "files", "stream", "crashes", "soak", "knowledge", "growth", "rest", "disk", "structure",
    "forget", "archive",
]  # fmt: skip
"""The benchmarks by their names; each is a module of `engine.lab.benchmarks`."""

_WITH_ITEMS: tuple[Benchmark, ...] = (
    "embeddings",
    "stream",
    "crashes",
    "soak",
    "knowledge",
    "retrieval",
    "growth",
    "disk",
    "forget",
    "archive",
)

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
            "for knowledge: facts; for retrieval, growth, disk, forget and archive: items.",
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="For retrieval and disk: how many nodes hold them.")
    ] = None,
    kills: Annotated[
        int | None, typer.Option("--kills", min=3, help="For crashes: how many processes are killed.")
    ] = None,
) -> None:
    """Measure with wall clock and CPU time, on an empty home that is removed afterwards."""
    if out is not None and not as_json:
        raise typer.BadParameter("OUT goes with --json.", param_hint="OUT")
    if items is not None and benchmark not in _WITH_ITEMS:
        raise typer.BadParameter(f"--items goes with {', '.join(_WITH_ITEMS)}.", param_hint="--items")
    if nodes is not None and benchmark not in ("retrieval", "disk"):
        raise typer.BadParameter("--nodes goes with retrieval and disk.", param_hint="--nodes")
    if kills is not None and benchmark != "crashes":
        raise typer.BadParameter("--kills goes with crashes.", param_hint="--kills")
    sizes = (("items", items), ("kills", kills), ("nodes", nodes))
    size = {name: value for name, value in sizes if value is not None}
    # Imported late: it imports the whole engine.
    measure = import_module(f"engine.lab.benchmarks.{benchmark}").measure
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
    evaluation: Annotated[
        Literal["locomo", "passages", "personal", "mixed", "placement", "entities", "facts"],
        typer.Argument(help="What to evaluate on."),
    ],
    data: Annotated[
        list[Path],
        typer.Option(
            "--data",
            metavar="PATH",
            help="The samples, questions or history, or for entities the labels; they are never shipped. "
            "For facts: files of pairs, or a folder of them; may be given several times.",
        ),
    ],
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write JSON into this file.")] = None,
    recorded: Annotated[
        bool,
        typer.Option("--recorded", help="For locomo: also store the file's own observations, as a model's answers."),
    ] = False,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="PATH", help="For passages and mixed: the passages that are searched."),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            "--gold", metavar="PATH", help="For placement: the expected nodes; for personal and mixed: the questions."
        ),
    ] = None,
    flat: Annotated[
        Path | None,
        typer.Option("--flat", metavar="PATH", help="For personal: the history without nodes; else made from DATA."),
    ] = None,
    asked: Annotated[
        Path | None,
        typer.Option(
            "--asked", metavar="PATH", help="For mixed: questions about the passages, as eval passages takes them."
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="For locomo, passages, personal: without baselines; for mixed: at most 50 passages."
        ),
    ] = False,
    texts: Annotated[
        list[Path] | None,
        typer.Option("--texts", metavar="PATH", help="For entities: the files that the labels point into."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--answers", metavar="PATH", help="For entities: a model's recorded answers about these texts."),
    ] = None,
    meanings: Annotated[
        bool, typer.Option("--meanings", help="For facts: also compare how near the meanings of a pair are.")
    ] = False,
) -> None:
    """Evidence found by the search on labelled questions (locomo, passages, personal, mixed), where a history's turns lie and who
    could read them (placement), the names found in labelled texts (entities), or what rules end in labelled pairs (facts)."""
    if evaluation == "facts":
        await measure_facts(here, data, out, meanings=meanings)
        return
    if len(data) > 1:
        raise typer.BadParameter("Several files go with facts.", param_hint="--data")
    [only] = data
    match evaluation:
        case "entities":
            measure_entities(here, only, texts or (), out, answers)
        case "placement":
            await measure_placement(here, only, _given(gold, "--gold", "the file of expected nodes"), out)
        case "passages":
            passages = _given(corpus, "--corpus", "the file of passages")
            await measure_passages(here, only, passages, out, quick=quick)
        case "personal":
            questions = _given(gold, "--gold", "the file of questions")
            await measure_personal(here, only, questions, flat, out, quick=quick)
        case "mixed":
            questions, beside = _given(gold, "--gold", "the file of questions"), _given(corpus, "--corpus", "passages")
            await measure_mixed(here, only, questions, beside, asked, out, quick=quick)
        case "locomo":
            await measure_locomo(here, only, out, recorded=recorded, quick=quick)


def _given(path: Path | None, option: str, what: str) -> Path:
    if path is None:
        raise typer.BadParameter(f"This evaluation needs {what}.", param_hint=option)
    return path
