"""demo: stores a bundled history, asks five questions, shows what is known of people, and checks the answers.

Of entities it shows some people, one with relations, why one of these holds, a merge and its undoing, a fact that a newer one
ends."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import typer
from rich.rule import Rule
from rich.text import Text

from engine.connectors import read_history
from engine.demo.script import (
    DINER,
    FACTS,
    HISTORY,
    OTHER,
    PERSON,
    READS,
    SHORT,
    Check,
    DemoQuestion,
    checks,
    questions,
)
from engine.domain.entity import EntitySummary
from engine.domain.history import History
from engine.domain.report import STORED_ALREADY, IngestReport
from engine.domain.search import SearchRequest
from engine.errors import StoreFull, StoreUnavailable, WritingStopped
from engine.progress import counted
from engine.shell.answers import open_best, print_answer, print_opening
from engine.shell.content import print_report
from engine.shell.session import Commands, Session

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.neurigraph import Engine
    from engine.progress import Progress

PEOPLE_SHOWN = 6

SHOWN, SEARCHED = 3, 10
"""Hits shown for each question, and hits in which the evidence is searched."""
LONGEST_WAIT, PAUSE = 300, 1.0
"""Seconds that the demo waits for stores that do not answer, and between two attempts."""
SLOW, MORE_TIME = 0.2, 4
"""Where planning the first statements takes longer than this share of what one may take, each gets so many times as much."""

commands = Commands()


async def show_entities(here: Session, engine: Engine, memory: Memory) -> list[Check]:
    """Prints it, and returns what was checked."""
    here.out.print()
    here.out.print(Rule("Whom it knows", style="dim", align="left"))
    people = await memory.entities.list(kinds=("person",), limit=PEOPLE_SHOWN)
    if not people:  # stored by a release that did not look for them
        await engine.derivations.run("entities")
        people = await memory.entities.list(kinds=("person",), limit=PEOPLE_SHOWN)
    named = ", ".join(f"{one.name} ({counted(one.mentions, 'record')})" for one in people)
    here.out.print(Text(f"People that the conversations name, found without a model: {named}, …"))
    found = [*await _relations(here, memory), *await _merge(here, memory), *await _facts(here, memory)]
    asked = await engine.workspace.jobs.ask("communities")  # for who looks at the home with other programs
    async with engine.working(only="communities"):
        await engine.workspace.jobs.run("communities", asked.run_id, here.settings.job_time_limit_s)
    here.out.print()
    for check in found:
        here.out.print(check_line(check))
    return found


def check_line(check: Check) -> Text:
    """One expectation, and where it was met."""
    if check.found is None:
        return Text("✗ ", style="red").append(f"{check.expected}: not found")
    return Text("✓ ", style="green").append(f"{check.expected}: ").append(check.found, style="dim")


async def _named(memory: Memory, name: str) -> EntitySummary | None:
    found = await memory.entities.list(name=name.split()[0], limit=500)
    return next((one for one in found if one.name == name), None)


async def _relations(here: Session, memory: Memory) -> list[Check]:
    expected = f"{PERSON} {READS} {OTHER}"
    person = await _named(memory, PERSON)
    if person is None:
        return [Check(expected, None)]
    here.out.print()
    wanted = None
    for one in await memory.entities.relations(person.entity_id):
        here.line(f"{PERSON} {one.reads} {one.other_name}" + (f", since {one.since}" if one.since else ""))
        wanted = one if (one.reads, one.other_name) == (READS, OTHER) else wanted
    if wanted is None:
        return [Check(expected, None)]
    evidence = (await memory.entities.why(wanted.relation_id)).evidence[0]
    said = evidence.text or ""
    here.out.print(Text(f"Why? {evidence.title}, {evidence.at:%Y-%m-%d}: “{said}”", style="italic"))
    return [Check(expected, evidence.title if OTHER in said else None)]


async def _merge(here: Session, memory: Memory) -> list[Check]:
    """Two names of one diner, which the texts do not join."""
    diner, same = await _named(memory, DINER), await _named(memory, SHORT)
    if diner is None or same is None:
        return [Check(f"{DINER} and {SHORT}", None)]
    apart = (diner.mentions, same.mentions)
    merge = await memory.entities.merge(diner.entity_id, same.entity_id, "the same place")
    one = await memory.entities.get(same.entity_id)
    await memory.entities.undo_merge(merge.merge_id)
    after = [await memory.entities.get(each.entity_id) for each in (diner, same)]
    here.out.print()
    here.line(f"{DINER} ({counted(apart[0], 'record')}) and {SHORT} ({counted(apart[1], 'record')}) are two entities.")
    here.line(f"Merged, they are read as one ({counted(one.mentions, 'record')}). Undone, they are two again.")
    joined = one.entity_id == diner.entity_id and one.mentions > apart[0]
    undone = [each.mentions for each in after] == list(apart)
    return [
        Check("a merge is read as one", counted(one.mentions, "record") if joined else None),
        Check("and undone exactly", " and ".join(map(str, apart)) if undone else None),
    ]


async def _facts(here: Session, memory: Memory) -> list[Check]:
    """Two facts that Bob states; the demo may run again."""
    here.out.print()
    older, newer = FACTS
    await memory.once(f"demo {older.text}").facts.write(older)
    chain = await memory.once(f"demo {newer.text}").facts.write(newer)
    here.line(f"Stated without a model: “{older.text}” and later “{newer.text}” Its chain, the newest first:")
    for one in chain:
        period = f"{one.valid_from:%Y-%m-%d} to {one.valid_to:%Y-%m-%d}" if one.valid_to else "holds now"
        here.line(f"  {one.text} ({one.status}, {period})")
    ended = next((one for one in chain if one.text == older.text and one.status == "superseded"), None)
    return [Check("a newer fact ends the older one", f"{ended.valid_to:%Y-%m-%d}" if ended else None)]


@commands.async_command("demo")
async def demo(here: Session) -> None:
    """Store a bundled history and ask it five questions. Needs no setup; start here."""
    if not (here.home_is_given or here.is_managed):
        here = here.with_home(here.settings.home / "demo")
    here.out.print("Bob, a joiner, has talked to his assistant for two years. Neurigraph remembers it, then answers.\n")
    async with _remembered(here) as (engine, memory):
        found: list[Check] = []
        for number, question in enumerate(questions(), 1):
            here.out.print()
            here.out.print(Rule(f"Question {number} of 5", style="dim", align="left"))
            found += await _ask(here, engine, memory, question)
        found += await show_entities(here, engine, memory)
    if _summary(here, found):
        raise typer.Exit(1)


@asynccontextmanager
async def _remembered(here: Session) -> AsyncIterator[tuple[Engine, Memory]]:
    """The engine and the memory with the history. On a starved machine the servers have started and do not answer in time yet:
    that is tried again, with more time for each statement, and stores once what was stored before."""
    started, patient = time.monotonic(), here
    while True:
        async with AsyncExitStack() as stack:
            try:
                engine, progress = await stack.enter_async_context(patient.engine())
                began = time.monotonic()
                warming = import_module("engine.wiring.warming")  # late: it imports the whole engine
                await warming.warm(engine)
                await warming.warm_writes(engine)
                slow = time.monotonic() - began > here.settings.statement_timeout_s * SLOW
                memory = None if slow and patient is here else await _remember(here, engine, progress)
            except StoreUnavailable as error:
                waited = time.monotonic() - started
                if isinstance(error, StoreFull | WritingStopped) or waited > LONGEST_WAIT:
                    raise
                here.notes.print(f"Waiting for the stores, {waited:.0f} of at most {LONGEST_WAIT} s: {error.detail}")
            else:
                if memory is not None:
                    yield engine, memory
                    return
        patient = here.with_settings(statement_timeout_s=here.settings.statement_timeout_s * MORE_TIME)
        await asyncio.sleep(PAUSE)


async def _remember(here: Session, engine: Engine, progress: Progress) -> Memory:
    limit = here.settings.max_text_bytes
    [history] = await read_history(HISTORY, max_text_bytes=limit, progress=progress)
    report = await engine.ingest(history, progress)
    here.out.print()
    print_report(here, history, report)
    if report.skipped:
        here.line(_in_all(history, report))
    return engine.memory(report.user_id)


def _in_all(history: History, report: IngestReport) -> str:
    """What is stored now, where an earlier run, or an earlier attempt of this one, stored some of it."""
    failed = {skip.source_id for skip in report.skipped if skip.reason != STORED_ALREADY}
    turns = sum(len(one.turns) for one in history.conversations if one.source_id not in failed)
    files = sum(f"file:{one.source_id}" not in failed for one in history.files)
    before = sum(skip.reason == STORED_ALREADY for skip in report.skipped)
    stored = f"{counted(turns, 'turn')} and {counted(files, 'file')}"
    return f"In all {stored}; {before} of {len(history.conversations) + len(history.files)} sources were stored before."


async def _ask(here: Session, engine: Engine, memory: Memory, question: DemoQuestion) -> list[Check]:
    answer = await memory.search(SearchRequest(question.ask, limit=SEARCHED))
    print_answer(here.out, answer, most_hits=SHOWN)
    opened = None
    if question.file is not None:
        opening = await open_best(memory, engine.embedder, answer)
        if opening is not None:
            print_opening(here.out, opening)
            opened = (opening.file.name, opening.passage.text if opening.passage else "")
    found = list(checks(question, answer, opened))
    here.out.print()
    here.out.print(Text(question.why, style="italic"))
    for check in found:
        here.out.print(check_line(check))
    return found


def _summary(here: Session, found: list[Check]) -> int:
    missed = [check for check in found if check.found is None]
    here.out.print()
    here.out.print(Rule("Checked", style="dim", align="left"))
    here.out.print(f"{len(found) - len(missed)} of {len(found)} expectations were met.")
    for check in missed:
        here.out.print(check_line(check))
    home = f"--home {here.settings.home} "
    here.out.print("\nThe servers stop by themselves. Try next:")
    activate = Path(sys.prefix, "bin", "activate")
    if which("neurigraph") is None and activate.exists():
        here.line(f"  source {activate}")
    for command in (
        f'neurigraph {home}ask "Where does Ellen live now?"',
        f'neurigraph {home}ask "Whom is Ellen married to?"',
        f'neurigraph {home}ask "What was caught on the opener?" --open',
        f'neurigraph {home}entity relations "Bob Harlan"',
        f"neurigraph {home}up --browser",
        "neurigraph ingest YOUR_CHATS.json --user YOU",
    ):
        here.line(f"  {command}")
    return len(missed)
