"""Shared code of all commands: settings, consoles, running and error handling.

The engine itself is imported when a command opens it (`engine.open_engine`), so that `--help`, `status`, and what the server of
the home carries out (`engine.shell.remote`), are fast.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

import engine
from engine.domain.ingest import UNLIMITED, Limits
from engine.errors import InvalidInput, NeurigraphError, NotFound
from engine.settings import Settings
from engine.shell import garbage, interruption
from engine.shell.plain_json import PrintableConsole, print_json
from engine.shell.progress_bars import RichProgress
from engine.shell.remote import connected

if TYPE_CHECKING:
    from engine.domain.node import User
    from engine.memory import Memory
    from engine.neurigraph import Engine
    from engine.operations.workspace import Workspace
    from engine.providers.language import LanguageModel

Work = TypeVar("Work", bound=Callable[..., Coroutine[Any, Any, None]])

_BARE = {NotFound().detail: "Not found: nothing here has this id, or it is not yours to see."}
"""What is said in place of a detail that names nothing."""
PIPE_WIDTH = 110
"""Columns of tables that are not printed on a terminal."""


class UnreadableInput(InvalidInput):
    """What a command was given is no text: exit code 2, as of wrong arguments."""


@dataclass(frozen=True, slots=True)
class Session:
    """One call of the command. `out` is stdout, for the result; `notes` is stderr, for everything else.

    `as_json`: the result is printed as JSON.
    """

    settings: Settings
    out: Console
    notes: Console
    debug: bool
    as_json: bool = False

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs a command's work; an engine error is printed as one sentence on stderr, with exit code 1."""
        try:
            with interruption.cancels_work():
                asyncio.run(self._until_interrupted(work))
        except KeyboardInterrupt:  # for a second time, or before the loop was there
            interruption.end(as_json=self.as_json)
        except NeurigraphError as error:
            if self.debug:
                raise
            code = 2 if isinstance(error, UnreadableInput) else 1
            raise failed(self.notes, _BARE.get(error.detail, error.detail), code) from None
        except BaseExceptionGroup as group:
            ours = _first(group)
            if self.debug or ours is None:
                raise
            raise failed(self.notes, _BARE.get(ours.detail, ours.detail)) from None
        except OSError as error:  # for example a home that is not writable
            if self.debug or error.filename is None or isinstance(error, BrokenPipeError):  # no error to speak of
                raise
            raise failed(self.notes, f"{error.filename}: {error.strerror}.") from None

    async def _until_interrupted(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs the work; after Ctrl-C it closes what it opened, then the process ends at once. The loop itself would wait
        for threads that cannot be stopped.
        """
        try:
            await work
        except asyncio.CancelledError:
            interruption.end(as_json=self.as_json)

    def line(self, text: str | Text, style: str = "") -> None:
        """Prints a line of the result; it is not wrapped."""
        self.out.print(text, style=style, soft_wrap=True)

    def answer(self, value: Any, text: str) -> None:
        """Prints the result: the value as JSON, or a line about it."""
        if self.as_json:
            print_json(self.out, value)
        else:
            self.line(text)

    def progress(self) -> RichProgress:
        """Progress on stderr; leaving the context removes the bars."""
        return RichProgress(self.notes)

    @asynccontextmanager
    async def engine(
        self, *, language: LanguageModel | None = None, warming: bool = False
    ) -> AsyncIterator[tuple[Engine, RichProgress]]:
        """The engine, opened with progress on stderr, which serves for further work, too; `language`, `warming`: see
        `open_engine`."""
        with garbage.importing():
            opening = engine.open_engine  # imports all of it
        with self.progress() as progress:
            async with opening(
                self.settings, progress=progress, worker=False, language=language, warming=warming
            ) as opened:
                self._warned(opened.installation.stopped_at_start)
                yield opened, progress

    @asynccontextmanager
    async def operations(self) -> AsyncIterator[tuple[Engine, RichProgress]]:
        """The engine of the server of the home, of which operations are called there (see `RemoteEngine`), or one opened here."""
        async with nullcontext() if self.debug else connected(self.settings) as served:
            if served is None:
                async with self.engine() as (opened, progress):
                    yield opened, progress
                return
            opened, stopped = served
            with self.progress() as progress:
                self._warned(stopped)
                yield opened, progress

    def _warned(self, stopped: str | None) -> None:
        if stopped:
            self.notes.print(Text(stopped, style="red"), soft_wrap=True)

    @asynccontextmanager
    async def memory(
        self, handle: str | None, limits: Limits = UNLIMITED, *, warming: bool = False
    ) -> AsyncIterator[Memory]:
        """The memory of the user with the handle, acting as that user; without a handle of the only user. Its operations share
        the limits.

        Raises NotFound, InvalidInput.
        """
        async with self.engine(warming=True) if warming else self.operations() as (opened, _):
            with opened.spending(limits):
                yield opened.memory((await the_user(opened, handle)).user_id)

    @asynccontextmanager
    async def workspace(self) -> AsyncIterator[Workspace]:
        """The workspace, acting as its operator."""
        async with self.operations() as (opened, _):
            yield opened.workspace

    @asynccontextmanager
    async def either(self, handle: str | None, *, whole: bool) -> AsyncIterator[Memory | Workspace]:
        """The workspace where it is `whole`, else the memory of a user: for what a graph has and the workspace has, too."""
        async with self.operations() as (opened, _):
            yield opened.workspace if whole else opened.memory((await the_user(opened, handle)).user_id)

    def with_home(self, home: Path) -> Session:
        """The same session on another home, with its files there."""
        return replace(self, settings=self.settings.with_home(home))

    def with_settings(self, **changes: Any) -> Session:
        """The same session with changed settings."""
        return replace(self, settings=self.settings.model_copy(update=changes))

    @property
    def home_is_given(self) -> bool:
        """Whether the home was set explicitly, by option, environment or .env file."""
        return "home" in self.settings.model_fields_set

    @property
    def is_managed(self) -> bool:
        """Whether the settings name managed servers instead of the embedded ones."""
        return self.settings.neo4j_url is not None or self.settings.postgres_url is not None


class Commands(typer.Typer):
    """A group of commands; without a name they are commands of `neurigraph` itself."""

    def __init__(self, name: str | None = None, help: str | None = None) -> None:
        super().__init__(name=name, help=help, no_args_is_help=True)

    def async_command(self, name: str, *, as_json: bool = False) -> Callable[[Work], Work]:
        """Makes a command of an async function of the session and the command's options; `as_json`: it takes --json."""

        def add(work: Work) -> Work:
            self.command(name)(as_command(work, as_json=as_json))
            return work

        return add


def as_command(work: Callable[..., Coroutine[Any, Any, None]], *, as_json: bool) -> Callable[..., None]:
    """The function that typer calls: it takes typer's context instead of the session; `as_json` adds --json."""

    @wraps(work)
    def command(context: typer.Context, **options: Any) -> None:
        if context.invoked_subcommand is None:
            here = replace(session_of(context), as_json=as_json and options.pop("as_json"))
            here.run(work(here, **options))

    signature = inspect.signature(work, eval_str=True)
    here, *options = signature.parameters.values()
    context = here.replace(name="context", annotation=typer.Context)
    parameters = [context, *options, *([_AS_JSON] if as_json else [])]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


_AS_JSON = inspect.Parameter(
    "as_json",
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    default=False,
    annotation=Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")],
)


def session_of(context: typer.Context) -> Session:
    """The session of the global options."""
    session: Session = context.obj
    return session


def opened(home: Path | None, cache: Path | None, debug: bool) -> Session:
    """Creates the session for the global options; exits with an error if the settings are invalid."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    out, notes = console(), console(stderr=True)
    if debug:
        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    else:
        logging.basicConfig(handlers=[logging.NullHandler()])  # the commands print what matters
    if not debug:
        sys.excepthook = _surprise
    given = {"home": home, "cache": cache}
    try:
        settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        name = name if name.startswith("OPENAI") else f"NEURIGRAPH_{name}"
        reason = first["msg"].removeprefix("Value error, ").rstrip(".")
        raise failed(notes, f"The setting {name} is invalid: {reason}.") from None
    return Session(settings, out, notes, debug)


def console(*, stderr: bool = False) -> Console:
    """A console that prints plain texts: no markup, emoji codes or control characters, no colours outside a terminal."""
    made = PrintableConsole(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not made.is_terminal:
        made = PrintableConsole(
            stderr=stderr, markup=False, emoji=False, highlight=False, width=PIPE_WIDTH, color_system=None
        )
    return made


MOST_OF_A_WORD = 1_000  # an argument of 70,000 letters fills no screen: what is wrong with it stands behind it


def failed(notes: Console, detail: str, code: int = 1) -> typer.Exit:
    """Prints the error; returns the exception that ends the command with that exit code."""
    words = (word if len(word) < MOST_OF_A_WORD else f"{word[:80]}…" for word in detail.split())
    notes.print(Text(" ".join(words), style="red"), soft_wrap=True)
    return typer.Exit(code)


async def the_user(opened_engine: Engine, handle: str | None) -> User:
    """The user with the handle; without a handle the only user. Raises NotFound, InvalidInput."""
    workspace = opened_engine.settings.workspace
    if handle is not None:
        if not handle.isprintable():  # bytes that are not UTF-8 arrive as lone surrogates
            raise InvalidInput("The user's handle holds characters that cannot be printed.")
        try:
            return await opened_engine.workspace.users.find(handle)
        except NotFound as error:
            raise unknown(handle, workspace) from error
    users = await opened_engine.workspace.users.list(limit=6)
    if len(users) == 1:
        return users[0]
    if not users:
        raise NotFound(f"There is no user in the workspace {workspace} yet: start with `neurigraph ingest PATH`.")
    names = ", ".join(user.handle for user in users[:5]) + (", …" if len(users) > 5 else "")
    raise InvalidInput(f"There are several users; name one with --user ({names}).")


def unknown(user: str, workspace: str) -> NotFound:
    """The error for a user that the workspace does not have."""
    return NotFound(f"There is no user {user} in the workspace {workspace}.")


def _first(group: BaseExceptionGroup[BaseException]) -> NeurigraphError | None:
    """The engine's own error in a group, if there is one."""
    for error in group.exceptions:
        found = _first(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, NeurigraphError):
            return found
    return None


def _surprise(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints an unexpected error without a traceback."""
    words = " ".join(str(error).split())[:300]
    detail = f"Unexpected error ({kind.__name__}: {words}); `neurigraph --debug …` shows where."
    failed(console(stderr=True), detail)
