"""The domain: which kinds of entities and which types of relations there are, read from domain.toml or a file in its place.

Names of kinds and types become labels and types of relationships in Neo4j, so they are checked strictly.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from engine.domain.entity import UNKNOWN_KIND
from engine.errors import InvalidInput, SettingsError
from engine.language.tables import codes, codes_without_file

SHIPPED = Path(__file__).with_name("domain.toml")
ANY = "any"
FREE_TYPE = "RELATES_TO"
"""The type in Neo4j of a relation whose type the domain does not list; its name is a property."""
RESERVED_TYPES = frozenset(
    """
    HAS_CHILD HOLDS RELATED WAS WAS_RELATED HAD_CHILD GRANTED MENTIONS NAMES ANCHORED_AT ABOUT STATES
    SUPERSEDES POSSIBLY_SAME EVIDENCE INTENDS RELATES_TO IN_COMMUNITY IS_ABOUT CONTRADICTS MAY_REPLACE
    """.split()
)
"""Types of relationships that the engine uses itself."""
RESERVED_LABELS = frozenset("Entity Alias Record User Node Past Subject Fact Migration Installation Community".split())
LEAST_KINDS = frozenset({"person", "organization", "place", UNKNOWN_KIND})
"""Kinds that every domain has: the engine finds them in texts."""
MOST_RELATIONS, MOST_WORDS = 500, 200
_TYPE = re.compile(r"[A-Z][A-Z0-9_]{0,62}")


def _listed(value: object) -> object:
    """Words in one text, with commas between, as a tuple."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Phrase = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\W\d_{}][^{}]*(?: \{[a-z_]+\})?$")]
Phrases = Annotated[tuple[Phrase, ...], BeforeValidator(_listed), Field(max_length=MOST_WORDS)]
Words = Mapping[Annotated[str, StringConstraints(pattern=rf"^(?:{'|'.join(codes())})$")], Phrases]
AskedWords = Mapping[Annotated[str, StringConstraints(pattern=rf"^(?:{'|'.join(codes_without_file())})$")], Phrases]
KindName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Sentence = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Kind(_Frozen):
    """A kind of entities; `label` is its label in Neo4j."""

    name: KindName
    label: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]{0,62}$")]


class RelationType(_Frozen):
    """A type of relations from a source to a target. What its words mean is told in domain.toml."""

    name: str
    reads: Sentence
    inverse: Sentence
    pairs: Annotated[tuple[tuple[KindName, KindName], ...], Field(min_length=1)]
    symmetric: bool = False
    functional: bool = False
    lasting: bool = False
    apposed: bool = False
    nouns: Words = {}
    inverse_nouns: Words = {}
    phrases: Words = {}
    inverse_phrases: Words = {}
    past_phrases: Words = {}
    inverse_past_phrases: Words = {}
    own_phrases: Words = {}
    together: Words = {}
    asked: AskedWords = {}

    def allows(self, source: str, target: str) -> bool:
        """Whether it may lead from one kind to the other. A thing may turn out to be of any kind, so it is never refused."""
        return any(_fits(source, pair[0]) and _fits(target, pair[1]) for pair in self.pairs) or (
            self.symmetric and any(_fits(target, pair[0]) and _fits(source, pair[1]) for pair in self.pairs)
        )

    @model_validator(mode="after")
    def _named_well(self) -> Self:
        if not _TYPE.fullmatch(self.name):
            raise ValueError(
                f"{self.name!r} is no relation type: a capital letter, then capitals, digits and _, at most 63"
            )
        if self.name in RESERVED_TYPES:
            raise ValueError(f"{self.name} is a type of the engine's own")
        if self.symmetric and (self.inverse_nouns or self.inverse_phrases):
            raise ValueError(f"{self.name} is symmetric and needs no inverse words")
        return self


