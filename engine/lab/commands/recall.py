"""eval locomo, passages, personal, mixed: how well the search finds labelled evidence, beside plain baselines.

What a home already holds is not stored again: a changed file is another user. After a change of the write path use a new home.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.connectors import read_history
from engine.domain.history import History, Text
from engine.errors import InvalidInput
from engine.shell.plain_json import write_json
from engine.shell.session import Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from uuid import UUID

    from engine.neurigraph import Engine


async def measure_locomo(here: Session, data: Path, out: Path | None, *, recorded: bool, quick: bool) -> None:
    """Stores the samples that are not stored yet, each as a user, then searches."""
    locomo, comparison = _evaluation("locomo"), _evaluation("comparison")
    model = _evaluation("recorded").RecordedModel.of(data) if recorded else None
    histories = await _histories(here, data)
    async with here.engine(language=model) as (engine, progress):
        users: dict[str, UUID] = {}
        for history in histories:
            named = replace(history, handle=history.handle + ("-recorded" if recorded else ""))
            users[history.handle] = (await engine.ingest(named, progress)).user_id
        stored = comparison.Asked(engine, users, locomo.DEPTHS, progress)
        report = await locomo.evaluate_locomo(data, stored, quick=quick) | _made_with(engine)
    _finish(here, report, out, locomo.DEPTHS, "recall")
    if "navigation" in report:
        _print_navigation(here, report["navigation"])


async def measure_passages(here: Session, data: Path, corpus_path: Path, out: Path | None, *, quick: bool) -> None:
    """Stores the passages that are not stored yet as documents of one user, then searches."""
    passages, comparison = _evaluation("passages"), _evaluation("comparison")
    corpus: list[Text] = passages.corpus_of(corpus_path)
    handle = comparison.user_of("passages", corpus_path)
    asked = passages.questions(data, corpus, handle)
    async with here.engine() as (engine, progress):
        user = await passages.stored(engine, handle, corpus, progress)
        stored = comparison.Asked(engine, {handle: user}, passages.DEPTHS, progress)
        report = await passages.evaluate_passages(data, asked, stored, quick=quick) | _made_with(engine)
    _finish(here, report | {"passages": len(corpus)}, out, passages.DEPTHS, "recall")


async def measure_personal(
    here: Session, data: Path, gold: Path, flat: Path | None, out: Path | None, *, quick: bool
) -> None:
    """Stores a history with its nodes and without, where it is not stored yet, then searches both."""
    personal, comparison = _evaluation("personal"), _evaluation("comparison")
    history = await _one_history(here, data)
    alone = await _one_history(here, flat) if flat else replace(history, handle=f"{history.handle}-flat")
    both = [history, alone.without_nodes()]
    asked = [personal.questions(gold, one) for one in both]
    async with here.engine() as (engine, progress):
        users = {one.handle: (await engine.ingest(one, progress)).user_id for one in both}
        stored = comparison.Asked(engine, users, personal.DEPTHS, progress)
        report = await personal.evaluate_personal(*asked, stored, quick=quick) | _made_with(engine)
    report = {"data": data.name, **report, "nodes": len(history.nodes), "turns": sum(1 for _ in history.turns())}
    _finish(here, report, out, personal.DEPTHS, "found")
    _print_persons_search(here, report)


async def measure_mixed(
    here: Session,
    data: Path,
    gold: Path,
    corpus_path: Path,
    asked_of_corpus: Path | None,
    out: Path | None,
    *,
    quick: bool,
) -> None:
    """Stores a history beside more and more passages, where they are not stored yet, then searches each memory."""
    mixed, passages = _evaluation("mixed"), _evaluation("passages")
    history = (await _one_history(here, data)).without_nodes()
    history = replace(history, handle=f"mixed-{history.handle}")
    mixture = mixed.mixture(history, gold, passages.corpus_of(corpus_path), asked_of_corpus)
    sizes = tuple(dict.fromkeys(min(size, len(mixture.corpus)) for size in (mixed.SIZES[:2] if quick else mixed.SIZES)))
    async with here.engine() as (engine, progress):
        report = {
            "data": data.name,
            **await mixed.evaluate_mixed(engine, mixture, sizes, progress),
            **_made_with(engine),
        }
    if out is not None:
        write_json(out, report)
    _print_mixed(here, report)


# storing --------------------------------------------------------------------------------------------------


def _evaluation(name: str) -> Any:
    """A module of the evaluation; imported late, as it imports the whole engine."""
    return import_module(f"engine.lab.evaluation.{name}")


def _made_with(engine: Engine) -> dict[str, Any]:
    ranking = engine.settings.ranking
    return {"encoder": engine.embedder.version, "ranking": ranking.name if ranking else "shipped"}


async def _histories(here: Session, data: Path) -> list[History]:
    with here.progress() as reading:
        return await read_history(data, max_text_bytes=here.settings.max_text_bytes, progress=reading)


async def _one_history(here: Session, data: Path) -> History:
    """The history of a file with an id for every turn; its user is named after the content of the file."""
    histories = await _histories(here, data)
    if len(histories) != 1:
        raise InvalidInput(f"{data} holds {len(histories)} histories; the evaluation takes one.")
    history: History = _evaluation("personal").referred(histories[0])
    return replace(history, handle=_evaluation("comparison").user_of(history.handle, data))


# printing -------------------------------------------------------------------------------------------------


def _finish(here: Session, report: Mapping[str, Any], out: Path | None, depths: Sequence[int], measure: str) -> None:
    if out is not None:
        write_json(out, report)
    columns = ("questions", *(f"@{depth}" for depth in depths), f"strict@{depths[-1]}", f"nDCG@{depths[-1]}")
    shown = table(f"{report['data']}, {measure} in %", *columns, right=columns)
    ways = {way: report[way] for way in ("search", "everywhere", "flat") if way in report}
    for name, ranking in {**ways, **report.get("baselines", {})}.items():
        shown.add_row(name, *_shares(ranking, depths, measure), style="bold" if name == "search" else "")
        for category, part in ranking["by_category"].items():
            shown.add_row(f"  {category}", *_shares(part, depths, measure), style="dim")
        for depth, spread in _spread(ranking, depths).items():
            least, most = f"{100 * spread['min']:.1f}", f"{100 * spread['max']:.1f}"
            shown.add_row(f"  users @{depth}: {least} to {most}", style="dim")
    here.out.print(shown)
    here.out.print()
    _print_unanswerable(here, {**ways, **report.get("baselines", {})})
    cost = {way: (part["milliseconds"]["total"], part["cpu_milliseconds"]) for way, part in ways.items()}
    for way, (clock, cpu) in cost.items():
        here.line(f"{way}: p50 {clock['p50']:.1f} ms, p95 {clock['p95']:.1f}; CPU of this process {cpu['mean']:.1f}")


def _shares(part: Mapping[str, Any], depths: Sequence[int], measure: str) -> list[str]:
    keys = [*(f"{measure}@{depth}" for depth in depths), f"strict@{depths[-1]}", f"ndcg@{depths[-1]}"]
    return [str(part["questions"]), *(f"{100 * part[key]:.1f}" for key in keys)]


def _spread(ranking: Mapping[str, Any], depths: Sequence[int]) -> dict[int, Mapping[str, float]]:
    spread = ranking.get("spread", {})
    return {depth: spread[f"recall@{depth}"] for depth in depths if f"recall@{depth}" in spread}


def _print_unanswerable(here: Session, rankings: Mapping[str, Any]) -> None:
    """How well a threshold on the best score tells what nothing answers."""
    columns = ("AUC", "threshold", "answered", "refused", "median answerable", "median unanswerable")
    shown = table("best score", *columns, right=columns)
    for name, ranking in rankings.items():
        if apart := ranking.get("unanswerable"):
            medians = (apart["answerable"]["p50"], apart["unanswerable"]["p50"])
            figures = (apart["auc"], apart["threshold"], apart["answered"], apart["refused"], *medians)
            shown.add_row(name, *(f"{figure:.2f}" for figure in figures))
    if shown.row_count:
        here.out.print(shown)
        here.out.print()


def _print_navigation(here: Session, navigation: Mapping[str, Any]) -> None:
    here.out.print()
    columns = ("recall@10", "widened", "nodes", "items", "p50 ms", "p95 ms")
    shown = table("widening", *columns, right=columns)
    for name, cost in navigation.items():
        shares = [f"{100 * cost[key]:.1f}" for key in ("recall@10", "widened")]
        sizes = [f"{cost[key]:,.0f}" for key in ("nodes_searched", "items_searched")]
        shown.add_row(name, *shares, *sizes, *(f"{cost['milliseconds'][key]:.1f}" for key in ("p50", "p95")))
    here.out.print(shown)


def _print_mixed(here: Session, report: Mapping[str, Any]) -> None:
    columns = ("questions", "@1", "@3", "@10", "both sides @10", "context", "kept")
    shown = table(f"{report['data']}, found in %, by passages beside {report['turns']} turns", *columns, right=columns)
    memories = {f"{size} passages": part for size, part in report["sizes"].items()}
    memories |= {"passages alone": report["alone"]} if "alone" in report else {}
    last = list(report["sizes"])[-1]
    for name, part in memories.items():
        for kind, found in part.items():
            shares = [f"{100 * value:.1f}" for key, value in found.items() if key != "questions"]
            kept = report["kept"].get(kind) if name == f"{last} passages" else None
            shown.add_row(f"{name}: {kind}", str(found["questions"]), *shares, "" if kept is None else f"{kept:.2f}")
    here.out.print(shown)


def _print_persons_search(here: Session, report: Mapping[str, Any]) -> None:
    here.out.print()
    columns = ("current first", "widened", "nodes", "items")
    shown = table("searched", *columns, right=columns)
    for way, part in {**report, **report.get("baselines", {})}.items():
        if isinstance(part, Mapping) and "by_category" in part:
            current = part.get("current_first")
            first = f"{current['right']} of {current['questions']}" if current else ""
            sizes = [f"{part[key]:.1f}" for key in ("widened", "nodes_searched", "items_searched") if key in part]
            shown.add_row(way, first, *sizes)
    here.out.print(shown)
