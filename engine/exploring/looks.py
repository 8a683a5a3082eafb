"""What explorers are given: how nodes and relationships look, one table for Bloom and Browser; saved statements,
`cypher/bloom/phrases` and `actions`, one a file; and of both the favourites and a style sheet for Neo4j Browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import LiteralString
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from engine.domain.graph import EDGE_TYPES
from engine.naming.configuration import FREE_TYPE, Domain

NO_ICON = "no-icon"
PERSON, ORGANIZATION, PLACE, WORK, PRODUCT = (
    "F91CCD45-2C41-40B8-ADF6-5CBED4BD6C6E",
    "36ADC22A-4278-4483-8CF4-5CC5F66CA25D",
    "59435072-6EE1-4BB0-869A-50F2FB447DEB",
    "B0C159D8-F7B2-40A9-9840-1C7DE4F54B63",
    "7B9D2D75-AC63-4E4E-97A5-5C7987BB30BF",
)
"""Icons of Bloom, which has an id for each."""

GREY = "#D9D9D9"
FOLDER = Path(__file__).resolve().parents[2] / "cypher" / "bloom"
_HEADER = re.compile(r"^// ([A-Z][\w ]*): (.*)$", re.MULTILINE)
_PAIR = re.compile(r'(\w+) (?:from (\w+)|"([^"]*)")')

FAVOURITES_FOLDER = "Neurigraph"
"""The folder of the favourites in Browser."""
_MADE = (1980, 1, 1, 0, 0, 0)
_PIXELS = 50
_NODE = (
    "color: #D9D9D9",
    "border-color: #848484",
    "border-width: 1px",
    "text-color-internal: #222222",
    "font-size: 10px",
    f"diameter: {_PIXELS}px",
    "caption: '{name}'",
)
_RELATIONSHIP = (
    "color: #D9D9D9",
    "shaft-width: 1px",
    "font-size: 8px",
    "padding: 3px",
    "text-color-external: #222222",
    "text-color-internal: #222222",
    "caption: '<type>'",
)
"""What Browser has by default, which a style sheet replaces."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Nodes whose property has this value get another colour, or another size."""

    key: str
    value: str | int | bool
    color: str | None = None
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Category:
    """Nodes with a label. `captions`: the properties to show on them, the first that a node has in Browser."""

    label: str
    color: str
    captions: tuple[str, ...] = ("name",)
    icon: str = NO_ICON
    size: float = 1
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationshipLook:
    """Relationships of a type; `caption` is the property that says more than the type, if one does."""

    type: str
    color: str
    caption: str | None = None
    size: float = 1


_SHELL = (
    Rule("layer", 1, size=2),
    Rule("layer", 2, size=1.5),
    Rule("layer", 4, size=0.75),
    Rule("layer", 5, size=0.5),
    Rule("state", "dormant", color="#9FB7C9"),
    Rule("state", "rehydrating", color="#FFC454"),
)
_MERGED = Rule("active", value=False, color=GREY)

_KINDS = {
    "person": ("#F79767", PERSON),
    "organization": ("#F16667", ORGANIZATION),
    "place": ("#8DCC93", PLACE),
    "event": ("#ECB5C9", NO_ICON),
    "work": ("#C990C0", WORK),
    "product": ("#DA7194", PRODUCT),
    "animal": ("#569480", NO_ICON),
    "thing": ("#D9C8AE", NO_ICON),
}
_ENTITY = "#FFB38A"

_PRIVATE = (Rule("privacy", "private", color="#C08A00"),)

_AROUND = (
    Category("Conversation", "#FFE081", ("caption", "title"), size=0.75, rules=_PRIVATE),
    Category("Document", "#E8C547", ("caption", "title"), size=0.75, rules=_PRIVATE),
    Category("Record", "#FFE081", ("title",), size=0.75, rules=_PRIVATE),
    Category(
        "Fact",
        "#FFC454",
        ("caption",),
        rules=(
            Rule("status", "superseded", color=GREY),
            Rule("status", "invalidated", color=GREY),
            Rule("status", "withdrawn", color="#848484"),
            Rule("stale", value=True, color="#D9C8AE"),
        ),
    ),
    Category("Community", "#B39DDB", size=1.5),
    Category("Alias", "#EFEFEF", ("value",), size=0.5),
    Category("Past", GREY, ("name", "title"), size=0.5),
    Category("Subject", "#848484", ("kind",)),
)

_LINES = (
    RelationshipLook("HAS_CHILD", "#4C8EDA", size=2),
    RelationshipLook("RELATED", "#57C7E3", "edge_type", size=2),
    RelationshipLook("HOLDS", "#FFE081"),
    RelationshipLook("IS_ABOUT", "#57C7E3"),
    RelationshipLook("ANCHORED_AT", "#A5D8E6", "mentions"),
    RelationshipLook("MENTIONS", GREY),
    RelationshipLook("NAMES", GREY),
    RelationshipLook("EVIDENCE", "#C08A00"),
    RelationshipLook("STATES", "#FFC454"),
    RelationshipLook("ABOUT", "#FFC454"),
    RelationshipLook("SUPERSEDES", "#DA7194"),
    RelationshipLook("CONTRADICTS", "#F16667", size=2),
    RelationshipLook("POSSIBLY_SAME", "#ECB5C9", "reason"),
    RelationshipLook("IN_COMMUNITY", "#B39DDB"),
    RelationshipLook("INTENDS", "#569480", "name"),
    RelationshipLook("WAS", "#848484"),
    RelationshipLook("HAD_CHILD", "#848484"),
    RelationshipLook("WAS_RELATED", "#848484", "edge_type"),
    RelationshipLook("GRANTED", "#848484", "mode"),
)


