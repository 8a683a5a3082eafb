"""The catalogue of personal data: what every table, label, type of relationship, kind of object and file of a home holds of
persons, and what a forgetting does with it. `personal_data.toml` has it, and says what its words mean."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

Store = Literal["tables", "labels", "relationships", "objects", "home"]
Target = Literal["item", "record", "source", "entity", "node", "user", "workspace"]
"""What can be forgotten."""
Holding = Literal["text", "name", "id", "hash", "vector", "nothing"]
"""What a column holds."""
Treatment = Literal["stays", "emptied", "surrogate", "again"]
"""What becomes of a column in a row that does not go."""

FILE = Path(__file__).with_name("personal_data.toml")
WITHIN: Mapping[Target, frozenset[Target]] = {
    "item": frozenset({"item"}),
    "record": frozenset({"item", "record"}),
    "source": frozenset({"item", "record", "source"}),
    "entity": frozenset({"entity"}),
    "node": frozenset({"item", "record", "source", "node"}),
    "user": frozenset(get_args(Target)) - {"workspace"},
    "workspace": frozenset(get_args(Target)),
}
"""Of each target those that go with it, itself among them."""
HOLDINGS: tuple[Holding, ...] = get_args(Holding)
WHOLE: tuple[Store, ...] = ("objects", "home")
"""Stores whose places have no columns."""
PERSONAL = frozenset({"text", "name", "id", "hash", "vector"})
_KEYS = frozenset(
    {*HOLDINGS, *("goes_with", "found", "shared", "changed_with", "emptied", "surrogate", "again", "made_again")}
    | {"kept", "today"}
)
_KEYS_OF_WHOLE = frozenset({"holds", "goes_with", "shared", "changed_with", "made_again", "kept", "today"})


class CatalogueError(ValueError):
    """The file does not say what its head says; the message names the place and the key."""


@dataclass(frozen=True, slots=True)
class Column:
    """What a column, or a property, holds, and what becomes of it in a row that does not go. `by`: the derivation that makes it
    again, or the function of Postgres, as `function subject/name`."""

    name: str
    holds: Holding
    treatment: Treatment = "stays"
    by: str = ""


@dataclass(frozen=True, slots=True)
class DataPlace:
    """A table, a label, a type of relationship, a kind of object or a file. `goes_with`: the least targets with which a row goes;
    `shared`: what stays then because others need it; `changed_with`: the targets with which rows that stay change; `found`: the
    columns that name a target; `made_again`: what makes the rows anew; `kept`: why the rest stays; `today`: what becomes of it
    without a forgetting, empty where it stays; `holds`: what its columns hold."""

    store: Store
    name: str
    columns: Mapping[str, Column]
    holds: frozenset[Holding]
    goes_with: frozenset[Target] = frozenset()
    changed_with: frozenset[Target] = frozenset()
    found: tuple[str, ...] = ()
    shared: str = ""
    made_again: str = ""
    kept: str = ""
    today: str = ""

    def of(self, *holdings: Holding) -> tuple[str, ...]:
        """The columns that hold one of these."""
        return tuple(one.name for one in self.columns.values() if one.holds in holdings)

    def treated(self, treatment: Treatment) -> tuple[str, ...]:
        """The columns to which this happens in a row that stays."""
        return tuple(one.name for one in self.columns.values() if one.treatment == treatment)

    @property
    def makers(self) -> frozenset[str]:
        """What makes columns or rows of it again."""
        return frozenset({self.made_again, *(one.by for one in self.columns.values())} - {""})


@dataclass(frozen=True, slots=True)
class PersonalData:
    """All places, in the order of the file."""

    places: tuple[DataPlace, ...]
    _by_name: Mapping[tuple[str, str], DataPlace] = field(repr=False)

    def place(self, store: Store, name: str) -> DataPlace:
        """One place; raises KeyError."""
        return self._by_name[store, name]

    def of(self, store: Store) -> tuple[DataPlace, ...]:
        """The places of a store."""
        return tuple(one for one in self.places if one.store == store)

    def gone_with(self, target: Target) -> tuple[DataPlace, ...]:
        """The places from which rows go with a target, with what goes along with it among them."""
        return tuple(one for one in self.places if one.goes_with & WITHIN[target])

    def changed_with(self, target: Target) -> tuple[DataPlace, ...]:
        """The places in which rows that stay change."""
        return tuple(one for one in self.places if one.changed_with & WITHIN[target])

    def searched(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """By place the columns that hold texts or names: where words of the forgotten could be found."""
        found = {one.name: one.of("text", "name") for one in self.of(store)}
        return {name: columns for name, columns in found.items() if columns}

    def kept(self) -> tuple[DataPlace, ...]:
        """The places of which rows stay whatever is forgotten; each says why."""
        return tuple(one for one in self.places if not one.goes_with)


@cache
def personal_data() -> PersonalData:
    """The catalogue of this release. Raises CatalogueError."""
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> PersonalData:
    """A catalogue from the text of its file. Raises CatalogueError."""
    parts: Mapping[str, Mapping[str, Mapping[str, Any]]] = tomllib.loads(text)
    if unknown := sorted(parts.keys() - {*get_args(Store)}):
        raise CatalogueError(f"{unknown[0]} is no store; there are {', '.join(get_args(Store))}.")
    places = tuple(
        _whole(store, name, one) if store in WHOLE else _with_columns(store, name, one)
        for store in get_args(Store)
        for name, one in parts.get(store, {}).items()
    )
    return PersonalData(places, {(one.store, one.name): one for one in places})


def _with_columns(store: Store, name: str, one: Mapping[str, Any]) -> DataPlace:
    title = _checked(store, name, one, _KEYS)
    held = [(column, holding) for holding in HOLDINGS for column in _words(title, one, holding)]
    again: Mapping[str, str] = one.get("again", {})
    treated: list[tuple[str, Treatment]] = [(column, "emptied") for column in _words(title, one, "emptied")]
    treated += [(column, "surrogate") for column in _words(title, one, "surrogate")]
    treated += [(column, "again") for column in again]
    _refuse_repeated(title, "what it holds", [column for column, _ in held])
    _refuse_repeated(title, "what becomes of it", [column for column, _ in treated])
    found = _words(title, one, "found")
    if lost := sorted({*(column for column, _ in treated), *found} - {column for column, _ in held}):
        raise CatalogueError(f"{title}: {lost[0]} is treated or found by, but no list says what it holds.")
    treatments = dict(treated)
    columns = {
        column: Column(column, holding, treatments.get(column, "stays"), again.get(column, ""))
        for column, holding in held
    }
    place = _place(store, name, one, columns, frozenset(holding for _, holding in held))
    if bool(treated) != bool(place.changed_with):
        raise CatalogueError(
            f"{title}: changed_with stands there exactly where columns are emptied, hashed or made again."
        )
    return place


def _whole(store: Store, name: str, one: Mapping[str, Any]) -> DataPlace:
    title = _checked(store, name, one, _KEYS_OF_WHOLE)
    return _place(store, name, one, {}, _listed(title, one, "holds", HOLDINGS))


def _place(
    store: Store, name: str, one: Mapping[str, Any], columns: Mapping[str, Column], holds: frozenset[Holding]
) -> DataPlace:
    title = f"{store}.{name}"
    goes_with, changed_with = (_listed(title, one, key, get_args(Target)) for key in ("goes_with", "changed_with"))
    if not goes_with and not one.get("kept"):
        raise CatalogueError(f"{title}: it goes with nothing, and `kept` does not say why.")
    said = {key: one.get(key, "") for key in ("shared", "made_again", "kept", "today")}
    return DataPlace(store, name, columns, holds, goes_with, changed_with, _words(title, one, "found"), **said)


def _checked(store: Store, name: str, one: Mapping[str, Any], keys: Iterable[str]) -> str:
    title = f"{store}.{name}"
    if unknown := sorted({*one} - {*keys}):
        raise CatalogueError(f"{title}: {unknown[0]} is no rule; there are {', '.join(sorted(keys))}.")
    return title


def _words(title: str, one: Mapping[str, Any], key: str) -> tuple[str, ...]:
    said = one.get(key, "")
    if not isinstance(said, str):
        raise CatalogueError(f"{title}: {key} is a text of words with spaces between.")
    return tuple(said.split())


def _listed(title: str, one: Mapping[str, Any], key: str, known: Iterable[str]) -> frozenset[Any]:
    words = _words(title, one, key)
    if unknown := sorted({*words} - {*known}):
        raise CatalogueError(f"{title}: {key} names {unknown[0]}; there are {', '.join(known)}.")
    return frozenset(words)


def _refuse_repeated(title: str, about: str, columns: Iterable[str]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            raise CatalogueError(f"{title}: {column} stands in two lists of {about}.")
        seen.add(column)
