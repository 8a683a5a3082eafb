"""Prints what models did in an ingest: what they found, their cost, and the records that they could not read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer
from rich.text import Text

from engine.connectors import read_history
from engine.domain.context import ContextRequest
from engine.domain.extraction import ExtractionReport
from engine.domain.history import History, PassedOver
from engine.domain.ingest import Limits, Terms
from engine.domain.names import clean_name
from engine.domain.node import MAX_LAYER, NewNode
from engine.domain.read_limits import ReadLimits
from engine.domain.report import FORGOTTEN, STORED_ALREADY, IngestReport, Skipped
from engine.domain.scope import USERS, MemoryScope, Origin, SourceKind
from engine.domain.search import SearchRequest
from engine.errors import DepthExceeded, InvalidInput
from engine.progress import counted
from engine.shell.answers import open_best, print_answer, print_explanation, print_opening
from engine.shell.contexts import (
    Below,
    Categories,
    Entities,
    Kinds,
    Narrow,
    Nodes,
    Scopes,
    Since,
    Tags,
    Until,
    print_answered,
    print_rest,
)
from engine.shell.nodes import arranged
from engine.shell.options import (
    Again,
    AsOf,
    Expires,
    Handle,
    KnownAt,
    MaxMs,
    Milliseconds,
    ModelCalls,
    Partial,
    Tokens,
    expiry,
    moment_of,
    path_named,
    scope_named,
    source_named,
)
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Commands, Session, the_user
from engine.shell.tokens import names_in
from engine.shell.waiting import waiting

if TYPE_CHECKING:
    from engine.memory import Memory

MOST_FAILURES = 10

MOST_SKIPPED = 10
"""Reasons that are printed; the rest is counted."""
_BY_RULES = "by rules, without the model"
_INSTEAD = {"placements": _BY_RULES, "verdicts": _BY_RULES, "pairs": "left to the user"}
"""What is done instead of what a limit left out; a job makes up for the rest."""

commands = Commands()


def extraction_lines(report: ExtractionReport) -> Iterator[Text]:
    """A line for what was found, one for the cost, and one for each record that could not be read."""
    if not report.model:
        return
    found = (
        (report.facts, "fact", "facts"),
        (report.observations, "observation", "observations"),
        (report.summaries, "window summary", "window summaries"),
        (report.whole, "record kept as one fact", "records kept as one fact"),
    )
    counts = ", ".join(counted(number, unit, units) for number, unit, units in found if number)
    yield Text(f"read by {report.model}: {counts or 'nothing found'}", style="dim")
    cost = "" if report.cost is None else f", cost {report.cost:,.4f}"
    calls = f"{counted(report.calls, 'call')}, {counted(report.cached, 'kept answer')}"
    tokens = f"{counted(report.input_tokens, 'token')} in, {report.output_tokens:,} out"
    yield Text(f"{calls}, {tokens}{cost}", style="dim")
    for failure in report.failures[:MOST_FAILURES]:
        yield Text(f"not read: {failure.title}: {failure.reason}", style="yellow")
    if len(report.failures) > MOST_FAILURES:
        yield Text(f"not read: {len(report.failures) - MOST_FAILURES:,} more (--json lists them)", style="yellow")


@commands.async_command("provision", as_json=True)
async def provision(
    here: Session,
    user: Annotated[str, typer.Argument(metavar="USER", help="The user's handle; created if unknown.")],
    path: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="From the root down: Family/Siblings/Ellen, or each name by itself."),
    ],
    node_type: Annotated[Literal["concept", "persona"], typer.Option("--type")] = "concept",
    keywords: Annotated[str, typer.Option("--keywords", metavar="A,B", help="Keywords of the node.")] = "",
) -> None:
    """Make the node at a path, in all stores, with missing nodes above it. If one cannot be made, none is."""
    words = tuple(word.strip() for word in keywords.split(",") if word.strip())
    names = [clean_name(name) for part in path for name in names_in(part) or [part]]  # checked before a user is created
    if len(names) > MAX_LAYER:
        raise DepthExceeded(f"{names[-1]!r} would lie below layer {MAX_LAYER}; none of the path was made.")
    async with here.operations() as (engine, _):
        owner = (await engine.workspace.users.create(user)).user_id
        memory = engine.memory(owner)
        above = [NewNode(owner, name) for name in names[:-1]]
        node = await memory.nodes.provision_whole([*above, NewNode(owner, names[-1], node_type, "", words)])
        shell = await memory.nodes.shell(node.node_id)
    if here.as_json:
        return print_json(here.out, plain(node) | {"path": list(shell.path), "user_id": str(owner)})
    state = "made" if node.created else "was there already"
    here.line(f"{' > '.join(shell.path)}: {state}, layer {node.layer}, {node.node_type}")
    here.line(f"node {node.node_id}, schema {node.schema_name}", style="dim")


@dataclass(frozen=True, slots=True)
class IngestedHistory:
    """The ingest report of one history, with the user's handle."""

    user: str
    report: IngestReport
    passed_over: tuple[PassedOver, ...] = ()


