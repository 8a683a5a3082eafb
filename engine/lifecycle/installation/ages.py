"""The comparison of marks: which stores do not belong to Postgres, and which of them are older than the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.lifecycle.installation.marks import Mark

POSTGRES = "Postgres"
REMEDY = "Restore the stores from one backup, or run `neurigraph mend`."


@dataclass(frozen=True, slots=True)
class Standing:
    """The marks in Postgres: the mark that all stores have, and the one that they get next. `users`: whether it holds any."""

    installation_id: UUID
    generation: int
    mark_id: UUID
    next_generation: int
    next_mark_id: UUID
    marked_at: datetime
    stopped_because: str | None
    users: bool

    @property
    def next(self) -> tuple[int, UUID]:
        """The newest mark that Postgres knows of."""
        return self.next_generation, self.next_mark_id

    @property
    def known(self) -> set[tuple[int, UUID]]:
        """The marks that a store may carry: an advance that was cut off leaves either."""
        return {(self.generation, self.mark_id), self.next}


@dataclass(frozen=True, slots=True)
class Aged:
    """A store that is older than the others, in words."""

    store: str
    problem: str

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        return f"{self.store[0].upper()}{self.store[1:]} {self.problem}."


def aged(standing: Standing, marks: Mapping[str, Mark]) -> list[Aged]:
    """The stores that are older than the newest, or of another history; empty when all fit."""
    newest = max(standing.next_generation, *(mark.generation for mark in marks.values()))
    if standing.next_generation == newest:
        return [
            Aged(store, _problem(mark, newest))
            for store, mark in marks.items()
            if (mark.generation, mark.mark_id) not in standing.known
        ]
    own = Mark(standing.installation_id, standing.next_generation, standing.next_mark_id, standing.marked_at)
    # An advance that was cut off leaves two stores one generation apart.
    older = [(store, mark) for store, mark in marks.items() if mark.generation < newest - 1]
    return [Aged(store, _problem(mark, newest)) for store, mark in [(POSTGRES, own), *older]]


def _problem(mark: Mark, newest: int) -> str:
    if mark.generation == 0:
        return "was adopted and may lack what the other stores know"
    if mark.generation == newest:
        return (
            f"has a history of its own since generation {newest}: it was restored and written to apart from the others"
        )
    return (
        f"is older than the other stores: its generation is {mark.generation}, marked {mark.marked_at:%Y-%m-%d %H:%M:%S} UTC, "
        f"theirs {newest}; it was restored from a backup"
    )
