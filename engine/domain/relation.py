"""Relations as they are drawn from a text, before the entities that they belong to are known."""

from __future__ import annotations

from dataclasses import dataclass

from engine.domain.entity import Mention


@dataclass(frozen=True, slots=True)
class RelationDraft:
    """What a text says of two mentions: `source` `type` `target`.

    `piece` is the number of the text, `start` and `end` the characters that say so. `since` and `until` are ISO dates
    as exact as the text; `ended`: the text says that it is over. A date of `until` need not be known for that.
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
