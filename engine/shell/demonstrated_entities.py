"""What the demo shows of entities: some people, one with relations, why one of these holds, a merge and its undoing, a fact that
a newer one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.rule import Rule
from rich.text import Text

from engine.demo.script import DINER, FACTS, OTHER, PERSON, READS, SHORT, Check
from engine.domain.entity import EntitySummary
from engine.progress import counted
from engine.shell.session import Session

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.neurigraph import Engine

SHOWN = 6


async def show_entities(here: Session, engine: Engine, memory: Memory) -> list[Check]:
    """Prints it, and returns what was checked."""
    here.out.print()
    here.out.print(Rule("Whom it knows", style="dim", align="left"))
    people = await memory.entities.list(kinds=("person",), limit=SHOWN)
    if not people:  # stored by a release that did not look for them
        await engine.derivations.run("entities")
        people = await memory.entities.list(kinds=("person",), limit=SHOWN)
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
