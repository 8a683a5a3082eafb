"""Puts the commands together. The module of a command is imported when the command is asked for, as all take a second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.shell import session

COMMANDS = {
    "demonstration.commands": "demo",
    "stack.commands": "up down status init prepare",
    "doctor.commands": "doctor mend",
    "content.commands": "provision ingest ask",
    "bulk.commands": "import export",
    "contexts.commands": "context",
    "decayed.commands": "decayed",
    "graph.commands": "tree timeline anchors",
    "streams.commands": "occasion",
    "files.commands": "sweep",
    "doors.commands": "serve mcp worker",
    "past.commands": "change history state diff upgrade",
    "placement.commands": "assignments move-record",
    "retractions.commands": "retract",
    "backups.commands": "backup restore",
    "measurements.commands": "bench eval",
    "cypher.commands": "cypher",
    "dictionary.commands": "dictionary",
    "graph.users": "user",
    "one_node.nodes": "node",
    "edges.edges": "edge",
    "aliases.commands": "entity",
    "relations.relations": "relation",
    "intentions.intentions": "intention",
    "communities.communities": "community",
    "communities.insights": "insight",
    "records.records": "record",
    "streams.conversations": "conversation",
    "files.files": "file",
    "ingests.sessions": "sessions",
    "ingests.failures": "failure",
    "replays.replays": "replay",
    "documents.documents": "document",
    "documents.resources": "resource",
    "facts.facts": "fact",
    "retractions.retractions": "retractions",
    "diary.events": "event",
    "jobs.jobs": "job",
    "commits.commits": "commits",
    "tokens.tokens": "token",
    "sql_roles.roles": "sql-role",
    "tokens.integrations": "integration",
    "grants.grants": "grant",
    "grants.access": "access",
    "hierarchy.nodes": "nodes",
    "embeddings.embeddings": "embeddings",
    "audit.audits": "audit",
    "exploring.bloom": "bloom",
    "exploring.browser": "browser",
}
"""Where commands are made, and their names: those without a group, then the groups, in the order of --help."""
EXAMPLES = Path(__file__).with_name("examples.txt")
"""One for each command, without the word `neurigraph`."""
_PLACES = {name: place for place, names in COMMANDS.items() for name in names.split()}


class _Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return _command(_PLACES[name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


@cache
def _command(place: str, name: str) -> Any:
    module, made = place.split(".")
    commands = getattr(import_module(f"engine.shell.{module}"), made)
    group = typer.main.get_group(commands)
    found = group if commands.info.name else group.commands[name]
    _show_examples(name, found)
    return found


def _show_examples(name: str, command: Any) -> None:
    """Ends the help of a command, or of each of a group, with its example."""
    for inner, one in getattr(command, "commands", {}).items():
        _show_examples(f"{name} {inner}", one)
    if not hasattr(command, "commands"):
        command.epilog = f"Example: neurigraph {_examples()[name]}"


@cache
def _examples() -> dict[str, str]:
    """The examples by the name of their command."""
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return {name: line for line in lines for name in accumulate(line.split(), "{} {}".format)}


def command() -> Any:
    """The command `neurigraph`, to be called: all commands with the options that go before them."""
    app = typer.Typer(
        name="neurigraph",
        help="Long-term memory for assistants and the people behind them.",
        epilog="Start with `neurigraph demo`. Settings are read from NEURIGRAPH_… variables or a .env file.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_begin)
    made = typer.main.get_command(app)
    made.commands = _Commands()  # type: ignore[attr-defined]
    return made


def _begin(
    context: typer.Context,
    home: Annotated[Path | None, typer.Option("--home", help="Data of the servers and files.")] = None,
    cache: Annotated[Path | None, typer.Option("--cache", help="Fetched jars and encoders.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show logs and where an error comes from.")] = False,
) -> None:
    context.obj = session.opened(home, cache, debug)
