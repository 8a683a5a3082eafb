"""The shape of the LoCoMo data set: samples of two people's sessions, `session_N` beside `session_N_date_time`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from engine.connectors.source import Form, Skipped, drained, filled, identifier, joined, named, storable
from engine.domain.history import Conversation, History, Turn
from engine.domain.names import name_key
from engine.errors import InvalidHistory
from engine.language.tables import listed

SHARED_PICTURE = " [shares a picture: {caption}]"
"""How the caption of a picture follows a turn's own text."""

_SESSION = re.compile(r"session_([0-9]{1,9})")
_MONTHS = listed("en", "dates", "month")[:12]
_DATE_TIME = re.compile(
    r"\s*([0-9]{1,2}):([0-9]{2})\s*([ap])\.?m\.?\s+on\s+([0-9]{1,2})\s+([a-z]+),?\s+([0-9]{4})\s*", re.IGNORECASE
)


class _SampleForm(Form):
    sample_id: str | None = None
    conversation: dict[str, object]


class _PeopleForm(Form):
    speaker_a: str
    speaker_b: str


class _TurnForm(Form):
    speaker: str
    text: str
    dia_id: str | None = None
    blip_caption: str | None = None


def locomo_histories(document: object, *, handle: str | None, skipped: Skipped) -> list[History]:
    """One history a sample, of a list of samples or a single one. Empties the document.

    Raises InvalidHistory with the place of what is wrong, InvalidName.
    """
    if not isinstance(document, list):
        return [_history(document, "", handle, skipped)]
    if handle is not None and len(document) > 1:
        several = f"The list holds {len(document)} samples, each with a handle of its own"
        raise InvalidHistory(f"{several}; a handle fits one sample only.")
    found: dict[str, History] = {}
    for place, raw in drained(document, ""):
        history = _history(raw, place, handle, skipped)
        if name_key(history.handle) in found:
            detail = f"Another sample has the id {history.handle!r} too."
            raise InvalidHistory(detail, path=joined(place, "sample_id"))
        found[name_key(history.handle)] = history
    kept = [history for history in found.values() if history.conversations]
    skipped["sample without turns"] += len(found) - len(kept)
    return kept


def _history(raw: object, place: str, handle: str | None, skipped: Skipped) -> History:
    sample = filled(_SampleForm, raw, place)
    where = joined(place, "conversation")
    people = filled(_PeopleForm, sample.conversation, where)
    one, other = (
        named(people.speaker_a, joined(where, "speaker_a")),
        named(people.speaker_b, joined(where, "speaker_b")),
    )
    if handle is None:
        if sample.sample_id is None:
            raise InvalidHistory("The sample has no id; add one or pass a handle.", path=joined(place, "sample_id"))
        handle = named(sample.sample_id.lower(), joined(place, "sample_id"))
    return History(handle, named(f"{one} & {other}", where), _sessions(sample.conversation, where, skipped))


def _sessions(fields: dict[str, object], place: str, skipped: Skipped) -> tuple[Conversation, ...]:
    numbered = sorted((int(match[1]), key) for key in fields if (match := _SESSION.fullmatch(key)))
    sessions: list[Conversation] = []
    for _, key in numbered:
        where = joined(place, key)
        entries = fields.pop(key)
        if not isinstance(entries, list):
            raise InvalidHistory("Expected a list of turns.", path=where)
        started_at = _started_at(fields.get(f"{key}_date_time"), f"{where}_date_time")
        turns = tuple(turn for spot, raw in drained(entries, where) if (turn := _turn(raw, spot, skipped)))
        if turns:
            sessions.append(Conversation(key, turns, started_at=started_at))
        else:
            skipped["conversation without turns"] += 1
    return tuple(sessions)


def _turn(raw: object, place: str, skipped: Skipped) -> Turn | None:
    form = filled(_TurnForm, raw, place)
    text = storable(form.text, joined(place, "text"))
    if form.blip_caption:
        caption = storable(form.blip_caption, joined(place, "blip_caption"))
        text = (text + SHARED_PICTURE.format(caption=caption)).lstrip()
    if not text.strip():
        skipped["turn without text"] += 1
        return None
    ref = identifier(form.dia_id, joined(place, "dia_id")) if form.dia_id is not None else None
    return Turn(named(form.speaker, joined(place, "speaker")), text, ref=ref)


def _started_at(raw: object, place: str) -> datetime | None:
    if raw is None:
        return None
    match = _DATE_TIME.fullmatch(raw) if isinstance(raw, str) else None
    if match is None or match[5].lower() not in _MONTHS:
        raise InvalidHistory('Expected a date-time like "1:56 pm on 8 May, 2023".', path=place)
    hour, minute, day, year = (int(match[group]) for group in (1, 2, 4, 6))
    try:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        afternoon = match[3].lower() == "p"
        month = _MONTHS.index(match[5].lower()) + 1
        return datetime(year, month, day, hour % 12 + 12 * afternoon, minute, tzinfo=UTC)
    except ValueError as error:
        raise InvalidHistory(f"No calendar or clock has {match[0].strip()!r}.", path=place) from error
