"""What operations use of the engine, by class: a subject of operations names its own parts.

class Events(OfGraph, name="events"):
    _log = Part(EventLog)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from engine.domain.clock import Clock
from engine.privacy.redact import Redactor

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parts:
    """One object of each class, put together in `engine.wiring`: `parts[EventLog]`. `limit`: seconds that a
    read may take in all."""

    clock: Clock
    redactor: Redactor
    limit: float
    max_text_bytes: int
    by_class: Mapping[type, Any]

    def __getitem__(self, kind: type[T]) -> T:
        """Raises KeyError for a class of which nothing was put together: an error in the wiring."""
        made: T = self.by_class[kind]
        return made

    def replaced(self, *made: object) -> Parts:
        """The same with these in place of the others of their classes."""
        return replace(self, by_class={**self.by_class, **{type(one): one for one in made}})


class Part(Generic[T]):
    """An attribute of a subject of operations: the object of this class."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind

    def __get__(self, subject: Any, _: object = None) -> T:
        parts: Parts = subject.caller.parts
        return parts[self._kind]
