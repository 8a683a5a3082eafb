"""change, history, state, diff, upgrade: changes, and states at past times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.delta import Change, Difference, FieldChange, SubjectKind, Within
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.options import AsOf, Handle, KnownAt, Reason, moment_of, point
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import last_read, print_list
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.memory import Memory

LONGEST_SHOWN = 60
LISTS = frozenset(
    {"kw_entities", "kw_topics", "kw_dates", "kw_relationships", "tags", "subjects", "keywords", "aliases"}
)

Kind = Annotated[
    Literal["record", "item", "node", "edge"],
    typer.Argument(metavar="KIND", help="record, item, node or edge."),
]
Subject = Annotated[str, typer.Argument(metavar="ID", help="Its id; a node may be named by its path.")]
At = Annotated[str | None, typer.Option("--node", metavar="NODE", help="Where a record or item lies: path or id.")]

commands = Commands()


@commands.async_command("change", as_json=True)
async def change(
    here: Session,
    kind: Kind,
    subject: Subject,
    fields: Annotated[
        list[str], typer.Argument(metavar="FIELD=VALUE...", help="New values: title=…, content=…, name=…, ended=true.")
    ],
    user: Handle = None,
    node: At = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="From when on; without it, from now on.")
    ] = None,
    correction: Annotated[bool, typer.Option("--correction", help="It was wrong from the beginning.")] = False,
    revision: Annotated[
        int | None, typer.Option("--if-revision", min=1, help="Only if it is at this revision.")
    ] = None,
    reason: Reason = "",
) -> None:
    """Change a record, an item, a node or an edge; its earlier states stay readable."""
    async with here.memory(user) as memory:
        place, subject_id = await _found(memory, kind, subject, node)
        values = await _values(memory, kind, fields)
        wanted = Change(kind, subject_id, values, place, point(at), correction, revision, reason)
        changed = await memory.history.change(wanted)
    here.answer(changed, f"{'Changed' if changed.changed else 'No change'}: revision {changed.revision}.")


@commands.async_command("history", as_json=True)
async def history(
    here: Session, kind: Kind, subject: Subject, user: Handle = None, node: At = None,
    after: Annotated[int, typer.Option("--after", min=0, help="The last revision of the previous page.")] = 0,
) -> None:  # fmt: skip
    """Show the changes of something: when they were made, from when they hold, fields and author."""
    async with here.memory(user) as memory:
        place, subject_id = await _found(memory, kind, subject, node)
        deltas = await memory.history.deltas(kind, subject_id, node_id=place, after=after)
    rows = [
        (
            one.revision, one.known_at, one.effective_at or "the beginning", f"{one.operation}: {_fields(one.fields)}",
            one.author.partition(":")[0], one.reason,
        )
        for one in deltas
    ]  # fmt: skip
    print_list(here, deltas, ("revision", "written", "holds from", "what", "by", "why"), rows, "No changes.")


@commands.async_command("state", as_json=True)
async def state(
    here: Session, kind: Kind, subject: Subject, user: Handle = None, node: At = None, as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:  # fmt: skip
    """Show something as it was at a time."""
    async with here.memory(user) as memory:
        place, subject_id = await _found(memory, kind, subject, node)
        shown = await memory.history.state(kind, subject_id, node_id=place, moment=moment_of(as_of, known_at))
    if here.as_json:
        print_json(here.out, shown)
    elif shown.fields is None:
        here.out.print("It did not exist then.")
    else:
        for name, value in shown.fields.items():
            here.line(f"{name}: {_value(value, 2000)}")
        read = last_read(shown.last_accessed_at, shown.access_count)
        here.out.print(Text(f"revision {shown.revision} today{f'; {read}' if read else ''}", style="dim"))


@commands.async_command("diff", as_json=True)
async def diff(
    here: Session,
    start: Annotated[str, typer.Argument(metavar="FROM", help="The earlier time.")],
    end: Annotated[str | None, typer.Argument(metavar="TO", help="The later time; without it, now.")] = None,
    user: Handle = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Only this node: path or id.")] = None,
    subject: Annotated[
        UUID | None, typer.Option("--of", metavar="ID", help="Only this record, item, node or edge.")
    ] = None,
) -> None:
    """Show what a memory holds otherwise at a later time than at an earlier one: all of it, one node or one thing.

    Both are times of knowing: when it was stored or changed, not when it
    happened. `neurigraph diff 2026-01-01` lists what was learned since that
    day, of whatever year it speaks. For what happened between two days use
    `neurigraph ask … --since DAY --until DAY` or `neurigraph timeline`.
    """
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        found: list[Difference] = []
        after: tuple[UUID, UUID] | None = None
        until = point(end) or datetime.now(UTC)
        since = cast(datetime, point(start))
        while True:
            page = await memory.history.difference(since, until, Within(place, subject), after=after)
            found += page.differences
            if (after := page.after) is None:
                break
    if here.as_json:
        return print_json(here.out, {"differences": found})
    for one in found:
        here.line(f"{one.subject_kind} {one.subject_id}: {one.operation}")
        for name, field in one.fields.items():
            here.line(f"  {name}: {_change(field)}", style="dim")
    if not found:
        here.out.print("Nothing differs.")


@commands.async_command("upgrade", as_json=True)
async def upgrade(here: Session) -> None:
    """Upgrade the tables of all nodes to the newest version, as each start does; says what could not be upgraded."""
    async with here.engine() as (engine, progress):
        report = await engine.upgrades.run(progress)
    damaged = f"{counted(report.damaged, 'node')} cannot be upgraded, see `neurigraph doctor`" if report.damaged else ""
    here.answer(report, f"{damaged or 'All nodes have tables of the newest version'}.")


async def _found(memory: Memory, kind: SubjectKind, subject: str, node: str | None) -> tuple[UUID | None, UUID]:
    """The node and the id of the subject."""
    place = await node_at(memory, node) if node else None
    if kind == "node":
        return None, await node_at(memory, subject)
    try:
        return place, UUID(subject)
    except ValueError as error:
        raise InvalidInput(f"{subject} is not an id; `neurigraph ask --json` shows ids.") from error


async def _values(memory: Memory, kind: str, fields: Sequence[str]) -> dict[str, Any]:
    """Parses FIELD=VALUE; a node's new parent may be a path."""
    values: dict[str, Any] = {}
    for field in fields:
        name, separator, text = field.partition("=")
        if not separator:
            raise InvalidInput(f"{field} is not of the form FIELD=VALUE.")
        if kind == "node" and name in ("parent", "parent_id"):
            values["parent_id"] = str(await node_at(memory, text))
        else:
            values[name] = _typed(name, text)
    return values


def _typed(name: str, text: str) -> Any:
    """Parses a field's value: comma-separated lists, numbers, true and false, JSON for properties, else a text."""
    if name in LISTS:
        return [part.strip() for part in text.split(",") if part.strip()]
    if name in ("confidence", "importance", "properties", "ended"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{name}={text} is not a valid value.") from error
    return text


def _fields(fields: Mapping[str, FieldChange]) -> str:
    return "; ".join(f"{name} {_change(field)}" for name, field in fields.items())


def _change(field: FieldChange) -> str:
    return f"{_value(field.before)} → {_value(field.after)}"


def _value(value: Any, longest: int = LONGEST_SHOWN) -> str:
    shown = "–" if value is None or value == "" else value
    text = shown if isinstance(shown, str) else json.dumps(plain(shown), ensure_ascii=False)
    return text if len(text) <= longest else text[: longest - 1] + "…"
