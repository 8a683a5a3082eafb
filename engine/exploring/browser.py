"""Favourites and a style sheet for Neo4j Browser, from the same statements and looks as the perspective."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from engine.exploring.looks import Saved, categories, lines, phrases
from engine.naming.configuration import Domain

FOLDER = "Neurigraph"
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


def favourites(user_id: UUID) -> bytes:
    """The search phrases as an archive of favourites, which Browser takes when it is dropped on the window."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for phrase in phrases():
            entry = ZipInfo(f"{FOLDER}/{phrase.name}.cypher", _MADE)
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