class Domain(_Frozen):
    """The kinds and types of an installation."""

    free_form: bool = False
    kinds: Annotated[tuple[Kind, ...], Field(max_length=100)]
    relations: Annotated[tuple[RelationType, ...], Field(max_length=MOST_RELATIONS)]

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The label in Neo4j, by the name of the kind."""
        return {kind.name: kind.label for kind in self.kinds}

    @cached_property
    def types(self) -> Mapping[str, RelationType]:
        """The types of relations by name."""
        return {relation.name: relation for relation in self.relations}

    def kind_of(self, name: str) -> str:
        """The kind of this name; `thing` for one that the domain does not have."""
        key = name.strip().casefold()
        return key if key in self.labels else UNKNOWN_KIND

    def type_of(self, name: str) -> str:
        """The type that is meant, as the domain writes it: "works at" is WORKS_AT. It need not be listed in a free domain.

        Raises InvalidInput for what is no type, or one that is not listed where only listed ones are allowed.
        """
        found = re.sub(r"[\s-]+", "_", name.strip()).upper()
        if found in self.types:
            return found
        if not _TYPE.fullmatch(found) or found in RESERVED_TYPES:
            raise InvalidInput(f"{name[:80]!r} cannot be a relation type.")
        if not self.free_form:
            raise InvalidInput(f"The domain has no relation type {found}; it has {', '.join(sorted(self.types))}.")
        return found

    def stored_as(self, name: str) -> str:
        """The type of the relationship in Neo4j: its own, or RELATES_TO for one that is not listed."""
        return name if name in self.types else FREE_TYPE

    def reading(self, name: str, *, backwards: bool = False) -> str:
        """The words between source and target, or between target and source."""
        relation = self.types.get(name)
        if relation is not None:
            return relation.inverse if backwards else relation.reads
        words = name.replace("_", " ").casefold()
        return f"is reached by “{words}” from" if backwards else words

    def allows(self, source: str, name: str, target: str) -> bool:
        """Whether the type may lead from one kind to the other; a type that is not listed may lead anywhere."""
        relation = self.types.get(name)
        return self.free_form if relation is None else relation.allows(source, target)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [kind.name for kind in self.kinds]
        if missing := LEAST_KINDS - set(names):
            raise ValueError(f"the kind {min(missing)} is missing")
        _unlike("kind", names)
        _unlike("label", [kind.label.casefold() for kind in self.kinds])
        _unlike("relation type", [relation.name for relation in self.relations])
        if ANY in names:
            raise ValueError(f"{ANY!r} stands for all kinds and cannot be one")
        if taken := {kind.label for kind in self.kinds} & RESERVED_LABELS:
            raise ValueError(f"{min(taken)} is a label of the engine's own")
        for relation in self.relations:
            for kind in _kinds_in(relation):
                if kind not in names:
                    raise ValueError(f"{relation.name} names the kind {kind!r}, which is not listed")
        return self


def _fits(kind: str, wanted: str) -> bool:
    return wanted == ANY or kind in (wanted, UNKNOWN_KIND)


def _unlike(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is listed twice")


def _kinds_in(relation: RelationType) -> set[str]:
    """All kinds that a type names, in its pairs and in its words."""
    phrases = (
        relation.phrases,
        relation.inverse_phrases,
        relation.past_phrases,
        relation.inverse_past_phrases,
        relation.own_phrases,
    )
    in_words = {
        found
        for words in phrases
        for listed in words.values()
        for phrase in listed
        for found in re.findall(r"\{(\w+)\}", phrase)
    }
    return ({kind for pair in relation.pairs for kind in pair} | in_words) - {ANY}


def load_domain(path: Path | None = None) -> Domain:
    """The shipped domain, or the one of the file at `path`.

    Raises SettingsError for a file that cannot be read, or whose names, kinds or pairs are not valid.
    """
    source = path or SHIPPED
    try:
        content = tomllib.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"The domain file {source} cannot be read: {error}") from error
    try:
        return Domain.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        at = f"{place}: " if place else ""
        raise SettingsError(f"{source}: {at}{first['msg'].removeprefix('Value error, ')}.") from error
