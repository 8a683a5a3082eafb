"""The tutorial and the how-to pages are run as they stand there; every page of docs/ is on the map, and every link leads somewhere."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from engine.connectors import read_history
from engine.demo.script import FACTS, HISTORY
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.shell.application import command
from engine.wiring.open_engine import open_engine
from tests.analysis.test_analysis import PLACED, placed
from tests.contract import operations, reference
from tests.contract.pages import DOCS, Run
from tests.model_server import model_server

ROOT = DOCS.parent
HOW_TO = sorted(path.name for path in (DOCS / "howto").glob("*.md"))
NAMES = ("ann", "Ann", "bob", "carla", "dora", "sales", "team", "calendar")
"""Users and integrations of the pages: each run has its own, and a home of its own for the other installation."""
LINK = re.compile(r"\]\(([^)#\s]+?)(?:#[^)]*)?\)")


@pytest.fixture
async def run(engine: Engine, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Run]:
    mark = uuid4().hex[:8]
    opened = lambda *_, **__: open_engine(engine.settings, warming=False)  # noqa: E731
    monkeypatch.setattr(import_module("engine.wiring.open_engine"), "open_engine", opened)
    names = {name: f"{name}{mark}" for name in NAMES} | {"/srv/other": str(tmp_path / "other")}
    yield Run(engine, tmp_path, address, f"bob{mark}", names)


@pytest.mark.ledger("U07")
async def test_the_tutorial_shows_what_comes_out(engine: Engine, run: Run) -> None:
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    bob = (await engine.ingest(replace(history, handle=run.user))).user_id
    for fact in FACTS:
        await engine.memory(bob).facts.write(fact)
    there = await placed(engine, engine.memory(bob))
    try:
        await run.page("tutorial.md")
    except AssertionError:
        if there != PLACED:
            pytest.skip(f"On this processor turns are placed otherwise ({there}).")
        raise


@pytest.mark.parametrize("page", HOW_TO)
async def test_a_how_to_page_shows_what_comes_out(run: Run, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = lambda asked: "At 8 Osprey Lane." if "Osprey Lane" in asked.system else "I will remember that."  # noqa: E731
    with model_server(known) as model:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", model.openai)
        await run.page(f"howto/{page}")


async def test_the_first_program_of_the_readme_runs(run: Run) -> None:
    await run.page("../README.md")
    assert "My sister Ellen married Dave in 2003." in run.printed


def links(page: Path) -> set[Path]:
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / one).resolve() for one in found if not one.startswith(("http:", "https:", "mailto:"))}


def test_every_page_is_on_the_map_and_every_link_leads_somewhere() -> None:
    pages = set(DOCS.rglob("*.md"))
    assert pages - links(DOCS / "README.md") == {DOCS / "README.md"}
    broken = {
        (str(page.relative_to(ROOT)), str(one))
        for page in [ROOT / "README.md", *pages]
        for one in links(page)
        if not one.exists()
    }
    assert broken == set()


def test_the_table_of_settings_is_that_of_the_code() -> None:
    """After a change that is meant: `python -m tests.contract.reference`."""
    shown = reference.PAGE.read_text(encoding="utf-8")
    assert shown == reference.page(shown)


def test_the_page_of_operations_is_that_of_the_code() -> None:
    """After a change that is meant: `python -m tests.contract.operations`."""
    assert operations.PAGE.read_text(encoding="utf-8") == operations.page()


def test_every_command_has_its_line() -> None:
    """In docs/shell.md, commands of groups by the name of the group."""
    page = (DOCS / "shell.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    for name, one in command().commands.items():
        told = " ".join(line for line in lines if f"`{name} " in line or f"`{name}`" in line)
        missing = [part for part in getattr(one, "commands", ()) if not re.search(rf"\b{re.escape(part)}\b", told)]
        assert told and not missing, (name, missing)


MADE = {"data-dictionary.md", "operations.md"}
"""Pages that are printed, not written."""
LONGEST_CELL = 200


def test_cells_of_tables_are_short() -> None:
    """What needs more words stands below the table."""
    long = [
        (str(page.relative_to(ROOT)), number, len(cell.strip()), cell.strip()[:60])
        for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
        if page.name not in MADE
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if line.startswith("|")
        for cell in re.split(r"(?<!\\)\|", line)
        if len(cell.strip()) > LONGEST_CELL
    ]
    assert long == []
