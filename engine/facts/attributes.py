"""Of which attribute of its subject a fact speaks, what its value is (a date, a number, a name, or other words), and until
when a plan holds that it states. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from engine.domain.attribute import FactAttribute, ValueKind
from engine.facts.verdicts import attribute_said
from engine.language.dates import dates_in
from engine.language.tables import alternatives
from engine.statements.statement import holds_until

_MONTH = re.compile(alternatives("values", "month_day"), re.IGNORECASE)
_NUMBER = re.compile(
    rf"^(?:{alternatives('values', 'about')}|\W)*(?:\d|(?:{alternatives('values', 'number')})\b)", re.IGNORECASE
)
_NAME = re.compile(rf"^(?:(?:{alternatives('values', 'article')})\s+)?[^\W\d_a-z]")
LONGEST = 200


def attribute_of(
    fact_id: UUID, text: str, subject: str, said_at: datetime | None, text_from: datetime | None
) -> FactAttribute:
    """The attribute of a fact about that subject, empty where it speaks of none that is known, and until when its plan holds."""
    said = attribute_said(text, subject)
    read = FactAttribute(fact_id, holds_until=holds_until(text, subject, said_at), text_from=text_from)
    if said is None:
        return read
    kind = _kind(said.value, said_at)
    return replace(read, attribute=said.key[:LONGEST], label=said.label[:LONGEST], kind=kind, single=said.single)


def _kind(value: str, said_at: datetime | None) -> ValueKind:
    if _MONTH.search(value) or dates_in(value, said_at):
        return "date"
    if _NUMBER.match(value) and not re.search(r"\d\s+[^\W\d_a-z]", value):
        return "number"
    return "name" if _NAME.match(value) else "text"
