"""What is done where a reader may not read changes no answer that this reader gets: the same reads before and after.

    a memory of its own, a granted node and a hidden one → every read of each reader → a hidden change → the same reads

The reads are those that operations declare for others than the user; `HIDDEN` are the changes, all of them `org`.
"""

from __future__ import annotations

import inspect
import itertools
from asyncio import Semaphore, gather, sleep
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.domain.clock import NOW, Moment
from engine.domain.context import Context, ContextRequest
from engine.domain.file_state import FileStatus
from engine.domain.search import DecayRequest, SearchAnswer, SearchRequest
from engine.errors import NotFound, StoreUnavailable
from engine.lab.leaks.hidden import BEGAN, HIDDEN, Ground, prepared
from engine.operations.caller import owner
from engine.operations.declaring import OPERATIONS
from engine.progress import Progress, Silent, counted

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.neurigraph import Engine

MOMENTS = (NOW, Moment(as_of=datetime(2024, 1, 1, tzinfo=UTC)))
QUESTIONS = ("Where does Ellen live and work?", "What does Ellen drink, and who is her sister?")
WORKSPACE = frozenset({"embeddings", "integrations", "jobs", "tokens", "users", "workspace"})
"""Subjects that hold nothing of a memory."""
NOT_ASKED = {
    "files.open": "`files.read` opens it",
    "files.wake": "answers a state, which is asked",
    "nodes.touch": "answers nothing",
    "searching.answer": "made of the context, by a language model",
}
VOLATILE: Mapping[type, frozenset[str]] = {
    SearchAnswer: frozenset({"timings_ms", "known_at"}),
    Context: frozenset({"timings_ms", "known_at"}),
    FileStatus: frozenset({"due_at"}),
}
"""Fields of answers that differ from call to call: when it was asked, how long it took, when a file that was asked for sleeps."""
AT_ONCE, PAUSES = 6, (1.0, 5.0, 30.0)
Call = Callable[["Memory"], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Interference:
    """A read whose answer a hidden change changed: who read what, after which change."""

    reader: str
    read: str
    change: str


async def interferences(
    engine: Engine, changes: Sequence[str] = tuple(HIDDEN), *, at_once: int = 1, progress: Progress | None = None
) -> list[Interference]:
    """The reads that hidden changes change, which are made so many `at_once`; none where readers are told nothing."""
    progress = progress or Silent()
    progress.start("hidden changes", len(changes), "changes")
    ground = await prepared(engine)
    reads = await _reads(ground)
    for reader in ground.readers.values():  # files that were opened tell that they are awake
        await _answers(reader, reads)
    found: list[Interference] = []
    before = {name: await _answers(reader, reads) for name, reader in ground.readers.items()}
    for first in range(0, len(changes), at_once):
        made = changes[first : first + at_once]
        for change in made:
            await HIDDEN[change](ground)
        for name, reader in ground.readers.items():
            after = await _answers(reader, reads)
            told = ", ".join(made)
            found += [Interference(name, read, told) for read in reads if after[read] != before[name][read]]
            before[name] = after
        progress.advance("hidden changes", len(made))
    asked = len(reads) * len(ground.readers)
    progress.finish("hidden changes", f"{counted(asked, 'read')} after each, {counted(len(found), 'difference')}")
    return found


# reads ---------------------------------------------------------------------------------------------------


def reads_of_others() -> set[str]:
    """The reads that others than the user may call."""
    return {
        name
        for name, one in OPERATIONS.items()
        if not one.writes and one.audience is not owner and name.partition(".")[0] not in WORKSPACE
    }


async def _reads(ground: Ground) -> dict[str, Call]:
    """What is read, by its name: each declared read with each value there is of what it has to be given."""
    values = await _values(ground)
    calls: dict[str, Call] = {}
    for name in sorted(reads_of_others() - NOT_ASKED.keys()):
        for number, arguments in enumerate(_given(name, OPERATIONS[name].signature, values)):
            calls[f"{name} {number}: {_short(arguments)}"] = partial(_call, name, arguments)
    return calls


async def _values(ground: Ground) -> dict[str, Sequence[Any]]:
    """Values of arguments, by their names; those of a read alone by its own name too."""
    mine, entities = ground.owner, [await ground.entity(name) for name in ("ellen", "nora")]
    records = [one.record_id for one in (await mine.nodes.metadata(ground.shared)).records]
    files = [one.file_id for one in (await mine.nodes.metadata(ground.shared)).records if one.file_id]
    relations = [one.relation_id for one in await mine.entities.relations(entities[0])]
    asked = [*QUESTIONS, "Where do Aunt Nell and Odette live?"]
    return {
        "moment": MOMENTS,
        "ended": (False, True),
        "everything": (True,),
        "node_id": (ground.shared,),
        "entity_id": entities,
        "entity_ids": (entities,),
        "relation_id": relations,
        "document_id": records,
        "conversation_id": ("none",),
        "file_id": files,
        "name": ("Shared", "Ellen", "Aunt Nell"),
        "kind, subject_id": [*(("item", one) for one in ground.facts), *(("record", one) for one in records)],
        "entities.list name": ("", "ellen", "nell"),
        "history.difference start": (BEGAN,),
        "history.difference end": (datetime(2100, 1, 1, tzinfo=UTC),),
        "searching.search request": [
            SearchRequest(text, widen="always", moment=moment, relations=True) for text in asked for moment in MOMENTS
        ],
        "searching.search_decayed request": [DecayRequest(text, moment=moment) for text in asked for moment in MOMENTS],
        "searching.context request": [
            ContextRequest(text, tokens=600, moment=moment) for text in asked for moment in MOMENTS
        ],
    }


def _given(name: str, signature: inspect.Signature, values: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Arguments of a read: of all that it must be given, and of what changes what it shows. Raises KeyError."""
    wanted = [one for one in signature.parameters.values() if one.name != "self"]
    names = [one.name for one in wanted if one.default is one.empty or one.name in ("moment", "ended", "everything")]
    if "name" in signature.parameters and "name" not in names:
        names.append("name")
    pairs = "subject_id" in names
    if pairs:
        names = [one for one in names if one not in ("kind", "subject_id")]
    chosen = [values.get(f"{name} {one}", values.get(one)) for one in names]
    if None in chosen:
        raise KeyError(f"{name}: no value for {names[chosen.index(None)]}")
    for given in itertools.product(*chosen):  # type: ignore[arg-type]
        arguments = dict(zip(names, given, strict=True))
        yield from _of_subjects(arguments, values) if pairs else (arguments,)


def _of_subjects(arguments: dict[str, Any], values: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for kind, subject in values["kind, subject_id"]:
        yield arguments | {"kind": kind, "subject_id": subject, "node_id": values["node_id"][0]}


async def _call(name: str, arguments: Mapping[str, Any], memory: Memory) -> object:
    subject, _, method = name.partition(".")
    if subject == "searching":
        return await getattr(memory, method)(arguments["request"])
    return await getattr(getattr(memory, subject), method)(**arguments)


async def _answers(memory: Memory, reads: Mapping[str, Call]) -> dict[str, str]:
    at_once = Semaphore(AT_ONCE)

    async def answer(read: Call) -> str:
        async with at_once:
            return await _answer(memory, read)

    return dict(zip(reads, await gather(*map(answer, reads.values())), strict=True))


async def _answer(memory: Memory, read: Call) -> str:
    for pause in PAUSES:
        try:
            return repr(_plain(await read(memory)))
        except NotFound:
            return "not found"
        except StoreUnavailable:  # a store that is busy says nothing of rights
            await sleep(pause)
    return repr(_plain(await read(memory)))


def _plain(answer: object) -> object:
    """An answer without what differs from call to call."""
    if is_dataclass(answer):
        left_out = VOLATILE.get(type(answer), frozenset())
        return {one.name: _plain(getattr(answer, one.name)) for one in fields(answer) if one.name not in left_out}
    if isinstance(answer, Mapping):
        return {name: _plain(value) for name, value in answer.items()}
    return [_plain(one) for one in answer] if isinstance(answer, list | tuple) else answer


def _short(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items())[:200]
