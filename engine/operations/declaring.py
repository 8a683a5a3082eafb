"""How an operation is declared: who may call it, where a refusal is noted, what is redacted, whether a repeat is recognised,
whether it may call models.

    class Events(OfGraph, name="events"):
        @writes(owner, redacts={"new": redactions.event}, at="new.node_id", refusal="event", once=True)
        async def write(self, new: NewEvent) -> Event: ...

REST, shell and Python call the operation, so this is decided in one place for all of them. A class with a public method that is
not declared cannot be defined, nor one with a write that does not say how each of its texts is redacted. A call of a model in an
operation that does not declare it is an error.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial, wraps
from types import UnionType
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from engine.errors import NotFound
from engine.operations.caller import Caller
from engine.operations.keeper import Keeper
from engine.privacy.redact import Redactor
from engine.progress import Progress
from engine.providers.calls import spending, spending_nothing
from engine.turns import computed

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")
S = TypeVar("S", bound="Subject[Any]")
Method = Callable[Concatenate[S, P], Coroutine[Any, Any, R]]

Audience = Callable[[Any], Awaitable[bool]]
"""Whether the caller may call the operation; anyone else gets NotFound. The databases decide what it then sees."""
Redaction = Callable[[Any, Redactor, "Counter[str] | None"], Any] | None
"""The argument without personal data; what was replaced is counted. None: see `redactions`."""
_NO_TEXT = (UUID, int, float, bool, datetime, timedelta, type(None), Progress)


@dataclass(frozen=True)
class Operation:
    """A declared operation. `at`: the argument with its node, as in `new.node_id`, or another one where that is None; `refusal`:
    its name in the access log; `spends`: it may call models, within the limits of the caller."""

    name: str
    function: Callable[..., Any]
    audience: Audience
    writes: bool = False
    redacts: Mapping[str, Redaction] = field(default_factory=dict)
    at: str = ""
    refusal: str = ""
    once: bool = False
    limited: bool = False
    spends: bool = False

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @cached_property
    def answers(self) -> TypeAdapter[Any]:
        """Its answers to and from JSON."""
        return TypeAdapter(get_type_hints(self.function)["return"])

    def given(self, *args: Any, **named: Any) -> inspect.BoundArguments:
        """The arguments, with those that were left out."""
        bound = self.signature.bind(*args, **named)
        bound.apply_defaults()
        return bound

    @asynccontextmanager
    async def around(self, caller: Any, given: MutableMapping[str, Any]) -> AsyncIterator[None]:
        """Inside, the caller may call it, and its arguments are redacted. Raises NotFound, InvalidName."""
        node = self._node(given) if self.at else None
        with spending(caller.terms.limits) if self.spends else spending_nothing(self.name):
            async with caller.around(self.refusal, node, limited=self.limited):
                if not await self.audience(caller):
                    raise NotFound
                for name, redact in self.redacts.items():
                    if redact is not None:
                        given[name] = await _redacted(redact, given[name], caller)
                yield

    def _node(self, given: Mapping[str, Any]) -> Any:
        """The first of the named arguments that is there."""
        for place in self.at.split(" or "):
            argument, *names = place.split(".")
            value = given[argument]
            for name in names:
                value = getattr(value, name)
            if value is not None:
                return value
        return None

    async def called(self, *args: Any, **named: Any) -> Any:
        """Its answer; the kept one where the request is a repeat."""
        given = self.given(*args, **named)
        caller = given.arguments["self"].caller
        async with self.around(caller, given.arguments):
            if not self.once or caller.key is None:
                answer = await self.function(*given.args, **given.kwargs)
                if answer == () and not self.writes:
                    await caller.require_known()
                return answer

            async def kept() -> dict[str, Any]:
                answer = await self.function(*given.args, **given.kwargs)
                return {"value": self.answers.dump_python(answer, mode="json")}

            answered = await caller.once(await computed(self._fingerprint, caller, given.arguments), kept)
            return self.answers.validate_python(answered["value"])

    def _fingerprint(self, caller: Any, given: Mapping[str, Any]) -> bytes:
        """What a repeat must have in common with the first request. Its hash is stored, so texts with personal data are
        replaced by keyed hashes: others could be reversed by guessing, and markers alone would make two requests one."""
        named = {name: value for name, value in given.items() if name not in ("self", "progress")}
        said = [caller.terms.expires_at] if caller.terms.expires_at else []
        plain = to_jsonable_python([self.name, caller.origin, named, *said], fallback=repr)
        return json.dumps(caller.redactor.value(plain, caller.redactor.identifier), sort_keys=True).encode()

    def check(self) -> None:
        """Raises TypeError for a write with a text of which nothing says how it is redacted, and for unknown names."""
        hints = get_type_hints(self.function)
        parameters = list(self.signature.parameters)[1:]
        at = {place.split(".")[0] for place in self.at.split(" or ") if place}
        unknown = ({*self.redacts} | at) - {*parameters}
        forgotten = [name for name in parameters if _may_hold_text(hints[name]) and name not in self.redacts]
        if unknown:
            raise TypeError(f"{self.name} has no parameter {', '.join(sorted(unknown))}.")
        if self.writes and forgotten:
            raise TypeError(f"{self.name} does not say how {', '.join(forgotten)} is redacted.")


async def _redacted(redact: Callable[..., Any], value: Any, caller: Any) -> Any:
    """In a thread where something is looked for: a long text takes long, and others go on meanwhile."""
    if not caller.redactor:
        return redact(value, caller.redactor, caller.counts)
    return await computed(redact, value, caller.redactor, caller.counts)


def _may_hold_text(hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return False
    if get_origin(hint) in (Union, UnionType) or get_args(hint):
        return any(_may_hold_text(part) for part in get_args(hint) if part is not ...)
    return hint not in _NO_TEXT


OPERATIONS: dict[str, Operation] = {}
"""Every operation by its name, as in `events.write`."""


class Subject(Generic[C]):
    """The operations on one subject, for one caller."""

    def __init__(self, caller: C) -> None:
        self.caller = caller

    def __init_subclass__(cls, name: str, **others: Any) -> None:
        """Raises TypeError for a public method without a declaration."""
        super().__init_subclass__(**others)
        for member, value in vars(cls).items():
            if member.startswith("_"):
                continue
            declared = getattr(value, "declared", None)
            if declared is None:
                raise TypeError(f"{name}.{member} is not declared as an operation.")
            operation = Operation(f"{name}.{member}", **declared)
            operation.check()
            OPERATIONS[operation.name] = value.operation = operation


class OfGraph(Subject[Caller], name="graph"):
    """Operations on a graph."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self._principal = caller.principal