@commands.async_command("ingest", as_json=True)
async def ingest(
    here: Session,
    path: Annotated[
        Path, typer.Argument(parser=path_named, metavar="PATH", help="A chat history (.json), a text or a folder.")
    ],
    user: Handle = None,
    scope: Annotated[
        MemoryScope | None,
        typer.Option("--scope", parser=scope_named, metavar="SCOPE", help="thread:ID or workflow:ID."),
    ] = None,
    source: Annotated[SourceKind, typer.Option("--source", help="How it came in.")] = "ingested",
    nodes: Annotated[
        str, typer.Option(metavar="auto|show|no", help="If there are no nodes: make the proposed ones, or show them.")
    ] = "show",
    private: Annotated[bool, typer.Option("--private", help="Only for the user; no grant opens it.")] = False,
    milliseconds: Milliseconds = None,
    tokens: Tokens = None,
    model_calls: ModelCalls = None,
    again: Again = False,
    expires: Expires = None,
) -> None:
    """Store a chat history or texts. Sources stored before are skipped; work beyond a limit is done later."""
    if nodes not in ("auto", "show", "no"):
        raise typer.BadParameter("auto, show or no", param_hint="--nodes")
    terms = Terms(limits=Limits(milliseconds, tokens, model_calls), again=again, expires_at=expiry(expires))
    origin = Origin(scope or USERS, source)
    with here.progress() as progress:  # a history that cannot be read starts no servers
        limit = here.settings.max_text_bytes
        histories = await read_history(path, handle=user, max_text_bytes=limit, progress=progress)
    ingested: list[IngestedHistory] = []
    async with here.engine() as (engine, progress):
        for history in histories:
            try:
                taken = history.private() if private else history
                with engine.spending(terms.limits):  # the proposal and the ingest together
                    if nodes != "no":
                        taken = await arranged(here, engine, taken, origin, make=nodes == "auto")
                    report = await engine.ingest(taken, progress, origin, terms)
                ingested.append(IngestedHistory(history.handle, report, history.passed_over))
            except asyncio.CancelledError:
                stored = f"Turns and files stored until now: {progress.done('ingest'):,.0f}"
                here.notes.print(f"Stopped. {stored}; the same command goes on from there.", soft_wrap=True)
                raise
            if not here.as_json:
                print_report(here, history, ingested[-1].report)
    if here.as_json:
        print_json(here.out, {"histories": ingested})
    if any(one.passed_over or any(skip.cause for skip in one.report.skipped) for one in ingested):
        raise typer.Exit(1)


def print_report(here: Session, history: History, report: IngestReport) -> None:
    """Prints what an ingest did, in a few lines."""
    sources = len(history.conversations) + len(history.files)
    name = f"{history.display_name} ({history.handle})"
    _print_passed_over(here, history)
    if not report.records and len(report.skipped) == sources and all(_is_stored(skip) for skip in report.skipped):
        here.line(f"{name}: everything is stored; nothing was left to store.")
        return
    nodes = {record.path for record in report.records}
    counts = ((report.turns, "turn"), (report.files, "file"), (len(report.records), "record"), (report.items, "item"))
    stored = ", ".join(counted(number, unit) for number, unit in counts)
    here.line(f"{name}: {stored}, at {counted(len(nodes), 'node')}")
    new = f"{counted(report.nodes_created, 'node')}, {counted(report.edges_created, 'edge')}"
    here.out.print(Text(f"new: {new}", style="dim"))
    for line in extraction_lines(report.extraction):
        here.line(line)
    changed = [one for one in report.documents if one.version > 1]
    if changed:
        kept, added, gone = (sum(getattr(one, name) for one in changed) for name in ("kept", "added", "superseded"))
        chunks = f"chunks: {kept:,} kept, {added:,} new, {gone:,} superseded"
        here.out.print(Text(f"new versions: {counted(len(changed), 'document')}; {chunks}", style="dim"))
    if report.redacted:
        redacted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(report.redacted.items()))
        here.out.print(Text(f"redacted: {redacted}", style="dim"))
    for left in report.left_out:
        when = _INSTEAD.get(left.what, "later, by a job")
        postponed = f"{when}: {left.what} of {counted(left.items, 'item')}. {left.reason}"
        here.line(postponed, style="yellow")
    if report.readings_pending:
        pending = counted(report.readings_pending, "record")
        postponed = f"later: the model reads {pending}, by the job pending-readings"
        here.line(postponed, style="yellow")
    _print_skipped(here, report)


