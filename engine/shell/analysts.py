"""cypher, dictionary, sql-role, bloom, browser: for analysts. Prints the engine's Neo4j statements as they are sent, to paste
into Browser, and runs those for analysts; the data dictionary of the live stores; roles in Postgres with which analysts read
the metadata of one user (docs/sql.md); files for programs that draw the graph of a user."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import engine
from engine.errors import InvalidInput
from engine.exploring.looks import favourites, style_sheet
from engine.exploring.perspective import perspective
from engine.knowledge.dictionary import Table
from engine.naming.configuration import load_domain
from engine.progress import counted
from engine.shell.options import Handle, path_named
from engine.shell.plain_json import SHOWN, UNPRINTABLE, plain, print_json, write_json
from engine.shell.session import Commands, Session, the_user
from engine.shell.tables import print_list, print_table
from engine.stores.analyses import Analysis, analyses
from engine.stores.statements import cypher, cypher_names, cypher_purpose
from engine.stores.whole_files import write_whole
from engine.wiring.addresses import addresses_of, administrator_url

if TYPE_CHECKING:
    from engine.neurigraph import Engine
    from engine.stores.sql_roles import SqlRoles

commands = Commands()

Row = dict[str, Any]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that spreadsheets calculate."""

Role = Annotated[str, typer.Argument(metavar="NAME", help="The name of the role: anna_reads.")]

roles = Commands("sql-role", "Roles in Postgres that read the metadata of one user by SQL.")

bloom = Commands("bloom", "A perspective for Neo4j Bloom.")
browser = Commands("browser", "Favourites and a style sheet for Neo4j Browser.")


@commands.async_command("cypher", as_json=True)
async def statement(
    here: Session,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one: node/shell, or strongest.")] = None,
    user: Handle = None,
    params: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter; texts of a list by commas.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the statement; it is not run.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV on stdout.")] = False,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=600, help="It may take so long.")] = 30,
    internal: Annotated[
        bool, typer.Option("--internal", help="Without a name: list those of the engine, too.")
    ] = False,
) -> None:
    """Run a statement for analysts on a user's graph; print one of the engine; without a name list those for analysts."""
    if name is None:
        _list(here, internal=internal)
    elif as_csv and here.as_json:
        raise InvalidInput("Give either --csv or --json.")
    elif (analysis := analyses().get(name)) is None or text:
        found = _text(name)
        if params or as_csv:
            raise InvalidInput("A statement that is only printed takes neither --param nor --csv.")
        here.answer({"name": name, "text": found}, found.removesuffix("\n"))
    else:
        (names, rows), limit = await _run(here, analysis, user, _typed(params or []), seconds)
        _print(here, name, names, rows, as_csv=as_csv)
        if len(rows) >= limit:
            here.notes.print(
                f"There may be more than {counted(limit, 'row')}; --param limit=N shows them.", soft_wrap=True
            )


def _list(here: Session, *, internal: bool) -> None:
    """Those for analysts first; then those of the engine by folder, where they are asked for."""
    names = cypher_names()
    if here.as_json:
        print_json(here.out, {"analysis": [_said(one) for one in analyses().values()], "engine": names})
        return
    rows = [(one.name, one.purpose.partition(". ")[0].removesuffix(".")) for one in analyses().values()]
    print_table(here, ("for analysts", "purpose"), rows, "")
    if not internal:
        here.line(f"{counted(len(names), 'statement')} of the engine, which are only printed: --internal", style="dim")
        return
    for folder, inside in groupby(names, lambda name: name.partition("/")[0]):
        here.out.print()
        print_table(here, (f"{folder}/ (engine)", "purpose"), [(name, cypher_purpose(name)) for name in inside], "")


def _said(one: Analysis) -> dict[str, Any]:
    parameters = [parameter for parameter in one.parameters if parameter.name != "user_id"]
    return {"name": one.name, "purpose": one.purpose, "parameters": parameters, "returns": one.returns}


def _text(name: str) -> str:
    """The text of a statement. Raises InvalidInput with the names that are like this one."""
    if name in analyses():
        return analyses()[name].text
    names = cypher_names()
    if name in names:
        return cypher(name)
    near = " or ".join(get_close_matches(name, [*analyses(), *names], n=3))
    raise InvalidInput(
        f"There is no statement {name!r}{f', but {near}' if near else ''}; `neurigraph cypher` lists them."
    )


def _typed(params: Sequence[str]) -> dict[str, str]:
    found = [one.partition("=") for one in params]
    if any(not (name and sign) for name, sign, _ in found):
        raise InvalidInput("Write a parameter as NAME=VALUE.")
    if twice := {name for name, count in Counter(name for name, *_ in found).items() if count > 1}:
        raise InvalidInput(f"The parameter {min(twice)} is given twice.")
    return {name: value for name, _, value in found}


async def _run(
    here: Session, analysis: Analysis, user: str | None, typed: Mapping[str, str], seconds: float
) -> tuple[Table, int]:
    """What a statement gives, and how many rows at most."""
    limit = analysis.filled(typed)["limit"]  # what is wrong is said before any server starts
    longer = max(here.settings.statement_timeout_s, seconds)
    async with here.with_settings(statement_timeout_s=longer).operations() as (opened, _):
        owner = await the_user(opened, user)
        return await opened.analysts.run(analysis, owner.user_id, typed, seconds), limit


