"""Relations as they are drawn from a text, before their entities are known; and what the user decides of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.entity import Mention
from engine.errors import InvalidInput

MOST_PROPERTIES, LONGEST_NAME, LONGEST_VALUE = 20, 64, 2000
MOST_ENTITIES = 100
"""Between which relations are read at once."""


@dataclass(frozen=True, slots=True)
class RelationDraft:
    """What a text says of two mentions: `source` `type` `target`.

    `piece` is the number of the text, `start` and `end` the characters that say so. `since` and `until` are ISO dates
    as exact as the text; `ended`: the text says that it is over. A date of `until` need not be known for that. `sole`: no other
    of a type of which one holds at a time holds beside it; not so for what is said for now, or more exactly.
    """

    source: Mention
    type: str
    target: Mention
    piece: int
    start: int
    end: int
    confidence: float
    since: str | None = None
    until: str | None = None
    ended: bool = False
    sole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDecision:
    """What the user decides of a relation: whether it is archived, its properties as JSON; None: as before."""

    relation_id: UUID
    user_id: UUID
    archived: bool | None
    properties: str | None
    at: datetime
    reason: str


def written_properties(properties: Mapping[str, str]) -> str:
    """Properties as the graph keeps them: one text, in the order of their names. Raises InvalidInput."""
    if len(properties) > MOST_PROPERTIES:
        raise InvalidInput(f"A relation has at most {MOST_PROPERTIES} properties.")
    for name, value in properties.items():
        if not name.isidentifier() or len(name) > LONGEST_NAME or len(value) > LONGEST_VALUE or "\x00" in value:
            raise InvalidInput(
                f"The name of a property is a word of letters, digits and _, at most {LONGEST_NAME}; its value has at most"
                f" {LONGEST_VALUE:,} characters, and no NUL."
            )
    return json.dumps(dict(sorted(properties.items())), ensure_ascii=False).encode("utf-8", "replace").decode()


def read_properties(written: str | None) -> dict[str, str]:
    """Properties from their text. Raises ValueError where it is not that of `written_properties`."""
    read = json.loads(written) if written else {}
    if not isinstance(read, dict) or not all(isinstance(value, str) for value in read.values()):
        raise ValueError("The properties of a relation are an object of texts.")
    return read


@dataclass(frozen=True, slots=True)
class MentionedTogether:
    """Two entities that records mention together; `records`: how many, of the newest mentions of each."""

    first_id: UUID
    other_id: UUID
    records: int