def _print_skipped(here: Session, report: IngestReport) -> None:
    known = sum(_is_stored(skip) for skip in report.skipped)
    if known:
        skipped = counted(known, "conversation or file", "conversations or files")
        here.out.print(Text(f"skipped: {skipped} stored already", style="dim"))
    if report.forgotten:
        skipped = counted(report.forgotten, "conversation or file", "conversations or files")
        here.line(f"skipped: {skipped} forgotten; --again stores them anew", style="yellow")
    others = [skip for skip in report.skipped if not _is_stored(skip) and skip.reason != FORGOTTEN]
    for skip in others[:MOST_SKIPPED]:
        here.line(f"skipped: {skip.source_id}: {skip.reason}", style="yellow")
    if len(others) > MOST_SKIPPED:
        here.out.print(Text(f"skipped: {len(others) - MOST_SKIPPED:,} more (--json lists them)", style="yellow"))


def _print_passed_over(here: Session, history: History) -> None:
    for one in history.passed_over[:MOST_SKIPPED]:
        here.line(f"passed over: {one.path}: {one.reason}", style="yellow")
    if (more := len(history.passed_over) - MOST_SKIPPED) > 0:
        here.out.print(Text(f"passed over: {more:,} more files (--json lists them)", style="yellow"))


def _is_stored(skipped: Skipped) -> bool:
    return skipped.reason == STORED_ALREADY


@commands.async_command("ask", as_json=True)
async def ask(
    here: Session,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know, in quotes.")],
    user: Handle = None,
    open_file: Annotated[bool, typer.Option("--open", help="Open the one file that the answer identifies.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Hits.")] = 5,
    scope: Scopes = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", parser=source_named, metavar="SOURCE", help="Only what came in this way."),
    ] = None,
    node: Nodes = None,
    below: Below = None,
    kind: Kinds = None,
    category: Categories = None,
    tag: Tags = None,
    entity: Entities = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    cursor: Annotated[
        str | None, typer.Option("--cursor", help="Of the next page, as the one before printed it.")
    ] = None,
    max_ms: MaxMs = None,
    model_calls: ModelCalls = None,
    partial: Partial = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say how the answer was made, and each score.")] = False,
    recall: Annotated[
        bool, typer.Option("--recall", help="Also how much an exact search finds beside one by indexes.")
    ] = False,
    answered: Annotated[bool, typer.Option("--answer", help="Have the language model answer, with citations.")] = False,
) -> None:
    """Search a memory: anchors, hits and their reasons; or its answer."""
    sources = cast(tuple[SourceKind, ...], tuple(source)) if source else None
    moment = moment_of(as_of, known_at)
    narrow = Narrow(node, below, kind, category, tag, entity, since, until)
    if not question.strip():
        raise InvalidInput("The question is empty.")
    forbidden = {"--open": open_file, "--cursor": cursor, "--explain": explain, "--recall": recall}
    for option, given in forbidden.items():
        if answered and given:
            raise typer.BadParameter(f"not together with {option}", param_hint="--answer")
    limits = ReadLimits(max_ms, partial=partial)
    terms = Terms(limits=Limits(model_calls=model_calls))
    async with here.engine() if open_file else here.operations() as (engine, _):  # a file is read here
        memory = engine.memory((await the_user(engine, user)).user_id).on_terms(terms)
        request = SearchRequest(
            question,
            limit,
            moment=moment,
            scopes=tuple(scope or ()),
            sources=sources,
            **await narrow.read(memory),
            cursor=cursor,
            explain=explain,
            recall=recall,
            relations=True,
        )
        if answered:
            return await _answered(here, memory, request, limits)
        async with waiting(here):
            answer = await memory.search(request, limits)
        if not here.as_json:
            print_answer(here.out, answer, most_hits=limit)  # printed even if opening the file fails
            print_explanation(here, answer)
        opening = await open_best(memory, engine.embedder, answer) if open_file else None
    if here.as_json:
        return print_json(here.out, plain(answer) | ({"opened": opening} if open_file else {}))
    if answer.next_cursor is not None:
        here.notes.print(Text(f"There are more: --cursor {answer.next_cursor}", style="dim"), soft_wrap=True)
    if opening is not None:
        print_opening(here.out, opening)
    elif open_file:
        here.out.print("No hit has a file.")


async def _answered(here: Session, memory: Memory, asked: SearchRequest, limits: ReadLimits) -> None:
    """Prints the language model's answer to the question of a search."""
    shared = ("nodes", "moment", "scopes", "sources", "kinds", "filters")
    where = {name: getattr(asked, name) for name in shared}
    request = ContextRequest(asked.query, **where, max_ms=limits.max_ms, partial=limits.partial)
    async with waiting(here):
        given = await memory.answer(request)
    if here.as_json:
        return print_json(here.out, given)
    print_answered(here.out, given)
    print_rest(here.notes, given.context)
