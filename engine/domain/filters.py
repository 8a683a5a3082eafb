"""Which items a search takes in: one value for searches, contexts and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from unicodedata import category
from uuid import UUID

from engine.errors import InvalidInput

MOST_VALUES = 100
LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Filters:
    """An item is searched that passes every filter; of several values of one filter any is enough. Empty: all items. Raises
    InvalidInput.

    `below`: at these nodes or at nodes that lie below them now; they fix where to look, as `nodes` does; together with `nodes`:
    at any of them. `categories`, `tags`: those of the item, in upper or lower case. `entities`: the item names one of these, or
    one that was merged with it. `since`, `until`: when it occurred, `until` itself is no longer in; items without a date do not
    pass.
    """

    below: tuple[UUID, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("below", "categories", "tags", "entities"):
            values: object = getattr(self, name)
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise InvalidInput(f"The {name} of a filter are a list.")
            if len(values) > MOST_VALUES:
                raise InvalidInput(f"A filter has at most {MOST_VALUES} {name}.")
        _check_texts("categories", self.categories)
        _check_texts("tags", self.tags)
        for time in (self.since, self.until):
            if time is not None and time.tzinfo is None:
                raise InvalidInput("A point in time needs its offset from UTC.")
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidInput("The time `since` of a filter is before its `until`.")


def _check_texts(name: str, values: Sequence[str]) -> None:
    for value in values:
        if not isinstance(value, str) or not 1 <= len(value.strip()) <= LONGEST_VALUE or _controls(value):
            raise InvalidInput(
                f"The {name} of a filter have 1 to {LONGEST_VALUE} characters, without control characters."
            )


def _controls(value: str) -> bool:
    """Whether it has control characters or halves of a pair."""
    return any(category(letter) in ("Cc", "Cs") for letter in value)


ALL = Filters()
"""No filter."""