class OfWorkspace(Subject[Keeper], name="workspace"):
    """Operations on the workspace."""

    def __init__(self, caller: Keeper) -> None:
        super().__init__(caller)
        self._services, self._identity = caller.services, caller.identity


def reads(
    audience: Audience, *, at: str = "", refusal: str = "", limited: bool = True, spends: bool = False
) -> Callable[[Method[S, P, R]], Method[S, P, R]]:
    """Declares a read. All its calls to the stores share the timeout of one, where it is `limited`; an empty page of a graph
    that does not exist is NotFound."""
    return partial(_declared, audience=audience, at=at, refusal=refusal, limited=limited, spends=spends)


def writes(
    audience: Audience, *, redacts: Mapping[str, Redaction] | None = None, at: str = "", refusal: str = "",
    once: bool = False, spends: bool = False,
) -> Callable[[Method[S, P, R]], Method[S, P, R]]:  # fmt: skip
    """Declares a write. `redacts`: for each argument with texts how it is redacted before anything else happens; `once`: a
    repeat with the caller's idempotency key gets the first answer; `spends`: it may call models."""
    settings = {"at": at, "refusal": refusal, "redacts": redacts or {}, "once": once, "spends": spends}
    return partial(_declared, audience=audience, writes=True, **settings)


def opens(
    audience: Audience, *, at: str, refusal: str
) -> Callable[
    [Callable[Concatenate[S, P], AsyncIterator[R]]], Callable[Concatenate[S, P], AbstractAsyncContextManager[R]]
]:
    """Declares a read that stays open. An error of the block inside is not a refusal."""

    def declared(function: Callable[..., AsyncIterator[R]]) -> Any:
        opening = asynccontextmanager(function)

        @wraps(function)
        @asynccontextmanager
        async def call(*args: Any, **named: Any) -> AsyncIterator[R]:
            operation: Operation = call.operation  # type: ignore[attr-defined]
            given = operation.given(*args, **named)
            async with AsyncExitStack() as stack:
                async with operation.around(given.arguments["self"].caller, given.arguments):
                    opened = await stack.enter_async_context(opening(*given.args, **given.kwargs))
                yield opened

        call.declared = {"function": function, "audience": audience, "at": at, "refusal": refusal}  # type: ignore[attr-defined]
        return call

    return declared


def _declared(function: Any, **settings: Any) -> Any:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        operation: Operation = call.operation  # type: ignore[attr-defined]
        return operation.called(*args, **named)

    call.declared = {"function": function, **settings}  # type: ignore[attr-defined]
    return call