def _print(here: Session, name: str, names: list[str], rows: list[Row], *, as_csv: bool) -> None:
    if here.as_json:
        print_json(
            here.out, {"statement": name, "rows": [{key: _plain(value) for key, value in row.items()} for row in rows]}
        )
        return
    if not as_csv:
        print_table(here, names, [tuple(map(_cell, row.values())) for row in rows], "No row.")
        return
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([names, *(map(_in_csv, row.values()) for row in rows)])
    here.out.out(UNPRINTABLE.sub(SHOWN, written.getvalue()), end="")


def _plain(value: Any) -> Any:
    """Days and times of the graph as texts."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.iso_format() if hasattr(value, "iso_format") else plain(value)


def _in_csv(value: Any) -> str:
    # Stored texts are of others: one that begins like a formula must not run where the file is opened.
    cell = _cell(value)
    return f"'{cell}" if isinstance(value, str | list) and cell.startswith(_FORMULA) else cell


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(_plain(value))


@commands.async_command("dictionary")
async def dictionary(here: Session) -> None:
    """Print what the stores hold and what each part is for, as Markdown; on stderr what the graph has besides."""
    async with here.operations() as (opened, _):
        text = await opened.analysts.dictionary()
        undescribed = await opened.analysts.undescribed()
    here.out.out(text, end="")
    for one in undescribed:
        here.notes.print(one, soft_wrap=True)


@roles.async_command("create", as_json=True)
async def create(
    here: Session,
    name: Role,
    user: Handle = None,
    from_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from stdin, one line, in place of a random one.")
    ] = False,
) -> None:
    """Make a role that reads for a user; its password is printed once, on stdout."""
    password = sys.stdin.readline().rstrip("\r\n") if from_stdin else None
    async with _administered(here) as (opened, made):
        owner = await the_user(opened, user)
        issued = await made.create(name, owner.user_id, password)
    if here.as_json:
        return print_json(here.out, issued)
    if not from_stdin:
        here.out.out(issued.password)
    psql = f"psql -h {issued.host} -p {issued.port} -U {issued.role} {issued.database}"
    shown = "" if from_stdin else " The password is shown only once."
    here.notes.print(Text(f"{psql} reads for {owner.handle}.{shown}", style="dim"), soft_wrap=True)


@roles.async_command("list", as_json=True)
async def list_roles(here: Session) -> None:
    """List the roles, whom they read for, and their open sessions."""
    async with here.operations() as (opened, _):
        found = await opened.analysts.roles()
    rows = [
        (one.role, one.handle or "(no user)", f"{one.created_at:%Y-%m-%d}" if one.created_at else "", one.sessions)
        for one in found
    ]
    nothing = "No roles. `neurigraph sql-role create NAME --user HANDLE` makes one."
    print_list(here, {"roles": found}, ("role", "reads for", "since", "sessions"), rows, nothing)


@roles.async_command("drop", as_json=True)
async def drop(here: Session, name: Role) -> None:
    """End a role's sessions and drop it."""
    async with _administered(here) as (_, made):
        await made.drop(name)
    here.answer({"name": name}, f"{name} is dropped.")


@asynccontextmanager
async def _administered(here: Session) -> AsyncIterator[tuple[Engine, SqlRoles]]:
    """The engine, and beside it the administrator, whom the engine itself does not know."""
    with here.progress() as progress:
        async with AsyncExitStack() as stack:
            addresses = await addresses_of(here.settings, progress, stack)
            url = administrator_url(here.settings, addresses)
            opening = engine.open_engine(here.settings, progress=progress, addresses=addresses, warming=False)
            opened = await stack.enter_async_context(opening)
            yield opened, opened.analysts.administered(url)


@bloom.async_command("export")
async def export_perspective(
    here: Session,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", parser=path_named, help="Write it there, not to stdout.")
    ] = None,
    user: Handle = None,
) -> None:
    """Write a perspective on the graph of a user, to be imported in Bloom."""
    async with here.engine() as (opened, _):
        whose = await the_user(opened, user)
        made = await perspective(opened, whose)
    if out is None:
        print_json(here.out, made)
    else:
        write_json(out, made)
        here.line(f"{out}: the graph of {whose.handle}. Import it in Bloom, and use it for this user alone.")


@browser.async_command("export", as_json=True)
async def export_favourites(
    here: Session,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", parser=path_named, help="Where to.")] = Path(),
    user: Handle = None,
) -> None:
    """Write favourites for the graph of a user, and a style sheet; drop both on the window of Neo4j Browser."""
    async with here.operations() as (opened, _):
        whose = await the_user(opened, user)
    domain = load_domain(here.settings.domain)
    files = {"neurigraph-favourites.zip": favourites(whose.user_id), "neurigraph.grass": style_sheet(domain).encode()}
    for name, content in files.items():
        write_whole(out / name, content)
    here.answer({"files": [out / name for name in files]}, "\n".join(str(out / name) for name in files))
