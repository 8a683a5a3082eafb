"""Puts the commands together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.shell import (
    aliases,
    audit,
    backups,
    bulk,
    commits,
    communities,
    content,
    contexts,
    cypher,
    decayed,
    demonstration,
    diary,
    dictionary,
    doctor,
    documents,
    doors,
    edges,
    embeddings,
    exploring,
    facts,
    files,
    grants,
    graph,
    hierarchy,
    ingests,
    intentions,
    jobs,
    measurements,
    one_node,
    past,
    placement,
    records,
    relations,
    replays,
    retractions,
    session,
    sql_roles,
    stack,
    streams,
    tokens,
)

_COMMANDS = (
    demonstration.commands, stack.commands, doctor.commands, content.commands, bulk.commands, contexts.commands, decayed.commands,
    graph.commands, streams.commands, files.commands, doors.commands, past.commands, placement.commands, retractions.commands,
    backups.commands,
    measurements.commands, cypher.commands, dictionary.commands,
    graph.users, one_node.nodes, edges.edges, aliases.commands, relations.relations, intentions.intentions,
    communities.communities, communities.insights,
    records.records, streams.conversations, files.files,
    ingests.sessions, ingests.failures, replays.replays, documents.documents, documents.resources, facts.facts,
    retractions.retractions, diary.events,
    jobs.jobs,
    commits.commits, tokens.tokens, sql_roles.roles, tokens.integrations, grants.grants, grants.access, hierarchy.nodes,
    embeddings.embeddings, audit.audits, exploring.bloom, exploring.browser,
)  # fmt: skip
"""Commands without a group, then the groups, in the order of --help."""


def application() -> typer.Typer:
    """All commands with the options that go before them."""
    app = typer.Typer(
        name="neurigraph",
        help="Long-term memory for assistants and the people behind them.",
        epilog="Start with `neurigraph demo`. Settings are read from NEURIGRAPH_… variables or a .env file.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_begin)
    for group in _COMMANDS:
        app.add_typer(group)
    return app


def _begin(
    context: typer.Context,
    home: Annotated[Path | None, typer.Option("--home", help="Data of the servers and files.")] = None,
    cache: Annotated[Path | None, typer.Option("--cache", help="Fetched jars and encoders.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show logs and where an error comes from.")] = False,
) -> None:
    context.obj = session.opened(home, cache, debug)


def command() -> Callable[[], Any]:
    """The command `neurigraph`, to be called."""
    return typer.main.get_command(application())