def categories(domain: Domain) -> Iterator[Category]:
    """All categories. A node gets the look of the first one that it belongs to, so the general one of entities is the last."""
    yield Category("User", "#2A6FBB", icon=PERSON, size=2)
    yield Category("Persona", "#C990C0", icon=PERSON, rules=_SHELL)
    yield Category("Concept", "#4C8EDA", rules=_SHELL)
    for kind in domain.kinds:
        color, icon = _KINDS.get(kind.name, (_ENTITY, NO_ICON))
        yield Category(kind.label, color, icon=icon, rules=(_MERGED,))
    yield from (box for box in _AROUND if box.label not in domain.labels.values())  # a domain may have documents, too
    kinds = (Rule("kind", kind, color=color) for kind, (color, _) in _KINDS.items())
    yield Category("Entity", _ENTITY, rules=(_MERGED, *kinds))


def lines(domain: Domain) -> Iterator[RelationshipLook]:
    """The relationships of the engine, edges of listed types among them, then the relations between entities."""
    yield from _LINES
    yield from (RelationshipLook(edge_type, "#57C7E3", size=2) for edge_type in EDGE_TYPES)
    for relation in domain.relations:
        if relation.name not in EDGE_TYPES:
            yield RelationshipLook(relation.name, "#F79767", size=2)
    yield RelationshipLook(FREE_TYPE, "#F79767", "name", size=2)


@dataclass(frozen=True, slots=True)
class Saved:
    """A search phrase or a scene action. `text` has its parameters as `$name`.

    `suggestions`: by parameter the file that lists its values; `example`: values for the bundled history;
    `empty`: why it finds nothing there.
    """

    name: str
    text: str
    purpose: str
    suggestions: dict[str, str]
    example: dict[str, str]
    empty: str
    statement: str

    def of(self, user_id: UUID) -> str:
        """The statement on the graph of that user alone."""
        return _of(self.statement, user_id)


@cache
def phrases() -> tuple[Saved, ...]:
    """The search phrases, by name of their file."""
    return _saved("phrases", "Phrase")


@cache
def actions() -> tuple[Saved, ...]:
    """The scene actions, by name of their file."""
    return _saved("actions", "Action")


def suggestions(name: str, user_id: UUID) -> str:
    """The statement that lists the values of a parameter in the graph of that user."""
    return _of(_body((FOLDER / "suggestions" / f"{name}.cypher").read_text(encoding="utf-8")), user_id)


@cache
def schema(name: str) -> LiteralString:
    """A statement that reads which properties a graph has."""
    return (FOLDER / "schema" / f"{name}.cypher").read_text(encoding="utf-8")


def _saved(folder: str, kind: str) -> tuple[Saved, ...]:
    found = []
    for path in sorted((FOLDER / folder).glob("*.cypher")):
        text = path.read_text(encoding="utf-8")
        header = dict(_HEADER.findall(text))
        given = {key: _PAIR.findall(header.get(key, "")) for key in ("Suggestions", "Example")}
        one = Saved(
            name=path.stem,
            text=header[kind],
            purpose=header["Purpose"],
            suggestions={name: listed for name, listed, _ in given["Suggestions"]},
            example={name: value for name, _, value in given["Example"]},
            empty=header.get("Empty on the bundled history", ""),
            statement=_body(text),
        )
        found.append(one)
    return tuple(found)


def _body(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("//"))


def _of(statement: str, user_id: UUID) -> str:
    # Explorers ask a person for every parameter, so the user is written into the text. An id needs no quoting.
    return statement.replace("$user_id", f"'{user_id}'")


def favourites(user_id: UUID) -> bytes:
    """The search phrases as an archive of favourites, which Browser takes when it is dropped on the window."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for phrase in phrases():
            entry = ZipInfo(f"{FAVOURITES_FOLDER}/{phrase.name}.cypher", _MADE)
            archive.writestr(entry, favourite(phrase, user_id))
    return packed.getvalue()


def favourite(phrase: Saved, user_id: UUID) -> str:
    """A phrase for Browser: its first line is the name that is shown, then what it needs."""
    needs = [f'// First: :param {name} => "{value}"' for name, value in phrase.example.items()]
    return "\n".join((f"// {phrase.text}", f"// {phrase.purpose}", *needs, phrase.of(user_id))) + "\n"


def style_sheet(domain: Domain) -> str:
    """Colours and captions as a .grass file. Browser's reader knows no comments in it."""
    return "\n".join(_blocks(domain)) + "\n"


def _blocks(domain: Domain) -> Iterator[str]:
    yield _block("node", *_NODE)
    yield _block("relationship", *_RELATIONSHIP)
    for box in reversed(list(categories(domain))):  # the last block that fits a node wins: the general one goes first
        look = (f"color: {box.color}", f"diameter: {round(_PIXELS * box.size)}px", f"caption: '{{{box.captions[0]}}}'")
        yield _block(f"node.{box.label}", *look)
    for style in lines(domain):
        caption = f"{{{style.caption}}}" if style.caption else "<type>"
        yield _block(f"relationship.{style.type}", f"color: {style.color}", f"caption: '{caption}'")


def _block(selector: str, *rules: str) -> str:
    return f"{selector} {{\n" + "".join(f"  {rule};\n" for rule in rules) + "}"
