"""Personal data out of texts, facts, nodes, edges and changes, before anything is written.

Each find is replaced by a marker that names its kind, as in `[email]`, and by nothing else. A marker that could be turned
back would mean keeping the original, or a key to it, beside the memory; here nothing is kept that could be reversed,
and two addresses become the same marker. What is recognised, and what is not, stands in `shapes`.

Ids are the exception, because they distinguish sources: an id that holds something gets a short keyed hash behind its
markers. The key is not kept in the stores, so that a reader of their data cannot try out addresses.

A name of a node cannot be redacted and is refused: siblings are known by their names, so two people would silently become
one node `[email]`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.domain.delta import Change
from engine.domain.fact import LONGEST_FACT, LONGEST_SUBJECT, WrittenFact
from engine.domain.node import NewNode
from engine.domain.scope import LONGEST_SCOPE_ID, MemoryScope, Origin
from engine.errors import InvalidName, SettingsError
from engine.privacy.shapes import FINDERS, Finder

KINDS = tuple(FINDERS)
MOST_PASSES = 8
"""A marker can uncover what stood too close to something else; texts that people write need two passes."""
LONGEST_ID = 100
"""Characters that are left of an id that held something, before its hash."""

Counts = Mapping[str, int]
"""How often each kind was replaced; kinds that were not found are left out."""


def total(counts: Iterable[Counts]) -> Counter[str]:
    """All of them together."""
    together: Counter[str] = Counter()
    for entry in counts:
        together.update(entry)
    return together


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without what was found in it."""

    text: str
    counts: Counts


def redact(text: str, kinds: Sequence[str] = KINDS) -> Redacted:
    """The text with every find of these kinds replaced by its marker. Linear in the text; once is as good as twice."""
    counts: Counter[str] = Counter()
    for _ in range(MOST_PASSES):
        before = counts.total()
        parts = [text]
        for kind in (kind for kind in KINDS if kind in kinds):
            for finder in FINDERS[kind]:
                parts = _cut(parts, finder, kind, counts)
        if counts.total() == before:
            break
        text = "".join(parts)
    return Redacted(text, dict(counts))


def _cut(parts: list[str], finder: Finder, kind: str, counts: Counter[str]) -> list[str]:
    """Texts and markers in turn, a text first; what lies beside a marker is searched as a text of its own."""
    cut: list[str] = []
    for index, part in enumerate(parts):
        start = 0
        if index % 2 == 0:
            for first, last in finder(part):
                cut += (part[start:first], f"[{kind}]")
                counts[kind] += 1
                start = last
        cut.append(part[start:])
    return cut


class Redactor:
    """Redaction as it is configured; without kinds nothing is touched."""

    def __init__(self, kinds: Iterable[str] = (), key: bytes = b"") -> None:
        """`key` hides ids that held something. Raises SettingsError for an unknown kind."""
        wanted = set(kinds)
        if unknown := sorted(wanted - {*KINDS, "all"}):
            raise SettingsError(
                f"NEURIGRAPH_REDACT has unknown kinds: {', '.join(unknown)}; known are {', '.join(KINDS)}, all."
            )
        self.kinds = tuple(kind for kind in KINDS if kind in wanted or "all" in wanted)
        self._key = key

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def text(self, text: str, counts: Counter[str] | None = None) -> str:
        """The redacted text; what was replaced is added to `counts`."""
        if not self.kinds:
            return text
        redacted = redact(text, self.kinds)
        if counts is not None:
            counts.update(redacted.counts)
        return redacted.text

    def found(self, text: str) -> tuple[str, ...]:
        return tuple(redact(text, self.kinds).counts) if self.kinds else ()

    def identifier(self, identifier: str) -> str:
        """The id as it is; one that holds something as markers and a keyed hash, the same for the same id."""
        redacted = self.text(identifier)
        if redacted == identifier:
            return identifier
        digest = hmac.new(self._key, identifier.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"{redacted[:LONGEST_ID]}#{digest[:16]}"

    def value(self, value: Any, each: Callable[[str], str] | None = None) -> Any:
        """A value of JSON with all its texts redacted, names of fields too; `each`: how a text is, in place of `text`."""
        each = each or self.text
        if not self.kinds:
            return value
        if isinstance(value, str):
            return each(value)
        if isinstance(value, list):
            return [self.value(entry, each) for entry in value]
        if isinstance(value, dict):
            return {each(key): self.value(entry, each) for key, entry in value.items()}
        return value


def redacted_scope(scope: MemoryScope, redactor: Redactor) -> MemoryScope:
    """The scope as it is stored and searched; the same for the same id."""
    if scope.scope_id is None:
        return scope
    return replace(scope, scope_id=redactor.identifier(scope.scope_id)[-LONGEST_SCOPE_ID:])


def redacted_origin(origin: Origin, redactor: Redactor) -> Origin:
    """The origin as it is stored."""
    return replace(origin, scope=redacted_scope(origin.scope, redactor))


def redacted_fact(value: WrittenFact, redactor: Redactor, counts: Counter[str] | None = None) -> WrittenFact:
    """A fact that the user states, cut to what a fact holds where markers are longer than what they replace."""
    about = tuple(redactor.text(one, counts)[:LONGEST_SUBJECT] for one in value.about)
    text, category = redactor.text(value.text, counts), redactor.text(value.category, counts)
    return replace(value, text=text[:LONGEST_FACT], about=about, category=category[:LONGEST_SUBJECT])


def check_names(names: Iterable[str], redactor: Redactor) -> None:
    """Raises InvalidName, without repeating the name, where one holds what is redacted."""
    for name in names:
        if kinds := redactor.found(name):
            raise InvalidName(f"A name holds what is redacted here ({', '.join(kinds)}); choose another.")


def redacted_node(new: NewNode, redactor: Redactor, counts: Counter[str] | None = None) -> NewNode:
    """The node with summary, keywords and aliases redacted; a keyword or alias that held something is left out, since
    a marker would stand for many. Raises InvalidName."""
    if not redactor:
        return new
    check_names([new.name], redactor)
    keywords, aliases = (_without(terms, redactor, counts) for terms in (new.keywords, new.aliases))
    return replace(new, summary=redactor.text(new.summary, counts), keywords=keywords, aliases=aliases)


def redacted_edge(edge_type: str, properties: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    """The properties of an edge, redacted. Raises InvalidName for a type or a property's name that holds something."""
    check_names([edge_type, *properties], redactor)
    return {name: redactor.text(value) for name, value in properties.items()}


def redacted_change(change: Change, redactor: Redactor) -> Change:
    """The change with its texts redacted. Raises InvalidName for a node's new name that holds something."""
    if not redactor:
        return change
    fields = redactor.value(dict(change.fields))
    if change.subject_kind == "node":
        check_names([str(change.fields.get("name", ""))], redactor)
    for name in {"keywords", "aliases"} & fields.keys():
        fields[name] = _without(tuple(change.fields[name]), redactor, None)
    return replace(change, fields=fields, reason=redactor.text(change.reason))


def _without(terms: tuple[str, ...], redactor: Redactor, counts: Counter[str] | None) -> tuple[str, ...]:
    return tuple(term for term in terms if redactor.text(term, counts) == term)
