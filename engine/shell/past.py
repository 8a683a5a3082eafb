"""change, history, state, diff, upgrade: changes, and states at past times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from uuid import UUID

import typer
from rich.table import Table
from rich.text import Text

from engine.domain.delta import Change, Difference, FieldChange, SubjectKind
from engine.domain.difference import Within
from engine.errors import InvalidInput
from engine.shell import session
from engine.shell.options import AsJson, AsOf, Handle, KnownAt, moment_of, point
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Session
from engine.shell.tables import counted, timestamp
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.memory import Memory

LONGEST_SHOWN = 60
LISTS = frozenset(
    {"kw_entities", "kw_topics", "kw_dates", "kw_relationships", "tags", "subjects", "keywords", "aliases"}
)

Kind = Annotated[
    Literal["record", "item", "node", "relation"],
    typer.Argument(metavar="KIND", help="record, item, node or relation."),
]
Subject = Annotated[str, typer.Argument(metavar="ID", help="Its id; a node may be named by its path.")]
At = Annotated[str | None, typer.Option("--node", metavar="NODE", help="Where a record or item lies: path or id.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("change")(change)
    app.command("history")(history)
    app.command("state")(state)
    app.command("diff")(diff)
    app.command("upgrade")(upgrade)


def change(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
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
    reason: Annotated[str, typer.Option("--reason", help="Why, in one line.")] = "",
    as_json: AsJson = False,
) -> None:
    """Change a record, an item, a node or a relation; its earlier states stay readable."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place, subject_id = await _found(memory, kind, subject, node)
            values = await _values(memory, kind, fields)
            changed = await memory.history.change(
                Change(kind, subject_id, values, place, point(at), correction, revision, reason)
            )
        if as_json:
            print_json(here.out, changed)
        elif changed.changed:
            here.out.print(f"Changed: revision {changed.revision}.")
        else:
            here.out.print(f"No change: revision {changed.revision}.")

    here.run(work())


def history(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context, kind: Kind, subject: Subject, user: Handle = None, node: At = None,
    after: Annotated[int, typer.Option("--after", min=0, help="The last revision of the previous page.")] = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show the changes of something: when they were made, from when they hold, fields and author."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place, subject_id = await _found(memory, kind, subject, node)
            deltas = await memory.history.deltas(kind, subject_id, node_id=place, after=after)
        if as_json:
            print_json(here.out, deltas)
            return
        if not deltas:
            here.out.print("No changes.")
            return
        table = Table(box=None, pad_edge=False)
        for name in ("revision", "written", "holds from", "what", "by", "why"):
            table.add_column(name, overflow="fold")
        for delta in deltas:
            since = "the beginning" if delta.effective_at is None else timestamp(delta.effective_at)
            what = f"{delta.operation}: {_fields(delta.fields)}"
            table.add_row(
                str(delta.revision),
                timestamp(delta.known_at),
                since,
                what,
                delta.author.partition(":")[0],
                delta.reason,
            )
        here.out.print(table)

    here.run(work())


def state(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context, kind: Kind, subject: Subject, user: Handle = None, node: At = None, as_of: AsOf = None,
    known_at: KnownAt = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show something as it was at a time."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place, subject_id = await _found(memory, kind, subject, node)
            shown = await memory.history.state(kind, subject_id, node_id=place, moment=moment_of(as_of, known_at))
        if as_json:
            print_json(here.out, shown)
        elif shown.fields is None:
            here.out.print("It did not exist then.")
        else:
            for name, value in shown.fields.items():
                here.out.print(Text(f"{name}: {_value(value, 2000)}"), soft_wrap=True)
            here.out.print(Text(f"revision {shown.revision} today", style="dim"))

    here.run(work())


def diff(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    start: Annotated[str, typer.Argument(metavar="FROM", help="The earlier time.")],
    end: Annotated[str | None, typer.Argument(metavar="TO", help="The later time; without it, now.")] = None,
    user: Handle = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Only this node: path or id.")] = None,
    subject: Annotated[
        UUID | None, typer.Option("--of", metavar="ID", help="Only this record, item, node or relation.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the differences between two times: of a whole memory, one node or one thing."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place = await node_at(memory, node) if node else None
            found: list[Difference] = []
            after: tuple[UUID, UUID] | None = None
            until = point(end) or datetime.now(UTC)
            while True:
                page = await memory.history.difference(
                    cast(datetime, point(start)), until, Within(place, subject), after=after
                )
                found += page.differences
                if (after := page.after) is None:
                    break
        if as_json:
            print_json(here.out, {"differences": found})
            return
        for one in found:
            here.out.print(Text(f"{one.subject_kind} {one.subject_id}: {one.operation}"), soft_wrap=True)
            for name, field in one.fields.items():
                here.out.print(Text(f"  {name}: {_change(field)}", style="dim"), soft_wrap=True)
        if not found:
            here.out.print("Nothing differs.")

    here.run(work())


def upgrade(context: typer.Context, as_json: AsJson = False) -> None:
    """Upgrade the tables of all nodes to the newest version; running servers go on serving."""
    here = session.of(context)
    here.run(_upgrade(here, as_json))


async def _upgrade(here: Session, as_json: bool) -> None:
    async with here.engine() as (engine, progress):
        report = await engine.upgrades.run(progress)
    if as_json:
        print_json(here.out, report)
    elif report.left:
        here.out.print(f"{counted(report.upgraded, 'node')} upgraded; {report.left:,} in use, try again.")
    else:
        here.out.print(f"{counted(report.upgraded, 'node')} upgraded; all are of the newest version.")


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
        except ValueError as error:
            raise InvalidInput(f"{name}={text} is not a valid value.") from error
    return text


def _fields(fields: Mapping[str, FieldChange]) -> str:
    return "; ".join(f"{name} {_change(field)}" for name, field in fields.items())


def _change(field: FieldChange) -> str:
    return f"{_value(field.before)} → {_value(field.after)}"


def _value(value: Any, longest: int = LONGEST_SHOWN) -> str:
    text = (
        "–"
        if value is None or value == ""
        else value
        if isinstance(value, str)
        else json.dumps(plain(value), ensure_ascii=False)
    )
    return text if len(text) <= longest else text[: longest - 1] + "…"
