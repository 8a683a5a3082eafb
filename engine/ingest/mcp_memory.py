"""The file of the reference memory server of MCP (`memory.json`, one JSON object a line), read as lines of an import:

    {"type": "entity", "name", "entityType", "observations": […]}    a text with the name as its title, one observation a line
    {"type": "relation", "from", "to", "relationType"}               a stated fact about both

An observation seldom names what it is about ("Speaks Spanish"), so each line begins with the name. The file knows no times.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError

from engine.domain.written import Line, line_of

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class _Entity(BaseModel):
    type: Literal["entity"]
    name: Name
    kind: Annotated[str, Field(alias="entityType")] = ""
    observations: list[str] = []


class _Relation(BaseModel):
    type: Literal["relation"]
    source: Annotated[Name, Field(alias="from")]
    target: Annotated[Name, Field(alias="to")]
    kind: Annotated[Name, Field(alias="relationType")]


_LINE: TypeAdapter[_Entity | _Relation] = TypeAdapter(Annotated[_Entity | _Relation, Field(discriminator="type")])


def import_line(line: Line) -> Line:
    """The line of an import for a line of that file; what is none stays as it is, and is reported with its number."""
    if line.content is None:
        return line
    try:
        found = _LINE.validate_json(line.content)
    except ValidationError:
        return line
    return Line(line.number, line_of(_text(found) if isinstance(found, _Entity) else _fact(found)).rstrip(b"\n"))


def _text(one: _Entity) -> dict[str, object]:
    said = [f"{one.name}: {text.strip()}" for text in one.observations if text.strip()]
    kind = [f"{one.name}: {one.kind.strip()}"] if one.kind.strip() else []
    return {"title": one.name, "text": "\n".join([*kind, *said]) or one.name, "source_id": _id("entity", one.name)}


def _fact(one: _Relation) -> dict[str, object]:
    text = f"{one.source} {one.kind.replace('_', ' ').replace('-', ' ')} {one.target}."
    return {"fact": {"text": text, "about": [one.source, one.target]}, "source_id": _id("relation", text)}


def _id(kind: str, name: str) -> str:
    """The same line has the same id, so that a file that is imported again is skipped."""
    short = name if len(name) <= 300 else hashlib.sha256(name.encode()).hexdigest()
    return f"mcp-memory:{kind}:{short}"
