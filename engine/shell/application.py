"""Puts the commands together. The module of a command is imported when the command is asked for, as all take a second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.shell import session

COMMANDS = {
    "engine.shell.demonstration.commands": "demo",
    "engine.shell.stack.commands": "up down status init prepare",
    "engine.shell.doctor.commands": "doctor mend",
    "engine.shell.content.commands": "provision ingest ask",
    "engine.shell.bulk.commands": "import export",
    "engine.shell.contexts.commands": "context decayed",
    "engine.shell.graph.commands": "tree timeline anchors",
    "engine.shell.streams.commands": "occasion",
    "engine.shell.files.commands": "sweep",
    "engine.shell.doors.commands": "serve mcp worker",
    "engine.shell.past.commands": "change history state diff upgrade",
    "engine.shell.records.commands": "assignments move-record",
    "engine.shell.facts.commands": "retract",
    "engine.shell.forgetting.commands": "forget",
    "engine.shell.backups.commands": "backup restore",
    "engine.lab.commands.measurements.commands": "bench eval",
    "engine.shell.analysts.commands": "cypher dictionary",
    "engine.shell.graph.users": "user",
    "engine.shell.nodes.nodes": "node",
    "engine.shell.nodes.edges": "edge",
    "engine.shell.entities.commands": "entity",
    "engine.shell.knowledge.relations": "relation",
    "engine.shell.knowledge.intentions": "intention",
    "engine.shell.knowledge.communities": "community",
    "engine.shell.knowledge.insights": "insight",
    "engine.shell.records.records": "record",
    "engine.shell.streams.conversations": "conversation",
    "engine.shell.files.files": "file",
    "engine.shell.ingests.sessions": "sessions",
    "engine.shell.ingests.failures": "failure",
    "engine.shell.ingests.replays": "replay",
    "engine.shell.files.documents": "document",
    "engine.shell.files.resources": "resource",
    "engine.shell.facts.facts": "fact",
    "engine.shell.facts.retractions": "retractions",
    "engine.shell.forgetting.forgettings": "forgettings",
    "engine.shell.forgetting.receipts": "receipt",
    "engine.shell.retention.retention": "retention",
    "engine.shell.retention.holds": "hold",
    "engine.shell.records.events": "event",
    "engine.shell.jobs.jobs": "job",
    "engine.shell.ingests.commits": "commits",
    "engine.shell.tokens.tokens": "token",
    "engine.shell.archives.archives": "archive",
    "engine.shell.analysts.roles": "sql-role",
    "engine.shell.tokens.integrations": "integration",
    "engine.shell.encryption.keys": "encryption-key",
    "engine.shell.grants.grants": "grant",
    "engine.shell.grants.access": "access",
    "engine.shell.nodes.proposals": "nodes",
    "engine.shell.embeddings.embeddings": "embeddings",
    "engine.lab.commands.audit.audits": "audit",
    "engine.shell.analysts.bloom": "bloom",
    "engine.shell.analysts.browser": "browser",
}
"""Where commands are made, and their names: those without a group, then the groups, in the order of --help."""
EXAMPLES = Path(__file__).with_name("examples.txt")
"""One for each command, without the word `neurigraph`."""
_LAB = find_spec("engine.lab") is not None
"""Whether what measures the engine is there: an installed package has none of it."""
_PLACES = {
    name: place
    for place, names in COMMANDS.items()
    if _LAB or not place.startswith("engine.lab.")
    for name in names.split()
}


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
    module, _, made = place.rpartition(".")
    commands = getattr(import_module(module), made)
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
