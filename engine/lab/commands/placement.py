"""eval placement: compares the nodes of a history's turns with the expected nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.connectors import read_history
from engine.domain.history import History
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.plain_json import write_json
from engine.shell.session import Session
from engine.shell.tables import table

_RANKINGS = {"search": "with nodes", "everywhere": "all nodes searched", "flat": "flat (root only)"}


async def measure_placement(here: Session, data: Path, gold_path: Path, out: Path | None) -> None:
    """Stores a history on a temporary home and prints how its turns were placed."""
    placement = import_module("engine.lab.evaluation.placement")
    personal = import_module("engine.lab.evaluation.personal")
    comparison = import_module("engine.lab.evaluation.comparison")
    ground = import_module("engine.lab.benchmarks.ground")
    gold = placement.gold_of(gold_path)
    with here.progress() as progress:
        histories = await read_history(data, max_text_bytes=here.settings.max_text_bytes, progress=progress)
        if len(histories) != 1:
            raise InvalidInput(f"{data} holds {len(histories)} histories; placement takes one.")
        history: History = personal.referred(histories[0])
        flat = replace(history.without_nodes(), handle=f"{history.handle}-flat")
        asked, of_flat = (personal.questions(gold_path, one) for one in (history, flat))
        async with ground.empty_ground(here.settings, progress) as home:
            memory = home.engine.memory((await home.engine.ingest(history, progress)).user_id)
            report = {
                **placement.measured(await placement.places_of(home.engine, memory), gold),
                "data": data.name,
                "nodes": len(history.nodes),
                "encoder": home.engine.embedder.version,
            }
            if asked:
                alone = await home.engine.ingest(flat, progress)
                users = {history.handle: memory.principal.user_id, flat.handle: alone.user_id}
                stored = comparison.Asked(home.engine, users, personal.DEPTHS, progress)
                report["answers"] = await personal.evaluate_personal(asked, of_flat, stored, quick=True)
    if out is not None:
        write_json(out, report)
    _print(here, report)


def _print(here: Session, report: Mapping[str, Any]) -> None:
    turns = f"of {counted(report['turns'], 'turn')}"
    shown = table(f"{report['data']}, {counted(report['nodes'], 'node')}", turns, right=(turns,))
    for kind, name in _KINDS.items():
        shown.add_row(f"at {name}", f"{report[kind]:.2f}")
    shown.add_row("readable by an unrelated grant", f"{report['readable_by_an_unrelated_grant']:.2f}")
    private, chat = report["confidences"], report["small_talk"]
    shown.add_row("confidences that others can read", f"{private['readable']} of {private['turns']}")
    shown.add_row("small talk at the root", f"{chat['at_the_root']} of {chat['turns']}")
    here.out.print(shown)
    here.out.print()
    _print_calibration(here, report["calibration"])
    if "answers" in report:
        here.out.print()
        _print_answers(here, report["answers"])


_KINDS = {
    "exact": "the right node",
    "acceptable": "one as good",
    "ancestor": "one above it, the root included",
    "wrong": "a wrong one",
}


def _print_calibration(here: Session, calibration: Mapping[str, Any]) -> None:
    figures = ("stated", "right", "turns")
    shown = table("confidence", *figures, right=figures)
    for step in calibration["steps"]:
        span = f"{step['from']:.1f} to {step['to']:.1f}"
        shown.add_row(span, f"{step['told']:.2f}", f"{step['right']:.2f}", str(step["turns"]))
    shown.add_row("mean distance", "", f"{calibration['mean_distance']:.2f}", "")
    here.out.print(shown)


def _print_answers(here: Session, answers: Mapping[str, Any]) -> None:
    figures = ("1", "3", "10", "current first")
    shown = table("questions with evidence among the first", *figures, right=figures)
    for way, found in answers.items():
        current = found.get("current_first", {"right": 0, "questions": 0})
        shares = [f"{found[f'found@{depth}']:.2f}" for depth in (1, 3, 10)]
        shown.add_row(_RANKINGS[way], *shares, f"{current['right']} of {current['questions']}")
    here.out.print(shown)
